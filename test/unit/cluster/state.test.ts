import { describe, expect, test } from "vitest";

import { parseMembers, parseNode, saysNoSuchContainer } from "../../../src/cluster/docker.ts";
import type { Member, Node } from "../../../src/cluster/node.ts";
import { clusterState } from "../../../src/cluster/state.ts";
import { dockerAnswers, exited, recorded } from "./stand-in.ts";

/** The two looks of a recording. */
function looks(name: string): [Member[], Node | undefined] {
  const { ls, inspect } = recorded(dockerAnswers, name);
  const gone = saysNoSuchContainer(exited(inspect), "k3d-tracebloc-server-0");
  return [parseMembers(exited(ls)), gone ? undefined : parseNode(exited(inspect))];
}

describe("the state of a cluster, from recorded answers", () => {
  test.each([
    ["absent", "absent"],
    ["running", "running"],
    ["paused", "paused"],
    ["stopped", "stopped"],
    ["with a load balancer", "running"],
    ["load balancer stopped", "partly stopped"],
    ["load balancer never started", "partly stopped"],
    ["half created", "half created"],
    ["only the tools container", "incomplete"],
    ["restarting", "restarting"],
    ["foreign", "foreign"],
  ])("B45: %s is %s", (name, is) => {
    expect(clusterState("tracebloc", ...looks(name))).toMatchObject({ is });
  });

  test("a k3d cluster of another name is not taken for ours, though the container has our node's name", () => {
    expect(clusterState("other", ...looks("running"))).toMatchObject({ is: "foreign" });
  });
});

describe("the state of a cluster, case by case", () => {
  const [[member], node] = looks("running") as [[Member], Node];
  const agent: Member = { ...member, name: "k3d-tracebloc-agent-0", role: "agent", state: "running" };

  test("k3d's tools container and a registry do not make a running cluster partly stopped", () => {
    const helpers = ["noRole", "registry"].map((role): Member => ({
      ...member,
      name: `k3d-tracebloc-${role}`,
      role,
      state: "exited",
    }));
    expect(clusterState("tracebloc", [member, ...helpers], node)).toMatchObject({ is: "running" });
  });

  test("an agent that is down while the server runs, and the other way round, is partly stopped", () => {
    const stopped: Node = { ...node, state: "exited" };
    expect(clusterState("tracebloc", [member, { ...agent, state: "exited" }], node)).toMatchObject({
      is: "partly stopped",
    });
    expect(clusterState("tracebloc", [{ ...member, state: "exited" }, agent], stopped)).toMatchObject({
      is: "partly stopped",
    });
  });

  test("a paused agent makes the cluster paused", () => {
    expect(clusterState("tracebloc", [member, { ...agent, state: "paused" }], node)).toMatchObject({ is: "paused" });
  });

  test("a node that is being removed, or that only one of two looks saw, leaves the state open", () => {
    expect(clusterState("tracebloc", [member], { ...node, state: "removing" })).toHaveProperty("unclear");
    expect(clusterState("tracebloc", [member], undefined)).toHaveProperty("unclear");
  });

  test("a dead node is none", () => {
    expect(clusterState("tracebloc", [member], { ...node, state: "dead" })).toMatchObject({ is: "incomplete" });
  });
});
