import type { Holding } from "./cluster-api.ts";
import type { Script } from "./scripted-runner.ts";

/** The names that a first install gives. */
export const release = "tracebloc";
export const node = "k3d-tracebloc-server-0";

/** A cluster as k3d made it. */
export type Cluster = {
  is: "running" | "paused" | "stopped";
  installation: string;
  image: string;
  port: number;
  /** Folders of this machine and where they are in the node. */
  folders: readonly (readonly [source: string, destination: string])[];
  /** Laid over what docker says of the node: a volume in a folder's place, a node that was killed. */
  seen?: { state?: object; restarts?: number; mounts?: readonly object[] };
};

/** What stands behind docker, k3d and helm: changed by their calls as the real ones change it. */
export type World = Holding & {
  cluster: Cluster | undefined;
  /** As the node's directories look: missing, prepared, or spoiled behind the product's back. */
  directories: "missing" | "prepared" | "spoiled";
  /** A mount on which chmod succeeds and changes nothing, and what the workloads may do there all the same. */
  ignoresModes: "open to all" | "closed" | undefined;
  /** Answers that come before all others: faults. */
  faults: Script[];
  /** What the tools answer without faults. */
  answer: Script;
};
