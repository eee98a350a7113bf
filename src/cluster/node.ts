/** A container of a cluster, as `docker container ls` shows it. */
export type Member = {
  name: string;
  state: ContainerState;
  /** k3d's word: `server`, `agent`, `loadbalancer`, `registry`, `noRole` (its tools container). */
  role: string;
  /** The installation that made it, from our label. */
  installation: string | undefined;
};

export type ContainerState = "created" | "running" | "paused" | "restarting" | "removing" | "exited" | "dead";

export type Mount = {
  /** `bind` is a folder of the engine's machine; `volume` lives and dies with the engine. */
  type: string;
  destination: string;
  /** As the engine names it: behind a virtual machine that is not how this machine spells it. */
  source: string;
  /** As the caller asked for it (`HostConfig.Binds`), where that can be told. */
  asked: string | undefined;
  writable: boolean;
};

/** The server node, as `docker container inspect` shows it, without the values of its labels and environment: they hold tokens. */
export type Node = {
  name: string;
  /** The cluster that k3d's label names; undefined where k3d did not make this container. */
  cluster: string | undefined;
  installation: string | undefined;
  state: ContainerState;
  createdAt: string;
  /** Undefined where it never started. */
  startedAt: string | undefined;
  /** Of the last end. 137 is a KILL, most often for memory (B20). */
  exitCode: number;
  outOfMemory: boolean;
  restarts: number;
  image: string;
  mounts: readonly Mount[];
  /** Where the Kubernetes API is published. Undefined where it is not. */
  api: Endpoint | undefined;
  /** Names of its environment variables. */
  environment: readonly string[];
};

export type Endpoint = { host: string; port: number };

/** The container that is the server of a cluster: k3d's own naming. */
export function nodeName(cluster: string): string {
  return `k3d-${cluster}-server-0`;
}

/** What is mounted at exactly this path; `/tracebloc2` is not `/tracebloc` (B12). */
export function mountAt(node: Node, destination: string): Mount | undefined {
  return node.mounts.find((mount) => mount.destination === destination);
}

/** The label that makes a cluster ours, set when we create it. Its value is the installation's id. */
export const installationLabel = "tracebloc.installation";

/** Where the data of releases, and datasets kept elsewhere, are mounted in the node. */
export const mountPoints = { data: "/tracebloc", datasets: "/tracebloc-data" } as const;
