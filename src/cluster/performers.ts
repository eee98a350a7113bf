import { rmSync } from "node:fs";
import { dirname } from "node:path";

import { known, unknown, type Fact } from "../engine/fact.ts";
import { Failure } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import type { Performers, Proof } from "../engine/plan.ts";
import { openAccess } from "./access.ts";
import type { ClusterAction } from "./actions.ts";
import { isReady, saysOf } from "./api.ts";
import { connect, reach } from "./connect.ts";
import { create } from "./create.ts";
import { isUnreadable, noteReady, readInstallation } from "./installation.ts";
import { mountAt, mountPoints, nodeName, type Node } from "./node.ts";
import { lookAtContainers } from "./observe.ts";
import { isFolder } from "./ownership.ts";
import type { RegistryLogin } from "./registries.ts";
import { removeCluster } from "./remove.ts";
import { restart, start, unpause } from "./start.ts";

/** How each action on the cluster is done and proven. `k3d` is asked when it is needed: an action may have fetched it first. */
export function clusterPerformers(
  k3d: () => string,
  login: () => RegistryLogin | undefined = () => undefined,
): Performers<ClusterAction> {
  const all = ["cluster", "storage", "release"] as const;
  const runs = ({ cluster }: { cluster: string }, on: Machine) => proveRunning(on, cluster);
  return {
    "cluster.create": {
      room: "cluster",
      reveals: all,
      says: ({ cluster }) => `creating cluster ${cluster}`,
      perform: (action, on) => create(action, on, k3d(), login()),
      prove: (action, on) => proveRunning(on, action.cluster, (node) => whyMountsDiffer(node, action)),
    },
    "cluster.start": {
      room: "cluster",
      reveals: all,
      says: ({ cluster }) => `starting cluster ${cluster}`,
      perform: (action, on) => start(action, on, k3d()),
      prove: runs,
    },
    "cluster.unpause": {
      room: "cluster",
      reveals: all,
      says: ({ cluster }) => `waking cluster ${cluster}`,
      perform: async ({ cluster, containers }, on) => {
        await unpause(containers, on);
        await reach(on, k3d(), cluster);
      },
      prove: runs,
    },
    "cluster.restart": {
      room: "cluster",
      reveals: all,
      says: ({ cluster }) => `restarting the node of cluster ${cluster}`,
      perform: ({ cluster }, on) => restart(cluster, on, k3d()),
      prove: runs,
    },
    "cluster.connect": {
      room: "cluster",
      reveals: ["cluster", "release"],
      says: ({ cluster }) => `fetching the kubeconfig of cluster ${cluster}`,
      perform: async ({ cluster, api }, on) => {
        const { api: reads } = await connect(on, k3d(), cluster, api);
        if (isReady(await reads.get("/readyz", { timeoutMs: 5000 }))) noteReady(on.state, cluster, new Date());
      },
      prove: ({ cluster }, on) => Promise.resolve(proveConnected(on, cluster)),
    },
    "cluster.await": {
      room: "cluster",
      reveals: all,
      says: ({ cluster }) => `waiting for cluster ${cluster}`,
      perform: async ({ cluster }, on) => {
        await reach(on, k3d(), cluster);
      },
      prove: runs,
    },
    "cluster.remove": {
      room: "cluster",
      reveals: all,
      says: ({ cluster }) => `removing what is left of cluster ${cluster}`,
      perform: ({ cluster }, on) => remove(on, cluster),
      prove: ({ cluster }, on) => proveGone(on, cluster),
    },
    "cluster.delete": {
      room: "cluster",
      reveals: all,
      says: ({ cluster }) => `deleting cluster ${cluster}`,
      perform: async ({ cluster }, on) => {
        await remove(on, cluster);
        // All that was kept of it: the kubeconfig with its key, and values with the client's password.
        rmSync(dirname(on.state.kubeconfig(cluster)), { recursive: true, force: true });
      },
      prove: ({ cluster }, on) => proveGone(on, cluster),
    },
  };
}

/** What is ours is asked again at the moment of removing: a plan is a look old. */
async function remove(on: Machine, cluster: string): Promise<void> {
  const seen = readInstallation(on.state);
  if (seen.state === "unknown") throw new Failure(isUnreadable(seen.why));
  await removeCluster(on, cluster, seen.value.is === "here" ? seen.value.installation.id : undefined);
}

/** The node runs, is made as was asked, and the API is ready to our kubeconfig: looked at anew. */
async function proveRunning(
  on: Machine,
  cluster: string,
  fault?: (node: Node) => string | undefined,
): Promise<Fact<Proof>> {
  const access = openAccess(on.state, cluster);
  const [seen, answer] = await Promise.all([
    lookAtContainers(on, cluster),
    access?.api.get("/readyz", { timeoutMs: 5000 }),
  ]);
  if (seen.cluster.state === "unknown") return seen.cluster;
  const state = seen.cluster.value;
  const { how, ms } = seen.cluster.seen;
  if (state.is !== "running") return known({ holds: false, says: `cluster ${cluster} is ${state.is}` }, how, ms);
  const wrong = fault?.(state.node);
  if (wrong !== undefined) return known({ holds: false, says: wrong }, how, ms);
  if (answer === undefined) {
    return known({ holds: false, says: `there is no kubeconfig of cluster ${cluster}` }, how, ms);
  }
  const restarted = state.node.restarts === 0 ? "" : `, after ${state.node.restarts} restarts`;
  const says = `node ${nodeName(cluster)} runs${restarted}, the Kubernetes API ${saysOf(answer)}`;
  return known({ holds: isReady(answer), says }, `${how}, GET /readyz`, ms);
}

function whyMountsDiffer(
  node: Node,
  { dataDir, datasetDir }: { dataDir: string | undefined; datasetDir: string | undefined },
): string | undefined {
  const wrong = (folder: string | undefined, at: string) =>
    folder !== undefined && !isFolder(mountAt(node, at), folder);
  if (wrong(dataDir, mountPoints.data)) return `${mountPoints.data} in the node is not ${dataDir}`;
  if (wrong(datasetDir, mountPoints.datasets)) return `${mountPoints.datasets} in the node is not ${datasetDir}`;
  return undefined;
}

function proveConnected(on: Machine, cluster: string): Fact<Proof> {
  const how = "read our kubeconfig";
  const access = openAccess(on.state, cluster);
  if (access === undefined) return known({ holds: false, says: `there is no kubeconfig of cluster ${cluster}` }, how);
  return known({ holds: true, says: `our kubeconfig leads to ${access.host}:${access.port}` }, how);
}

async function proveGone(on: Machine, cluster: string): Promise<Fact<Proof>> {
  const { cluster: seen } = await lookAtContainers(on, cluster);
  if (seen.state === "unknown") return unknown(seen.why, seen.seen.how, seen.seen.ms);
  const gone = seen.value.is === "absent" || seen.value.is === "foreign";
  return known(
    { holds: gone, says: `cluster ${cluster} is ${gone ? "gone" : seen.value.is}` },
    seen.seen.how,
    seen.seen.ms,
  );
}
