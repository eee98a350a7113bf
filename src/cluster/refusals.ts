import type { Wish, Wishes } from "../config/wishes.ts";
import type { Finding, Remedy } from "../engine/finding.ts";
import type { Reason } from "../engine/reasons.ts";
import { memoryNeeds } from "../host/checks/memory.ts";
import type { Platform } from "../platform/platform.ts";
import { commandLine } from "../platform/shell.ts";
import type { Birth } from "./installation.ts";
import { nodeName, type Member, type Node } from "./node.ts";
import type { Difference } from "./ownership.ts";

/** A finding about the cluster. */
export function finding(
  reason: Reason,
  says: string,
  remedies: readonly Remedy[],
  details: readonly string[] = [],
): Finding {
  return { reason, room: "cluster", says, remedies, ...(details.length > 0 && { details }) };
}

/** Whether the cluster exists could not be told, so that nothing may be made or removed. */
export function cannotTell(cluster: string, why: string): Finding {
  return finding("CLUSTER_UNKNOWN", `whether cluster ${cluster} exists could not be told: ${why}`, [
    { says: "see what the engine answers", command: `docker container ls --all --filter label=k3d.cluster=${cluster}` },
  ]);
}

/** A cluster, or merely a container, of this name that nothing shows to be a tracebloc installation of this machine. */
export function notOurs(cluster: string, node: Node, why: string): Finding {
  const remedies = [
    anotherName(cluster),
    { says: "or remove that one, if it is not needed", command: removalOf(node) },
  ];
  return finding(
    "CLUSTER_NOT_OURS",
    `cluster ${cluster} exists and is not a tracebloc cluster of this machine: ${why}`,
    remedies,
    describe(node),
  );
}

/** Parts of a cluster that no run of this installation began. */
export function incomplete(cluster: string, members: readonly Member[]): Finding {
  const parts = members.map(({ name, state }) => `${name} (${state})`).join(", ");
  return finding(
    "CLUSTER_INCOMPLETE",
    `cluster ${cluster} is only half there, and this installation did not make it: ${parts}`,
    [{ says: "remove what is left of it", command: `k3d cluster delete ${cluster}` }, anotherName(cluster)],
  );
}

/** Parts that stay although they were to be removed. */
export function cannotRemove(cluster: string, members: readonly Member[]): Finding {
  const names = members.map(({ name }) => name);
  return finding("CLUSTER_INCOMPLETE", `what is left of cluster ${cluster} could not be removed: ${names.join(", ")}`, [
    { says: "remove it by hand", command: `docker container rm --force --volumes ${names.join(" ")}` },
  ]);
}

const settings = {
  dataDir: { means: "data directory", flag: "--data-dir" },
  datasetDir: { means: "dataset directory", flag: "--dataset-dir" },
  storageMode: { means: "storage mode", flag: "--storage-mode" },
} as const;

/** Something was asked for that is fixed when a cluster is made. Neither side is chosen for the person. */
export function differs(
  cluster: string,
  difference: Difference,
  wishes: Wishes,
  platform: Platform,
  ours: boolean,
): Finding {
  const { setting, wished, found } = difference;
  const { means, flag } = settings[setting];
  const { origin } = wishes[setting];
  const keep: Remedy =
    found === undefined
      ? { says: `keep the cluster as it is: run it again without ${origin.name}` }
      : { says: "keep the cluster as it is", command: commandLine(platform, "tracebloc", "install", flag, found) };
  const anew: Remedy = {
    says: "or let it be made anew; folders of this machine stay: remove it, then run this again",
    command: ours ? "tracebloc uninstall" : `k3d cluster delete ${cluster}`,
  };
  const says = `cluster ${cluster} was made with ${found === undefined ? `no ${means}` : `${means} ${found}`}, and ${origin.name} asks for ${wished}`;
  return finding("CLUSTER_DIFFERS", says, [keep, anew]);
}

/** The port of the Kubernetes API is in use. `free` is the next one that is not, where one was found. */
export function portTaken(wishes: Wishes, free: number | undefined): Finding {
  const { value, origin } = wishes.apiPort;
  const remedies: Remedy[] = [
    { says: "see which container has it", command: `docker container ls --filter publish=${value}` },
    {
      says:
        free === undefined
          ? "name another one with the setting apiPort"
          : `end what uses it, or set ${origin.name} to ${free}, which is free`,
    },
  ];
  const range = free === undefined && origin.from === "default" ? ", and so are the ports after it" : "";
  return finding("PORT_TAKEN", `port ${value} of 127.0.0.1, for the Kubernetes API, is in use${range}`, remedies);
}

/** Who paused it had a reason; only what is ours is woken. */
export function isPaused(cluster: string, paused: readonly string[]): Finding {
  const says = `cluster ${cluster} is paused, and not by this installation`;
  return finding("NODE_PAUSED", says, [{ says: "wake it", command: `docker unpause ${paused.join(" ")}` }]);
}

/** Woken, and paused all the same. */
export function staysPaused(cluster: string, paused: readonly string[]): Finding {
  return finding("NODE_PAUSED", `cluster ${cluster} is still paused after it was woken`, [
    { says: "wake it by hand", command: `docker unpause ${paused.join(" ")}` },
  ]);
}

/** For a node that was killed: by the same figure as the look at the machine beforehand. */
export const moreMemory: Remedy = {
  says: `give the container engine more memory (${memoryNeeds.floorGb} GB at least), or see what else uses it`,
  command: "docker stats --no-stream",
};

/** A node that ends again and again. Exit code 137 is a KILL, as the kernel sends it when memory runs out (B20). */
export function keepsRestarting(node: Node): Finding {
  const logs: Remedy = { says: "see why it ends", command: `docker logs --tail 50 ${node.name}` };
  if (node.outOfMemory || node.exitCode === 137) {
    const says = `${node.name} was killed ${node.restarts} times, as it happens when memory runs out`;
    return finding("NODE_RESTARTING", says, [moreMemory, logs]);
  }
  return finding(
    "NODE_RESTARTING",
    `${node.name} ends and restarts, ${node.restarts} times so far, last with exit code ${node.exitCode}`,
    [logs],
  );
}

/** Started, and some other way than running. */
export function staysDown(cluster: string, node: Node): Finding {
  return finding(
    "CLUSTER_START_FAILED",
    `cluster ${cluster} was started and is not up: ${node.name} is ${node.state}`,
    [{ says: "see why it ended", command: `docker logs --tail 50 ${node.name}` }],
  );
}

/** The API is not ready within its time, or never was: `why` is what it answered, as the end of the sentence. */
export function apiSilent(cluster: string, why: string): Finding {
  return finding("API_NOT_ANSWERING", `the Kubernetes API of cluster ${cluster} ${why}`, [
    { says: "restart the node, then run this again", command: `docker container restart ${nodeName(cluster)}` },
    { says: "or see what it says", command: `docker logs --tail 50 ${nodeName(cluster)}` },
  ]);
}

/** k3d gave no kubeconfig, or one without an address and a certificate that can be used. */
export function noKubeconfig(cluster: string, why: string): Finding {
  return finding("KUBECONFIG_UNUSABLE", `no usable kubeconfig for cluster ${cluster}: ${why}`, [
    { says: "see what k3d gives", command: `k3d kubeconfig get ${cluster}` },
  ]);
}

/** The image of the nodes is fixed when a cluster is made. */
export function otherImage(cluster: string, node: Node, wishes: Wishes): Finding {
  const says = `cluster ${cluster} runs ${node.image}; ${wishes.k3sImage.origin.name} counts for new clusters only`;
  // One that somebody else made is not taken away for a hint.
  return finding("PIN_CHANGED", says, keepOrAnew(node.installation !== undefined));
}

/** What to do about something that a cluster was made without. */
function keepOrAnew(isOurs: boolean): Remedy[] {
  const keep: Remedy = { says: "leave it out: this cluster stays as it was made" };
  const anew: Remedy = {
    says: "or let it be made anew; folders of this machine stay: remove it, then install",
    command: "tracebloc uninstall",
  };
  return isOurs ? [keep, anew] : [keep];
}

/**
 * Where the node itself pulls from, and whom it trusts, is fixed when a cluster is made; what the release pulls follows
 * the mirror at any time. `birth` is what this installation noted then, none where another made it; `ca` tells the certificates
 * apart that are wished for.
 */
export function otherRegistries(
  cluster: string,
  birth: Birth | undefined,
  { imageRegistry, caBundle }: Wishes,
  ca: string | undefined,
): Finding[] {
  const unlike = (
    wish: Wish<unknown>,
    wants: string | undefined,
    has: string | undefined,
    what: string,
    so: string,
  ) => {
    if (wish.value === undefined || wants === has) return [];
    const made = birth === undefined ? "by another" : `with ${has === undefined ? "no" : "other"} ${what}`;
    const says = `cluster ${cluster} was made ${made}: ${wish.origin.name} does not reach its node, so that ${so}`;
    return [finding("MIRROR_IGNORED", says, keepOrAnew(birth !== undefined))];
  };
  return [
    ...unlike(imageRegistry, imageRegistry.value, birth?.mirror, "mirror", "k3s's own images come from elsewhere"),
    ...unlike(caBundle, ca, birth?.ca, "certificates", "pulls that need them fail"),
  ];
}

/** A variable that stands in a profile for years is no reason to refuse; that it has no effect has to be said. */
export function noDataDir(cluster: string, { dataDir }: Wishes): Finding {
  return {
    reason: "CONFIG_IGNORED",
    room: "cluster",
    says: `cluster ${cluster} keeps its data within itself (node-local): ${dataDir.origin.name} has no effect`,
    remedies: [{ says: "leave it out" }],
  };
}

function anotherName(cluster: string): Remedy {
  return { says: "use another name", command: `tracebloc install --cluster ${cluster}-2` };
}

/** k3d removes what k3d made; it does not see anything else. */
function removalOf(node: Node): string {
  return node.cluster === undefined ? `docker container rm --force ${node.name}` : `k3d cluster delete ${node.cluster}`;
}

/** What a person needs to tell whose it is. */
function describe(node: Node): string[] {
  const folders = node.mounts
    .filter(({ type }) => type === "bind")
    .map(({ source, destination }) => `${source} at ${destination}`);
  return [
    `${node.name}: created ${node.createdAt.slice(0, 10)}, ${node.state}, image ${node.image}`,
    `folders of this machine in it: ${folders.length === 0 ? "none" : folders.join(", ")}`,
  ];
}
