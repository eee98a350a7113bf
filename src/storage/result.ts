import type { Mount } from "../host/mounts.ts";
import { causeOf, type Cause } from "./cause.ts";
import { owner, type Directory, type Volume } from "./layout.ts";
import type { Behaviour } from "./probe.ts";
import type { Entry, Found, Looked } from "./report.ts";
import { patience } from "./script.ts";

/** What a run says of one directory. Part of the JSON result. */
export type DirectoryResult = {
  volume: Volume;
  path: string;
  /** `ready` by its mode; `writable by proof` where the mode cannot say it and a trial did. */
  result: "ready" | "writable by proof" | "blocked" | "unknown";
  /** As seen, octal. Undefined where no directory was seen. */
  mode: string | undefined;
  /** As seen: `1000:1000`. Told, not judged: the mode is what lets the workloads in. */
  owner: string | undefined;
  /** The type of the file system that it is on. */
  fileSystem: string | undefined;
  /** What is worth knowing, in one clause. */
  note: string | undefined;
  cause: Cause | undefined;
  /** The path in the node of what is in the way. */
  obstacle: string | undefined;
  /** The commands' own words. */
  said: string;
};

/** True where the mode alone is the proof: exactly the table's, on a mount that can be written. */
export function isExact({ mode }: Directory, { found, mount }: Entry): boolean {
  return found.is === "directory" && found.mode === mode && !isReadOnly(mount);
}

/** True where only a trial can tell: a directory with another mode, on a mount that can be written and that answers. */
export function needsTrial({ directory, seen }: Looked): boolean {
  if (seen.state === "unknown") return false;
  const { found, mount, cause } = seen.value;
  return found.is === "directory" && cause !== "no answer" && !isReadOnly(mount) && !isExact(directory, seen.value);
}

/** A mount that is read-only below the engine carries any mode, and the engine itself calls it writable (B24). */
export function isReadOnly(mount: Mount | undefined): boolean {
  return mount?.options.split(",").includes("ro") ?? false;
}

/** The result for one directory from the last look at it and, where one was made, a trial of its behaviour. Pure. */
export function judge({ directory, seen }: Looked, behaviour?: Behaviour): DirectoryResult {
  const blank = { volume: directory.volume, path: directory.path, ...unseen };
  if (seen.state === "unknown") return { ...blank, result: "unknown", note: seen.why };

  const { found, mount, said } = seen.value;
  const cause = isReadOnly(mount) ? "read-only" : seen.value.cause;
  const shown = { ...blank, ...appearance(found), fileSystem: mount?.type, said };
  if (isExact(directory, seen.value)) return { ...shown, result: "ready", note: strangeOwner(found) };
  if (cause === "no answer") return { ...shown, result: "unknown", cause, note: `no answer within ${patience} s` };
  if (behaviour !== undefined) return { ...shown, ...tried(behaviour, cause, said) };
  if (mayDo(directory, found) && cause !== "read-only") {
    return { ...shown, result: "unknown", note: untried(directory) };
  }
  return { ...shown, result: "blocked", cause, note: sentence(cause, directory, found) };
}

const unseen = {
  mode: undefined,
  owner: undefined,
  fileSystem: undefined,
  cause: undefined,
  obstacle: undefined,
  said: "",
};

function appearance(found: Found): Partial<Pick<DirectoryResult, "mode" | "owner" | "obstacle">> {
  if (found.is === "in the way") return { obstacle: found.step };
  return found.is === "directory" ? { mode: found.mode, owner: `${found.uid}:${found.gid}` } : {};
}

/** The trial says how it is; the commands before it say why: a chmod that failed, or one that succeeded and changed nothing (B03). */
function tried(
  { result, note, said }: Behaviour,
  cause: Cause | undefined,
  before: string,
): Pick<DirectoryResult, "result" | "note" | "cause" | "said"> {
  if (result !== "blocked") return { result, note, cause: undefined, said: before };
  const own = causeOf(said);
  const why = own === undefined || own === "permission" ? (cause ?? "mode ignored") : own;
  return {
    result,
    note: `${note}: ${sentences[why]}`,
    cause: why,
    said: [before, said].filter((text) => text !== "").join("; "),
  };
}

/** True where the mode lets everyone write and, for data, remove: enough on an honest file system. */
function mayDo({ volume }: Directory, found: Found): boolean {
  if (found.is !== "directory" || !found.mode.endsWith("7")) return false;
  const isSticky = Number(found.mode[0]) % 2 === 1;
  return volume === "logs" || !isSticky;
}

function untried({ mode }: Directory): string {
  return `its mode is not ${mode}, and only a trial tells whether it does`;
}

function strangeOwner(found: Found): string | undefined {
  if (found.is !== "directory" || (found.uid === owner.uid && found.gid === owner.gid)) return undefined;
  return `owned by ${found.uid}:${found.gid}`;
}

const sentences: Readonly<Record<Cause, string>> = {
  "read-only": "the mount is read-only",
  "no space": "no space, or no inodes, are left on its disk",
  quota: "the disk quota is used up",
  permission: "the mount does not let the node change it",
  "not supported": "the mount carries no modes",
  "no directory": "what is in its place is no directory",
  symlink: "a symlink is in its place",
  "I/O": "its disk or file server reports an error",
  "no answer": "its disk or file server does not answer",
  "not mounted": "the node has no such mount",
  "mode ignored": "the mount ignores chmod",
};

function sentence(cause: Cause | undefined, { base }: Directory, found: Found): string {
  if (found.is === "in the way") return `${found.step} is ${found.kind}`;
  if (cause === "not mounted") return `the node has no mount at ${base}`;
  const why = cause === undefined ? "" : `, and ${sentences[cause]}`;
  return `it is ${describe(found)}${why}`;
}

/** What was found, as the predicate of a sentence: "0755 and owned by root", "missing". */
export function describe(found: Found): string {
  if (found.is === "directory") return `${found.mode} and owned by ${found.uid === 0 ? "root" : `uid ${found.uid}`}`;
  if (found.is === "in the way") return `blocked: ${found.step} is ${found.kind}`;
  return found.is === "absent" ? "missing" : "unreadable";
}
