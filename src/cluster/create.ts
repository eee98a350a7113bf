import { mkdirSync } from "node:fs";

import { Failure, type Finding } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import { engineFailure } from "../host/failure.ts";
import { firstComplaint, succeeded } from "../process/runner.ts";
import { isReady, saysOf } from "./api.ts";
import { complaintsOf, meaningOf } from "./complaints.ts";
import { reach } from "./connect.ts";
import { noteBirth } from "./installation.ts";
import { dockerChange } from "./docker.ts";
import { createCluster, type ClusterShape } from "./k3d.ts";
import { logTail, lookAtNode } from "./look.ts";
import { mountAt, mountPoints, type Node } from "./node.ts";
import { isFolder } from "./ownership.ts";
import { choosePort } from "./port.ts";
import { apiSilent, finding, moreMemory } from "./refusals.ts";
import { layRegistries, pullWith, registriesInNode, type RegistryLogin } from "./registries.ts";
import { removeCluster } from "./remove.ts";
import { watchK3d, type Watched } from "./watch.ts";

/**
 * Makes the cluster and waits until its API is ready. Noted before k3d is called, so that what a dead run leaves is
 * known to be ours. Where it fails, or is interrupted, all that was made is taken away again and the evidence kept.
 */
export async function create(shape: ClusterShape, on: Machine, k3d: string, login?: RegistryLogin): Promise<void> {
  makeFolders(shape);
  if (login !== undefined) await pullWith(login, shape, on);
  let port = shape.port;
  for (let tries = 1; ; tries++) {
    const why = await attempt({ ...shape, port }, on, k3d, login);
    if (why === undefined) return;
    // Free when it was looked for, and taken since: another cluster that is made at the same time found it free as well.
    const next = why.reason === "PORT_TAKEN" && shape.anyPort ? (await choosePort(port + 1)).free : undefined;
    if (next === undefined || tries === mostPorts || on.stop.aborted) throw new Failure(why);
    on.emit({ type: "note", room: "cluster", says: `port ${port} was taken meanwhile; trying ${next}` });
    port = next;
  }
}

const mostPorts = 5;

/** One call of k3d, to its proof. Undefined where the cluster stands; else why not, and what was made is gone again. */
async function attempt(
  shape: ClusterShape,
  on: Machine,
  k3d: string,
  login: RegistryLogin | undefined,
): Promise<Finding | undefined> {
  const { cluster } = shape;
  const { mirror, caBundle } = shape;
  const told = { ...(mirror !== undefined && { mirror }), ...(caBundle !== undefined && { ca: caBundle.fingerprint }) };
  const installation = noteBirth(on.state, cluster, new Date(), told);
  const registries = layRegistries(shape, login, on);
  const command = createCluster(k3d, shape, installation, on.platform, registries.args);
  const watched = await watchK3d(on, command, `k3d to make cluster ${cluster}`);
  registries.clear();
  if (!succeeded(watched.result)) return undo(await whyNotMade(watched, shape, on), shape, installation, on);

  const node = await lookAtNode(on, cluster);
  const mismounted = whyMismounted(node, shape);
  if (mismounted !== undefined) return undo(mismounted, shape, installation, on);
  // k3d leaves it to all to read.
  if (login !== undefined) {
    await on.runner.run(dockerChange("docker exec", 10_000, "exec", node.name, "chmod", "600", registriesInNode));
  }
  const answer = await reach(on, k3d, cluster);
  if (isReady(answer)) return undefined;
  return { ...apiSilent(cluster, saysOf(answer)), details: await logTail(on, cluster) };
}

/** The engine would make a folder that is missing itself, and as root. */
function makeFolders({ dataDir, datasetDir }: ClusterShape): void {
  for (const folder of [dataDir, datasetDir]) {
    if (folder === undefined) continue;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new Failure(unusable(folder, error instanceof Error ? error.message : String(error)));
    }
  }
}

/** Takes away what this run made, and adds to the finding where that does not succeed. */
async function undo(why: Finding, { cluster }: ClusterShape, installation: string, on: Machine): Promise<Finding> {
  on.emit({ type: "note", room: "cluster", says: `removing what was made of cluster ${cluster}` });
  try {
    await removeCluster(on, cluster, installation);
    return why;
  } catch (error) {
    const left = error instanceof Failure ? error.finding : undefined;
    const says = left?.says ?? (error instanceof Error ? error.message : String(error));
    return { ...why, remedies: [...why.remedies, ...(left?.remedies ?? [])], details: [...(why.details ?? []), says] };
  }
}

/** Why k3d did not make it: in this order the known texts, the engine's own trouble, what became of the node. */
async function whyNotMade({ result, hopeless }: Watched, shape: ClusterShape, on: Machine): Promise<Finding> {
  const { cluster } = shape;
  if (on.stop.aborted) {
    return finding("INTERRUPTED", `interrupted while making cluster ${cluster}; nothing of it is left`, [
      { says: "run the same command again: it begins anew" },
    ]);
  }
  const complaints = complaintsOf(result.stderr);
  const tail = await logTail(on, cluster);
  const details = [...complaints, ...tail];
  const told = [result.stderr, ...tail].join("\n");
  const explained = meaningOf(told, on.platform);
  if (explained !== undefined) return finding(explained.reason, explained.says, explained.remedies, details);
  const engine = await engineFailure(result, on, "k3d");
  if (engine !== undefined) return { ...engine, details };
  if (result.outcome === "timed-out" && on.now() >= on.deadline) {
    return finding("DEADLINE", `the time for this run was over while k3d made cluster ${cluster}`, [again], details);
  }
  const why = hopeless ? "its node ends again and again" : lastWords(complaints[0] ?? firstComplaint(result));
  const says = `k3d could not make cluster ${cluster}: ${why}`;
  return { ...((await whyEnded(on, cluster)) ?? finding("CLUSTER_CREATE_FAILED", says, [again])), details };
}

const again = { says: "run the same command again; with --verbose it shows all that k3d says" };

/** k3d tells each step on the way to what went wrong; the last one is the cause. */
function lastWords(complaint: string): string {
  return (complaint.split(/Error response from daemon: |failed to get ready: /).at(-1) ?? complaint).slice(0, 300);
}

/** What k3d's words do not tell, the node's own end does: 137 is a KILL, most often for memory (B20). */
async function whyEnded(on: Machine, cluster: string): Promise<Finding | undefined> {
  const node = await lookAtNode(on, cluster).catch(() => undefined);
  if (node === undefined || node.restarts === 0) return undefined;
  if (node.outOfMemory || node.exitCode === 137) {
    return finding(
      "MEMORY_TOO_SMALL",
      `${node.name} was killed ${node.restarts} times, as it happens when memory runs out`,
      [moreMemory],
    );
  }
  const says = `k3d could not make cluster ${cluster}: ${node.name} ends again and again, last with exit code ${node.exitCode}`;
  return finding("CLUSTER_CREATE_FAILED", says, [again]);
}

/** B25: what looks like a path to us may be a volume's name to the engine. Data in one is lost with the cluster. */
function whyMismounted(node: Node, { dataDir, datasetDir }: ClusterShape): Finding | undefined {
  for (const [folder, destination] of [
    [dataDir, mountPoints.data],
    [datasetDir, mountPoints.datasets],
  ] as const) {
    if (folder === undefined) continue;
    const mount = mountAt(node, destination);
    if (isFolder(mount, folder)) continue;
    const is = mount === undefined ? "is not there" : `is the ${mount.type} ${mount.source}`;
    return unusable(folder, `${destination} in the node ${is}`);
  }
  return undefined;
}

function unusable(folder: string, why: string): Finding {
  return finding("DATA_DIR_UNUSABLE", `${folder} cannot be the cluster's folder: ${why}`, [
    { says: "name another one", command: "tracebloc install --data-dir tracebloc-data" },
  ]);
}
