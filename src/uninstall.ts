import type { ClusterAction } from "./cluster/actions.ts";
import { planClusterDelete } from "./cluster/plan.ts";
import type { Finding } from "./engine/finding.ts";
import { inOrder, nothing, type Action, type Done, type Planned } from "./engine/plan.ts";
import {
  engineInTheWay,
  releaseName,
  releaseWishes,
  runningNode,
  storageGround,
  type Asked,
  type Facts,
} from "./install.ts";
import { planRemoveRelease, type RemoveRelease } from "./release/remove.ts";
import { targetOf } from "./release/plan.ts";
import { planDeleteData, type DeleteData } from "./storage/delete.ts";
import { planTools, type ToolAction } from "./tools/plan.ts";

/** Everything that an uninstall can do, in the order in which it does it. */
export type UninstallAction = ToolAction | RemoveRelease | DeleteData | ClusterAction;

export type UninstallWish = { deleteData: boolean };

/**
 * Pure. A cluster that we made goes with what is in it; of one that we did not make only the release goes. Data stays:
 * in folders of this machine by itself, and where the cluster holds it (node-local) by letting the cluster stand.
 */
export function planUninstall(
  facts: Facts,
  asked: Asked,
  wish: UninstallWish,
  done: readonly Done<Action>[],
): Planned<UninstallAction> {
  const engine = engineInTheWay(facts, asked);
  if (engine !== undefined) return engine;
  const cluster = planClusterDelete(facts.cluster, wish, done);
  const image = runningNode(facts.cluster)?.image ?? asked.wishes.k3sImage.value;
  const data = wish.deleteData ? planDeleteData(storageGround(facts, asked), image, done) : nothing;
  // The data last: what still runs would write it again.
  if (cluster.actions.length > 0 || cluster.refusals.length > 0) return inOrder<UninstallAction>(cluster, data);
  if (runningNode(facts.cluster) === undefined) return isThere(facts) ? refuse(mustRun(facts.cluster.name)) : data;
  const release = planRelease(facts, asked, done);
  const tools = planTools(facts.tools, release.actions.length > 0 ? ["helm"] : [], asked.wishes, done);
  return inOrder<UninstallAction>(tools, release, data);
}

function planRelease(facts: Facts, asked: Asked, done: readonly Done<Action>[]): Planned<RemoveRelease> {
  const wishes = releaseWishes(facts, asked);
  const target = targetOf(facts.release, wishes);
  if (target !== undefined && "refusal" in target) return refuse(target.refusal);
  return planRemoveRelease(facts.release, target, releaseName(facts, asked), done);
}

function isThere({ cluster: { cluster } }: Facts): boolean {
  return cluster.state === "unknown" || !["absent", "foreign"].includes(cluster.value.is);
}

function mustRun(cluster: string): Finding {
  return {
    reason: "CLUSTER_STOPPED",
    room: "cluster",
    says: `cluster ${cluster} does not run, and its release can only be removed while it does`,
    remedies: [
      { says: "start it, then run this again", command: `k3d cluster start ${cluster}` },
      { says: "or remove the whole cluster", command: `k3d cluster delete ${cluster}` },
    ],
  };
}

function refuse(...refusals: readonly Finding[]): Planned<never> {
  return { ...nothing, refusals };
}
