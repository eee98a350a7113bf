import { openAccess } from "./cluster/access.ts";
import type { ClusterAction } from "./cluster/actions.ts";
import type { Access, ClusterFacts } from "./cluster/facts.ts";
import { nodeName, type Node } from "./cluster/node.ts";
import { observeCluster } from "./cluster/observe.ts";
import { effectiveDataDir, effectiveDatasetDir, effectiveStorageMode, ownershipOf } from "./cluster/ownership.ts";
import { clusterPerformers } from "./cluster/performers.ts";
import { planCluster } from "./cluster/plan.ts";
import { notOurs } from "./cluster/refusals.ts";
import { loginOf } from "./cluster/registries.ts";
import type { Tool } from "./config/pins.ts";
import type { StorageMode, Wishes } from "./config/wishes.ts";
import { notYet, type Fact } from "./engine/fact.ts";
import type { Finding, Room } from "./engine/finding.ts";
import type { Machine } from "./engine/machine.ts";
import { inOrder, nothing, type Action, type Done, type Performers, type Planned } from "./engine/plan.ts";
import type { HostFacts } from "./host/facts.ts";
import { engineFailure } from "./host/failure.ts";
import { observeHost } from "./host/observe.ts";
import { planHost } from "./host/plan.ts";
import type { Platform } from "./platform/platform.ts";
import { releasePerformers } from "./release/actions.ts";
import { observeReleases } from "./release/observe.ts";
import {
  planCredentials,
  planRelease,
  releaseLater,
  targetOf,
  type ReleaseAction,
  type ReleaseFacts,
} from "./release/plan.ts";
import type { Values } from "./release/values.ts";
import type { ReleaseWishes } from "./release/wanted.ts";
import { storagePerformers } from "./storage/actions.ts";
import { dataBaseOf, type HostDirs } from "./storage/layout.ts";
import { observeFolders, observeStorage, storageNotYet, type StorageFacts } from "./storage/observe.ts";
import { planFolders, planShared, planStorage, type StorageAction, type StorageGround } from "./storage/plan.ts";
import { holdersOf, observeUsers, planUsers, usersNotYet, type User } from "./storage/users.ts";
import { toolPerformers } from "./tools/actions.ts";
import { toolPath, type ToolFacts } from "./tools/facts.ts";
import { observeTools } from "./tools/observe.ts";
import { planTools, type ToolAction } from "./tools/plan.ts";

/** Everything that an install can do, and the order in which it does it. */
export type InstallAction = ToolAction | ClusterAction | StorageAction | ReleaseAction;

const order: readonly InstallAction["do"][] = [
  // A wrong password costs seconds here, and a cluster further down.
  "release.credentials",
  "tools.fetch",
  "storage.folders",
  "cluster.remove",
  "cluster.create",
  "cluster.start",
  "cluster.unpause",
  "cluster.restart",
  "cluster.await",
  "cluster.connect",
  // Proven before Helm starts: the kubelet would make what is missing, and make it root's (B01).
  "storage.prepare",
  "release.apply",
  "release.await",
  "cluster.delete",
];

/** What is known of the machine, room by room. The host and tools are looked at only where something has to be made or started. */
export type Facts = {
  host: HostFacts | undefined;
  /** What a call that left the cluster unknown says about the engine. */
  engine: Finding | undefined;
  tools: ToolFacts;
  cluster: ClusterFacts;
  folders: Fact<readonly string[]>;
  storage: StorageFacts;
  /** Who else has the folders: looked at before a cluster is made with them. */
  users: Fact<readonly User[]>;
  release: ReleaseFacts;
};

/** What is asked for: the wishes, the operator's values file, and how this run goes about it. */
export type Asked = {
  wishes: Wishes;
  file: Values;
  force: boolean;
  platform: Platform;
  /** What tells the certificates apart that are wished for, where they are. */
  ca?: string;
};

/**
 * Looks at all that a healthy client consists of, side by side: two docker calls for the node, one for the directories,
 * three reads of the API. Only where that is not enough come the host and the tools.
 */
export async function observe(
  asked: Asked,
  on: Machine,
  before?: { facts: Facts; stale: readonly Room[] },
): Promise<Facts> {
  const { wishes } = asked;
  const isStale = (room: Room) => before === undefined || before.stale.includes(room);
  const seen = before?.facts;
  const access = openAccess(on.state, wishes.cluster.value);
  const release = seen === undefined ? wishes.namespace.value : releaseName(seen, asked);

  const [cluster, storage, releases] = await Promise.all([
    seen !== undefined && !isStale("cluster") ? seen.cluster : lookAtCluster(access, undefined, asked, on),
    seen !== undefined && !isStale("storage")
      ? seen.storage
      : observeStorage({ node: nodeName(wishes.cluster.value), release }, on),
    seen !== undefined && !isStale("release") ? seen.release : lookAtReleases(access, on),
  ]);
  const node = runningNode(cluster);
  if (node === undefined) return observeBeforeCluster(asked, cluster, on, seen);

  const reached = cluster.access.state === "known" && cluster.access.value.is === "asked";
  const facts: Facts = {
    host: seen?.host,
    engine: undefined,
    tools: seen?.tools ?? (await observeTools([], on)),
    cluster,
    folders: notYet("the release is not known yet"),
    storage,
    users: usersNotYet,
    release: reached ? releases : releasesNotYet,
  };
  const name = releaseName(facts, asked);
  const elsewhere = name === release ? {} : { storage: await observeStorage({ node: node.name, release: name }, on) };
  const folders = await observeFolders(name, hostDirs(node, wishes));
  return withTools({ ...facts, ...elsewhere, folders }, asked, isStale("tools"), on);
}

/** The machine as it is before there is a node to look into: what stands in the way of making or starting one. */
async function observeBeforeCluster(
  asked: Asked,
  first: ClusterFacts,
  on: Machine,
  seen: Facts | undefined,
): Promise<Facts> {
  const { wishes } = asked;
  const dirs = wishedDirs(wishes);
  const isNew = isAbsent(first) && wishes.storageMode.value === "hostpath";
  const [host, engine, folders, users, tools] = await Promise.all([
    seen?.host ?? observeHost(wishes, on),
    first.complaint === undefined ? undefined : engineFailure(first.complaint, on),
    observeFolders(wishes.namespace.value, dirs),
    isNew ? observeUsers(holdersOf(dirs), wishes.cluster.value, on) : usersNotYet,
    observeTools(isAbsent(first) ? ["k3d", "helm"] : ["k3d"], on),
  ]);
  const k3d = toolPath(tools, "k3d");
  const cluster = isAbsent(first) && k3d !== undefined ? await lookAtCluster(undefined, k3d, asked, on) : first;
  const why =
    engine ?? (cluster.complaint === undefined ? undefined : await engineFailure(cluster.complaint, on, "k3d"));
  const storage = storageNotYet(wishes.namespace.value, "the cluster has to run");
  return { host, engine: why, tools, cluster, folders, storage, users, release: releasesNotYet };
}

/** Looks for the tools that the plan would use, and for no others: asking one for its version starts a program. */
async function withTools(facts: Facts, asked: Asked, again: boolean, on: Machine): Promise<Facts> {
  const need = toolsFor(plan(facts, asked, []).actions).filter(
    (tool) => again || facts.tools[tool].state === "unknown",
  );
  return need.length === 0 ? facts : { ...facts, tools: await observeTools(need, on, facts.tools) };
}

/** Pure: what has to be done, from what is known. */
export function plan(facts: Facts, asked: Asked, done: readonly Done<Action>[]): Planned<InstallAction> {
  const planned: Planned<InstallAction> =
    runningNode(facts.cluster) === undefined
      ? planBeforeCluster(facts, asked, done)
      : planInCluster(facts, asked, done);
  const actions = planned.actions.toSorted((one, other) => order.indexOf(one.do) - order.indexOf(other.do));
  return { ...planned, actions };
}

function planBeforeCluster(facts: Facts, asked: Asked, done: readonly Done<Action>[]): Planned<InstallAction> {
  const { wishes } = asked;
  const absent = isAbsent(facts.cluster);
  const host = facts.host === undefined ? nothing : planHost(facts.host, wishes, absent ? "create" : "repair");
  const cluster = planCluster(facts.cluster, asked, done);
  const engine = engineInTheWay(facts, asked);
  if (engine !== undefined) return engine;

  const later: Planned<never> = {
    ...nothing,
    then: absent ? [releaseLater(releaseWishes(facts, asked))] : [lookAtClient],
  };
  const storage = planStorage(storageGround(facts, asked), done);
  const tools = planTools(facts.tools, absent ? ["k3d", "helm"] : ["k3d"], wishes, done);
  if (!absent) return inOrder<InstallAction>(host, tools, cluster, storage, later);
  const credentials = planCredentials(releaseWishes(facts, asked), done);
  const mode = wishes.storageMode.value;
  const dirs = wishedDirs(wishes);
  const users = planUsers(facts.users, { mode, dirs, cluster: facts.cluster.name, platform: asked.platform });
  const folders = planFolders({ mode, missing: facts.folders, hostDirs: dirs }, done);
  return inOrder<InstallAction>(host, users, credentials, tools, folders, cluster, storage, later);
}

/** Why the cluster is not known, where the engine is the cause: one cause, one finding, and whatever else the machine lacks. */
export function engineInTheWay(facts: Facts, { wishes }: Asked): Planned<never> | undefined {
  if (facts.cluster.cluster.state === "known") return undefined;
  const { installation, name } = facts.cluster;
  const isKnownToUs =
    installation.state === "known" &&
    installation.value.is === "here" &&
    name in installation.value.installation.clusters;
  const host = facts.host === undefined ? nothing : planHost(facts.host, wishes, isKnownToUs ? "repair" : "create");
  if (host.refusals.length > 0) return host;
  return facts.engine === undefined ? undefined : { ...nothing, refusals: [facts.engine] };
}

const lookAtClient = "look at the client in it, and mend what is wrong";

function planInCluster(facts: Facts, asked: Asked, done: readonly Done<Action>[]): Planned<InstallAction> {
  const wants = releaseWishes(facts, asked);
  const cluster = planCluster(facts.cluster, asked, done);
  const storage = planStorage(storageGround(facts, asked), done);
  if (cluster.actions.length > 0 || cluster.refusals.length > 0) {
    const tools = planTools(facts.tools, toolsFor(cluster.actions), asked.wishes, done);
    return inOrder<InstallAction>(tools, cluster, { ...nothing, then: [...storage.then, lookAtClient] });
  }
  const foreign = refuseWithoutClient(facts, asked);
  if (foreign !== undefined) return { ...nothing, refusals: [foreign] };
  const apart = planShared(storageGround(facts, asked), facts.folders);
  if (apart.refusals.length > 0) return apart;
  const release = planRelease(facts.release, wants, done);
  const tools = planTools(facts.tools, toolsFor(release.actions), asked.wishes, done);
  return inOrder<InstallAction>(hintsOf(facts, asked), cluster, storage, tools, release);
}

/** What this machine is short of was seen before the cluster ran; at the end of the run it is still worth a word. */
function hintsOf({ host }: Facts, { wishes }: Asked): Planned<never> {
  return host === undefined ? nothing : { ...nothing, warnings: planHost(host, wishes, "repair").warnings };
}

/** A cluster that we did not make is adopted for the client in it: without one, nothing says that it is meant for us. */
function refuseWithoutClient(facts: Facts, asked: Asked): Finding | undefined {
  const node = runningNode(facts.cluster);
  const target = targetOf(facts.release, releaseWishes(facts, asked));
  if (node === undefined || target === undefined || "refusal" in target || target.record !== undefined) {
    return undefined;
  }
  return isOurs(facts.cluster, node) ? undefined : notOurs(facts.cluster.name, node, "it holds no tracebloc client");
}

/** How each action is done. `latest` gives the facts as they are when an action starts. */
export function performers(
  asked: () => Asked,
  latest: () => Facts,
  state: Machine["state"],
): Performers<InstallAction> {
  const tool = (name: Tool) => toolPath(latest().tools, name) ?? name;
  const access = () => {
    const opened = openAccess(state, asked().wishes.cluster.value);
    if (opened === undefined) throw new Error("the kubeconfig that was stored is gone");
    return opened;
  };
  return {
    ...toolPerformers,
    ...clusterPerformers(
      () => tool("k3d"),
      () => loginOf(asked().wishes),
    ),
    ...storagePerformers(),
    ...releasePerformers({
      cluster: asked().wishes.cluster.value,
      asked: () => releaseWishes(latest(), asked()),
      api: () => access().api,
      access: () => ({ helm: tool("helm"), kubeconfig: access().kubeconfig, context: access().context }),
    }),
  };
}

/** What the release is planned from: the wishes, in the cluster as it is or, before it is made, as it will be. */
export function releaseWishes(facts: Facts, asked: Asked): ReleaseWishes {
  const { wishes, file, force } = asked;
  const node = runningNode(facts.cluster);
  const hasDatasets =
    node === undefined ? wishes.datasetDir.value !== undefined : dataBaseOf(node.mounts) === "/tracebloc-data";
  return {
    wishes,
    file,
    force,
    shape: { storageMode: modeOf(node, wishes), datasetPath: hasDatasets ? "/tracebloc-data" : undefined },
  };
}

/** What the directories are planned and told from. */
export function storageGround(facts: Facts, asked: Asked): StorageGround {
  const { wishes, platform } = asked;
  const node = standingNode(facts.cluster);
  const running = runningNode(facts.cluster);
  return {
    mode: modeOf(node, wishes),
    release: releaseName(facts, asked),
    dataBase: running === undefined ? undefined : dataBaseOf(running.mounts),
    facts: facts.storage,
    place: { node: nodeName(wishes.cluster.value), platform, hostDirs: hostDirs(node, wishes) },
  };
}

/** The release that the run is about: the one that is there, or the one that Helm will make. */
export function releaseName(facts: Facts, asked: Asked): string {
  const target = targetOf(facts.release, releaseWishes(facts, asked));
  return target === undefined || "refusal" in target ? asked.wishes.namespace.value : target.name;
}

/** The node, where it is up. */
export function runningNode({ cluster }: ClusterFacts): Node | undefined {
  return cluster.state === "known" && cluster.value.is === "running" ? cluster.value.node : undefined;
}

/** The node, up or not: what it mounts was decided when it was made, and of one that is half made nothing was. */
export function standingNode({ cluster }: ClusterFacts): Node | undefined {
  const state = cluster.state === "known" ? cluster.value : undefined;
  return state !== undefined && "node" in state && state.is !== "foreign" && state.is !== "half created"
    ? state.node
    : undefined;
}

/** Made by this installation, by its label. */
export function isOurs({ installation }: ClusterFacts, node: Node): boolean {
  const here =
    installation.state === "known" && installation.value.is === "here" ? installation.value.installation : undefined;
  return ownershipOf(node, here).whose === "ours";
}

const releasesNotYet: ReleaseFacts = {
  records: notYet("the cluster has to answer"),
  deployments: notYet("the cluster has to answer"),
};

function isAbsent({ cluster }: ClusterFacts): boolean {
  return cluster.state === "known" && cluster.value.is === "absent";
}

function lookAtCluster(
  access: Access | undefined,
  k3d: string | undefined,
  { wishes }: Asked,
  on: Machine,
): Promise<ClusterFacts> {
  return observeCluster(on, { cluster: wishes.cluster.value, k3d, access, port: wishes.apiPort.value });
}

async function lookAtReleases(access: Access | undefined, on: Machine): Promise<ReleaseFacts> {
  return access === undefined ? releasesNotYet : observeReleases(access.api, on);
}

function toolsFor(actions: readonly InstallAction[]): Tool[] {
  const kinds = new Set(actions.map((action) => action.do));
  const needsK3d = [
    "cluster.create",
    "cluster.start",
    "cluster.connect",
    "cluster.restart",
    "cluster.await",
    "cluster.unpause",
  ] as const;
  return [
    ...(needsK3d.some((kind) => kinds.has(kind)) ? (["k3d"] as const) : []),
    ...(kinds.has("release.apply") ? (["helm"] as const) : []),
  ];
}

function modeOf(node: Node | undefined, wishes: Wishes): StorageMode {
  return node === undefined ? wishes.storageMode.value : effectiveStorageMode(node);
}

function wishedDirs(wishes: Wishes): HostDirs {
  return { dataDir: wishes.dataDir.value, datasetDir: wishes.datasetDir.value };
}

function hostDirs(node: Node | undefined, wishes: Wishes): HostDirs {
  if (node === undefined) return wishedDirs(wishes);
  return {
    dataDir: effectiveDataDir(node, wishes) ?? wishes.dataDir.value,
    datasetDir: effectiveDatasetDir(node, wishes),
  };
}
