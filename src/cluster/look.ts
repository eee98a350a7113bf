import { Failure } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import { firstComplaint, succeeded } from "../process/runner.ts";
import { inspectNode, parseNode } from "./docker.ts";
import { nodeName, type Node } from "./node.ts";
import { cannotTell } from "./refusals.ts";

/** The node as it is now. Throws where that cannot be told. */
export async function lookAtNode(on: Machine, cluster: string): Promise<Node> {
  const result = await on.runner.run(inspectNode(nodeName(cluster)));
  if (!succeeded(result)) throw new Failure(cannotTell(cluster, firstComplaint(result)));
  return parseNode(result);
}

const tailLines = 30;

/** The last lines of the node's log: what k3s said before it failed. Redacted; empty where there is none. */
export async function logTail(on: Machine, cluster: string): Promise<string[]> {
  const { stdout, stderr } = await on.runner.run({
    file: "docker",
    args: ["container", "logs", "--tail", String(tailLines), nodeName(cluster)],
    about: "docker container logs",
    timeoutMs: 10_000,
  });
  const lines = `${stdout}\n${stderr}`.split("\n").map((line) => line.trimEnd());
  return lines.filter((line) => line !== "" && !line.includes("No such container"));
}
