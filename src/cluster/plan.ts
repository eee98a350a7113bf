import { wasAsked, type Wishes } from "../config/wishes.ts";
import type { Finding } from "../engine/finding.ts";
import { nothing, type Action, type Done, type Planned } from "../engine/plan.ts";
import type { Platform } from "../platform/platform.ts";
import type { ClusterAction } from "./actions.ts";
import { isReady, isStale, saysOf } from "./api.ts";
import type { ClusterFacts } from "./facts.ts";
import { isNewer, isUnfinished, isUnreadable, type Installation } from "./installation.ts";
import { mountAt, mountPoints, type Member, type Node } from "./node.ts";
import { differences, effectiveStorageMode, ownershipOf } from "./ownership.ts";
import {
  apiSilent,
  cannotRemove,
  cannotTell,
  differs,
  incomplete,
  isPaused,
  keepsRestarting,
  noDataDir,
  noKubeconfig,
  notOurs,
  otherImage,
  otherRegistries,
  portTaken,
  staysDown,
  staysPaused,
} from "./refusals.ts";
import type { ClusterState } from "./state.ts";

export type ClusterWishes = {
  wishes: Wishes;
  platform: Platform;
  /** What tells the certificates apart that are wished for. */
  ca?: string;
};

/** What a plan is made from, once it is known that one can be made. */
type Ground = ClusterWishes & {
  facts: ClusterFacts;
  /** We began to make it and never saw it ready. */
  unfinished: boolean;
  installation: Installation | undefined;
  /** This run has done this already; it is not tried twice. */
  tried: (kind: ClusterAction["do"]) => boolean;
};

/**
 * What brings the cluster about: pure. It ends with a node that runs and an API that answers to our own kubeconfig.
 * Nothing is made, started or removed while it is unknown whether the cluster exists, and whose it is.
 */
export function planCluster(
  facts: ClusterFacts,
  asked: ClusterWishes,
  done: readonly Done<Action>[],
): Planned<ClusterAction> {
  const { name, installation, cluster } = facts;
  if (installation.state === "unknown") return refuse(isUnreadable(installation.why));
  if (installation.value.is === "newer") return refuse(isNewer(installation.value.version));
  if (cluster.state === "unknown") return refuse(cannotTell(name, cluster.why));

  const here = installation.value.is === "here" ? installation.value.installation : undefined;
  const tried = (kind: ClusterAction["do"]) => done.some(({ action }) => action.do === kind);
  const ground = {
    ...asked,
    facts,
    installation: here,
    unfinished: here !== undefined && isUnfinished(here, name),
    tried,
  };
  return planFrom(cluster.value, ground);
}

function planFrom(state: ClusterState, ground: Ground): Planned<ClusterAction> {
  const { facts, unfinished, installation, wishes, platform } = ground;
  if (state.is === "absent") return planCreate(ground);
  if (state.is === "foreign") return refuse(notOurs(facts.name, state.node, "k3d did not make its node for it"));
  if (state.is === "incomplete") {
    return unfinished ? planAnew(state.members, ground) : refuse(incomplete(facts.name, state.members));
  }

  const { node, members } = state;
  const ownership = ownershipOf(node, installation);
  const ours = ownership.whose === "ours";
  if (state.is === "half created") return ours ? planAnew(members, ground) : refuse(incomplete(facts.name, members));
  if (ownership.whose === "foreign") return refuse(notOurs(facts.name, node, ownership.why));
  const different = differences(node, wishes);
  if (different.length > 0) {
    return {
      ...nothing,
      refusals: different.map((difference) => differs(facts.name, difference, wishes, platform, ours)),
    };
  }
  const planned = planNode(state.is, { node, members, ours }, ground);
  const { k3sImage, dataDir } = wishes;
  const warnings = [
    ...(wasAsked(k3sImage) && !isSameImage(node.image, k3sImage.value) ? [otherImage(facts.name, node, wishes)] : []),
    ...(wasAsked(dataDir) && effectiveStorageMode(node) === "node-local" ? [noDataDir(facts.name, wishes)] : []),
    ...otherRegistries(facts.name, installation?.clusters[facts.name], wishes, ground.ca),
  ];
  return { ...planned, warnings: [...planned.warnings, ...warnings] };
}

function planCreate({ facts, wishes, unfinished, tried, ca = "" }: Ground): Planned<ClusterAction> {
  const cluster = facts.name;
  if (tried("cluster.create")) return refuse(cannotTell(cluster, "it was made in this run, and is gone"));
  const wished = wishes.apiPort.value;
  const free = facts.port.state === "known" ? facts.port.value.free : wished;
  if (free === undefined || (wasAsked(wishes.apiPort) && free !== wished)) return refuse(portTaken(wishes, free));

  const create: ClusterAction = {
    do: "cluster.create",
    because: `no cluster ${cluster} exists`,
    cluster,
    image: wishes.k3sImage.value,
    toolsImage: wishes.k3dToolsImage.value,
    port: free,
    anyPort: !wasAsked(wishes.apiPort),
    dataDir: wishes.storageMode.value === "hostpath" ? wishes.dataDir.value : undefined,
    datasetDir: wishes.storageMode.value === "hostpath" ? wishes.datasetDir.value : undefined,
    ...(wishes.imageRegistry.value !== undefined && { mirror: wishes.imageRegistry.value }),
    ...(wishes.caBundle.value !== undefined && { caBundle: { path: wishes.caBundle.value, fingerprint: ca } }),
  };
  // A run that was cut off before the first container leaves a network and a volume, which k3d would take for another's.
  return unfinished && !tried("cluster.remove") ? act(remove(cluster), create) : act(create);
}

/** What a run of ours left half made is of no use, and holds nothing: its API never answered. */
function planAnew(members: readonly Member[], ground: Ground): Planned<ClusterAction> {
  if (ground.tried("cluster.remove")) return refuse(cannotRemove(ground.facts.name, members));
  const later = planCreate(ground);
  return {
    ...later,
    actions: [remove(ground.facts.name), ...later.actions.filter((action) => action.do === "cluster.create")],
  };
}

function planNode(
  standing: Exclude<ClusterState, { is: "absent" | "incomplete" | "foreign" }>["is"],
  { node, members, ours }: { node: Node; members: readonly Member[]; ours: boolean },
  ground: Ground,
): Planned<ClusterAction> {
  const { facts, wishes, unfinished, tried } = ground;
  const cluster = facts.name;
  const toolsImage = wishes.k3dToolsImage.value;
  switch (standing) {
    case "stopped":
    case "partly stopped": {
      if (tried("cluster.start")) return refuse(staysDown(cluster, node));
      const because =
        standing === "stopped" ? `cluster ${cluster} is stopped` : `parts of cluster ${cluster} are stopped`;
      return act({ do: "cluster.start", because, cluster, toolsImage });
    }
    case "paused": {
      const containers = members.filter(({ state }) => state === "paused").map(({ name }) => name);
      if (!ours) return refuse(isPaused(cluster, containers));
      if (tried("cluster.unpause")) return refuse(staysPaused(cluster, containers));
      return act({ do: "cluster.unpause", because: `cluster ${cluster} is paused`, cluster, containers });
    }
    case "restarting":
      if (!tried("cluster.await")) return act({ do: "cluster.await", because: `${node.name} is restarting`, cluster });
      return unfinished && ours && !tried("cluster.create") ? planAnew(members, ground) : refuse(keepsRestarting(node));
    case "half created":
      return planAnew(members, ground);
    default:
      return planAccess(node, members, ours, ground);
  }
}

/** The node runs: the rest is whether its API answers to our kubeconfig. */
function planAccess(node: Node, members: readonly Member[], ours: boolean, ground: Ground): Planned<ClusterAction> {
  const { facts, unfinished, tried } = ground;
  const cluster = facts.name;
  const api = node.api;
  if (api === undefined) return refuse(noKubeconfig(cluster, `${node.name} does not publish the Kubernetes API`));
  const connect = (because: string, otherwise: Finding) =>
    tried("cluster.connect") ? refuse(otherwise) : act({ do: "cluster.connect", because, cluster, api });

  const access = facts.access.state === "known" ? facts.access.value : undefined;
  if (access === undefined || access.is === "missing") {
    return connect("there is no kubeconfig of it yet", noKubeconfig(cluster, "what was fetched cannot be read"));
  }
  if (access.is === "elsewhere") {
    const moved = `its API is at port ${api.port}, and our kubeconfig says ${access.access.port}`;
    return connect(moved, noKubeconfig(cluster, moved));
  }
  const { answer } = access;
  if (isReady(answer)) {
    // Cut off between k3d's success and our note of it: the cluster is whole, and from now on known to be.
    const unnoted = ours && unfinished && !tried("cluster.connect");
    return unnoted
      ? connect("an earlier run was cut off before it saw the cluster ready", noKubeconfig(cluster, ""))
      : nothing;
  }
  const says = saysOf(answer);
  if (answer.outcome === "expired" && tried("cluster.connect")) {
    if (!tried("cluster.restart")) {
      return act({ do: "cluster.restart", because: `the Kubernetes API ${says}`, cluster });
    }
    return refuse(noKubeconfig(cluster, `the Kubernetes API ${says}; is the clock of this machine right?`));
  }
  // Made anew under the same name and port, or started with new certificates: its CA, or its users, are others.
  if (isStale(answer)) {
    return connect(`the Kubernetes API ${says}`, noKubeconfig(cluster, `the Kubernetes API ${says}`));
  }
  if (!tried("cluster.await")) return act({ do: "cluster.await", because: `the Kubernetes API ${says}`, cluster });
  return ours && unfinished && !tried("cluster.create") ? planAnew(members, ground) : refuse(apiSilent(cluster, says));
}

/** The same image, whether or not a digest or a registry, this or that one, stands with it (B12). */
export function isSameImage(one: string, other: string): boolean {
  const bare = (image: string) =>
    image.replace(/@sha256:[0-9a-f]+$/, "").replace(/^(?:localhost|[^/]*[.:][^/]*)\//, "");
  const [a, b] = [bare(one), bare(other)];
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

/**
 * What `uninstall` does about the cluster: pure. Only one that carries our label goes, and one that holds its data
 * itself (node-local) only where data is to be deleted.
 */
export function planClusterDelete(
  facts: ClusterFacts,
  { deleteData }: { deleteData: boolean },
  done: readonly Done<Action>[],
): Planned<ClusterAction> {
  const { name, installation, cluster } = facts;
  if (installation.state === "unknown") return refuse(isUnreadable(installation.why));
  if (installation.value.is === "newer") return refuse(isNewer(installation.value.version));
  if (cluster.state === "unknown") return refuse(cannotTell(name, cluster.why));
  const here = installation.value.is === "here" ? installation.value.installation : undefined;
  const state = cluster.value;
  if (state.is === "absent" || state.is === "foreign" || here === undefined) return nothing;
  const unfinished = isUnfinished(here, name);
  const ours = "node" in state ? ownershipOf(state.node, here).whose === "ours" : unfinished;
  if (!ours) return nothing;
  if (done.some(({ action }) => action.do === "cluster.delete")) return refuse(cannotRemove(name, state.members));
  const holdsData = "node" in state && !unfinished && mountAt(state.node, mountPoints.data) === undefined;
  if (holdsData && !deleteData) return nothing;
  return act({ do: "cluster.delete", because: `this installation made cluster ${name}`, cluster: name });
}

function remove(cluster: string): ClusterAction {
  return {
    do: "cluster.remove",
    because: `an earlier run began to make cluster ${cluster} and did not finish`,
    cluster,
  };
}

function act(...actions: readonly ClusterAction[]): Planned<ClusterAction> {
  return { ...nothing, actions };
}

function refuse(...refusals: readonly Finding[]): Planned<ClusterAction> {
  return { ...nothing, refusals };
}
