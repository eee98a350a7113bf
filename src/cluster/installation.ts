import { randomUUID } from "node:crypto";

import { known, unknown, type Fact } from "../engine/fact.ts";
import { Failure, type Finding } from "../engine/finding.ts";
import { writeAtomically } from "../files/atomic.ts";
import type { StatePaths } from "../files/state.ts";
import { version } from "../platform/version.ts";
import { readStateFile } from "../files/read-file.ts";

/** The shape of `installation.json`. A higher number was written by a program that knows more than this one. */
const format = 1;

/** Who we are on this machine, and which clusters we began to make. */
export type Installation = {
  format: number;
  /** Put on every cluster that we make: what carries it is ours. */
  id: string;
  createdAt: string;
  /** The program that wrote this last. */
  version: string;
  clusters: Readonly<Record<string, Birth>>;
};

/** Written before k3d is called, completed when the cluster has answered: without `readyAt` it may be half made (B09). */
export type Birth = { createdAt: string; readyAt?: string } & Registries;

/** What a node was told of registries when it was made: the mirror, and what tells the certificates apart. */
export type Registries = { mirror?: string; ca?: string };

export type InstallationRecord =
  | { is: "none" }
  | { is: "newer"; version: string }
  | { is: "here"; installation: Installation };

/** What `installation.json` says. A file that cannot be read leaves open what is ours; only a missing one means "nothing yet". */
export function readInstallation({ installation: path }: StatePaths): Fact<InstallationRecord> {
  const how = `read ${path}`;
  let text: string;
  try {
    text = readStateFile(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? known({ is: "none" }, how) : unknown(message, how);
  }
  try {
    return known(readRecord(text), how);
  } catch (error) {
    return unknown(`${path} is not understood: ${error instanceof Error ? error.message : String(error)}`, how);
  }
}

function readRecord(text: string): InstallationRecord {
  const record = JSON.parse(text) as Partial<Installation> | null;
  const { format: written, id, createdAt, version: writer, clusters } = record ?? {};
  if (typeof written !== "number" || typeof writer !== "string") throw new Error("it names no format and no version");
  if (written > format) return { is: "newer", version: writer };
  if (typeof id !== "string" || id === "" || typeof createdAt !== "string") {
    throw new Error("it holds no installation id");
  }
  const installation = { format: written, id, createdAt, version: writer, clusters: readClusters(clusters ?? {}) };
  return { is: "here", installation };
}

/** Without what JavaScript gives every object: a cluster may be called `constructor`. */
function readClusters(clusters: unknown): Installation["clusters"] {
  const isBirth = (birth: unknown) => typeof (birth as Partial<Birth> | null)?.createdAt === "string";
  if (typeof clusters !== "object" || clusters === null || !Object.values(clusters).every(isBirth)) {
    throw new Error("its list of clusters is damaged");
  }
  return Object.assign(Object.create(null) as Record<string, Birth>, clusters);
}

/** True where we began to make this cluster and never saw it ready. */
export function isUnfinished({ clusters }: Installation, cluster: string): boolean {
  const birth = clusters[cluster];
  return birth !== undefined && birth.readyAt === undefined;
}

/** Notes that a cluster is about to be made, and gives the id to label it with: a new one where this is the first. */
export function noteBirth(state: StatePaths, cluster: string, now: Date, told: Registries = {}): string {
  return change(state, now, (clusters) => ({ ...clusters, [cluster]: { createdAt: now.toISOString(), ...told } })).id;
}

/** Notes that a cluster which we began to make has answered. One that was adopted, or noted before, needs no note. */
export function noteReady(state: StatePaths, cluster: string, now: Date): void {
  const seen = readInstallation(state);
  const birth =
    seen.state === "known" && seen.value.is === "here" ? seen.value.installation.clusters[cluster] : undefined;
  if (birth === undefined || birth.readyAt !== undefined) return;
  change(state, now, (clusters) => ({ ...clusters, [cluster]: { ...birth, readyAt: now.toISOString() } }));
}

/** Notes that a cluster is gone. The id stays: it is this machine's, not the cluster's. */
export function noteGone(state: StatePaths, cluster: string, now: Date): void {
  change(state, now, (clusters) => Object.fromEntries(Object.entries(clusters).filter(([name]) => name !== cluster)));
}

function change(
  state: StatePaths,
  now: Date,
  of: (clusters: Installation["clusters"]) => Installation["clusters"],
): Installation {
  const seen = readInstallation(state);
  if (seen.state === "unknown") throw new Failure(isUnreadable(seen.why));
  if (seen.value.is === "newer") throw new Failure(isNewer(seen.value.version));
  const before = seen.value.is === "here" ? seen.value.installation : undefined;
  const { id, createdAt, clusters } = before ?? { id: randomUUID(), createdAt: now.toISOString(), clusters: {} };
  const installation: Installation = { format, id, createdAt, version, clusters: of(clusters) };
  store(state.installation, `${JSON.stringify(installation, null, 2)}\n`);
  return installation;
}

/** Writes a file of our own state, 0600. Throws `Failure` where that is not possible. */
export function store(path: string, content: string): void {
  try {
    writeAtomically(path, content);
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error);
    throw new Failure({ reason: "STATE_UNUSABLE", room: "cluster", says, remedies: [elsewhere] }, error);
  }
}

const elsewhere = { says: "mend that, or let our state lie in another folder, by setting TRACEBLOC_STATE_DIR" };

/** Why the run ends where our own state cannot be read: what is ours could then not be told from what is not. */
export function isUnreadable(why: string): Finding {
  return {
    reason: "STATE_UNUSABLE",
    room: "cluster",
    says: `our own state cannot be read: ${why}`,
    remedies: [
      {
        says: "mend the file's permissions, or move it away; clusters made before are then adopted by their data directory",
      },
    ],
  };
}

/** An older program would not know what a newer one meant, and might undo it. */
export function isNewer(writer: string): Finding {
  return {
    reason: "STATE_NEWER",
    room: "cluster",
    says: `this machine was last set up by tracebloc ${writer}, and this is ${version}`,
    remedies: [{ says: "use that version, or a newer one" }],
  };
}
