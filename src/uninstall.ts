import type { ClusterAction } from "./cluster/actions.ts";
import { differences, type Difference } from "./cluster/ownership.ts";
import { planCluster, planClusterDelete } from "./cluster/plan.ts";
import { differs } from "./cluster/refusals.ts";
import type { Finding } from "./engine/finding.ts";
import { inOrder, nothing, type Action, type Done, type Planned } from "./engine/plan.ts";
import {
  engineInTheWay,
  releaseName,
  releaseWishes,
  runningNode,
  standingNode,
  storageGround,
  type Asked,
  type Facts,
} from "./install.ts";
import { commandLine } from "./platform/shell.ts";
import { planRemoveRelease, type RemoveRelease } from "./release/remove.ts";
import { targetOf } from "./release/plan.ts";
import { planDeleteData, type DeleteData } from "./storage/delete.ts";
import { planTools, type ToolAction } from "./tools/plan.ts";

/** Everything that an uninstall can do, in the order in which it does it. */
export type UninstallAction = ToolAction | RemoveRelease | DeleteData | ClusterAction;

export type UninstallWish = { deleteData: boolean };

/**
 * The same wishes, for taking away: who the client is plays no part then. For its data the name of the release has to
 * be the right one, asked for or not: it is what a person confirms.
 */
export function forUninstall(asked: Asked, { deleteData }: UninstallWish): Asked {
  const { clientId, namespace } = asked.wishes;
  const origin = { from: "flag", name: "--delete-data" } as const;
  return {
    ...asked,
    wishes: {
      ...asked.wishes,
      clientId: { ...clientId, value: undefined },
      namespace: deleteData ? { ...namespace, origin } : namespace,
    },
  };
}

/**
 * Pure. A cluster that we made goes with what is in it; of one that we did not make only the release goes. Data stays:
 * in folders of this machine by itself, and where the cluster holds it (node-local) by letting the cluster stand.
 * `first` is what was seen before anything was done: once the cluster is gone nothing else tells where its data lies.
 */
export function planUninstall(
  facts: Facts,
  asked: Asked,
  wish: UninstallWish,
  done: readonly Done<Action>[],
  first: Facts = facts,
): Planned<UninstallAction> {
  const engine = engineInTheWay(facts, asked);
  if (engine !== undefined) return engine;
  const target = targetOf(first.release, releaseWishes(first, asked));
  if (isOfAnotherClient(target)) return refuse(target.refusal);
  const cluster = planClusterDelete(facts.cluster, wish, done);
  const data = wish.deleteData ? planData(first, asked, done) : nothing;
  if (data.refusals.length > 0) return data;
  // The data last: what still runs would write it again.
  if (cluster.actions.length > 0 || cluster.refusals.length > 0) return inOrder<UninstallAction>(cluster, data);
  if (runningNode(facts.cluster) === undefined) return isThere(facts) ? refuse(mustRun(facts.cluster.name)) : data;
  const road = planRoad(facts, asked, done);
  if (road !== undefined) return road;
  const release = planRelease(facts, asked, done);
  const tools = planTools(facts.tools, release.actions.length > 0 ? ["helm"] : [], asked.wishes, done);
  return inOrder<UninstallAction>(tools, release, data);
}

/**
 * What a cluster holds that an earlier installer made is seen only with its kubeconfig, which has to be fetched first;
 * a stranger's is not looked into. Undefined where the releases are seen, or where the road is not what is missing.
 */
function planRoad(facts: Facts, asked: Asked, done: readonly Done<Action>[]): Planned<UninstallAction> | undefined {
  if (facts.release.records.state === "known") return undefined;
  const { actions, refusals } = planCluster(facts.cluster, asked, done);
  if (refusals.some(({ reason }) => reason === "CLUSTER_NOT_OURS")) return nothing;
  const connect = actions.filter((action) => action.do === "cluster.connect");
  if (connect.length === 0) return undefined;
  const tools = planTools(facts.tools, ["k3d"], asked.wishes, done);
  return inOrder<UninstallAction>(tools, { ...nothing, actions: connect, then: ["remove the client in it"] });
}

/** One that the namespace asked for is not about. What else is wrong with a release dies with a cluster of ours. */
function isOfAnotherClient(target: ReturnType<typeof targetOf>): target is { refusal: Finding } {
  return target !== undefined && "refusal" in target && target.refusal.reason === "RELEASE_OF_ANOTHER_CLIENT";
}

/** The data lies where the node has it; a folder that was asked for and is another one is not deleted in its place. */
function planData(first: Facts, asked: Asked, done: readonly Done<Action>[]): Planned<DeleteData> {
  const { wishes } = asked;
  const node = standingNode(first.cluster);
  const different = node === undefined ? [] : differences(node, wishes);
  if (different.length > 0) return refuse(...different.map((one) => dataElsewhere(first.cluster.name, one, asked)));
  const image = node?.image ?? wishes.k3sImage.value;
  return planDeleteData(storageGround(first, asked), { image, cluster: first.cluster.name, users: first.users }, done);
}

function dataElsewhere(cluster: string, difference: Difference, { wishes, platform }: Asked): Finding {
  const { setting, found } = difference;
  const flag = setting === "dataDir" ? "--data-dir" : "--dataset-dir";
  const remedy =
    found === undefined
      ? { says: `run it again without ${wishes[setting].origin.name}` }
      : {
          says: "delete it where it lies",
          command: commandLine(platform, "tracebloc", "uninstall", "--delete-data", flag, found),
        };
  return { ...differs(cluster, difference, wishes, platform, false), remedies: [remedy] };
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
