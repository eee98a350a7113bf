import type { Fact } from "../engine/fact.ts";
import type { Wishes } from "../config/wishes.ts";
import type { Directory } from "./directory.ts";
import type { Space } from "./disk.ts";
import type { EngineState } from "./engine.ts";
import type { Standpoint } from "./explain.ts";
import type { Mount } from "./mounts.ts";

/** The wishes that this room is about. */
export type HostWishes = Pick<Wishes, "dataDir" | "datasetDir">;

/** What is known of this machine. What could not be asked because the engine did not answer is unknown, not short (B08). */
export type HostFacts = {
  standpoint: Standpoint;
  engine: Fact<EngineState>;
  machine: { memoryBytes: number; cpus: number };
  /** Whether the engine runs on this machine itself and not in a virtual machine on it. */
  engineIsHere: Fact<boolean>;
  /** The file system of the engine's images and containers. Known only where that is this machine's. */
  engineSpace: Fact<Space>;
  dataDir: Fact<Directory>;
  dataSpace: Fact<Space>;
  dataMount: Fact<Mount>;
  /** Undefined where none is wished. */
  datasetDir: Fact<Directory> | undefined;
  missingHelpers: Fact<readonly MissingHelper[]>;
  /** Undefined where the kernel has no such limits. */
  inotify: Fact<Inotify> | undefined;
};

/** A credential helper that Docker's configuration names and that is not on PATH (B47). */
export type MissingHelper = { helper: string; key: string; file: string };

/** The kernel's limits per user, which k3s and its pods need much of (B38). */
export type Inotify = { instances: number; watches: number };
