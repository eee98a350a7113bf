import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/**
 * Puts a file in place as a whole or not at all, with `mode` from its first byte on; whoever reads sees the old or the
 * new one. A symlink is followed, so that it stays one. Missing folders are made, private. What is there and is no
 * regular file is left: a rename would put a file in the place of /dev/null. Throws an error that names the path and
 * keeps the system's `code`.
 */
export function writeAtomically(path: string, content: string | Uint8Array, mode = 0o600): void {
  let temporary: string | undefined;
  try {
    const target = followed(path);
    if (isDevice(target)) throw new Error("it is no regular file");
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    temporary = join(dirname(target), `.${basename(target)}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`);
    writeSynced(temporary, content, mode, ownerOf(target));
    renameOver(temporary, target);
    syncFolder(dirname(target));
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    throw fileError("cannot write", path, error);
  }
}

/** What a person should read of a failed call: the path, and the system's reason in words where it has common ones. */
export function fileError(doing: string, path: string, error: unknown): NodeJS.ErrnoException {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = (code !== undefined && words[code]) || message;
  return Object.assign(new Error(`${doing} ${path}: ${why}`, { cause: error }), code === undefined ? {} : { code });
}

const words: Readonly<Record<string, string>> = {
  ENOSPC: "no space left on its file system",
  EDQUOT: "the quota of its file system is used up",
  EROFS: "its file system is read-only",
  EACCES: "permission denied",
  EPERM: "not permitted",
  ENOTDIR: "a part of the path is not a folder",
  EEXIST: "a file is where a folder should be",
  EISDIR: "it is a folder",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "too many symbolic links",
};

/** Where a chain of symlinks ends; the last one may point to what does not exist yet. */
function followed(path: string, links = 0): string {
  if (links > 40) throw Object.assign(new Error("too many symbolic links"), { code: "ELOOP" });
  try {
    return followed(resolve(dirname(path), readlinkSync(path)), links + 1);
  } catch (error) {
    // EINVAL: it is no link. UNKNOWN: Windows' word for that on some file systems.
    if (["EINVAL", "ENOENT", "UNKNOWN", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return path;
    throw error;
  }
}

/** Also a pipe or a socket. A folder is told by the system itself. */
function isDevice(path: string): boolean {
  try {
    const seen = statSync(path);
    return !seen.isFile() && !seen.isDirectory();
  } catch {
    return false;
  }
}

type Owner = { uid: number; gid: number };

/** Under sudo a user's file must stay the user's; without root the question does not arise. */
function ownerOf(target: string): Owner | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  return statSync(target, { throwIfNoEntry: false });
}

function writeSynced(path: string, content: string | Uint8Array, mode: number, owner: Owner | undefined): void {
  const file = openSync(path, "wx", mode);
  try {
    if (owner !== undefined && owner.uid !== 0) fchownSync(file, owner.uid, owner.gid);
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Windows refuses while somebody has the target open, a virus scanner for instance: for a moment, mostly. */
const retries = { codes: ["EPERM", "EACCES", "EBUSY"], everyMs: 50, atMost: 20 };

/** Renames, on Windows again and again for a second. `attempt` is for tests. */
export function renameOver(
  from: string,
  to: string,
  os: NodeJS.Platform = process.platform,
  attempt = renameSync,
): void {
  for (let tries = 1; ; tries++) {
    try {
      return attempt(from, to);
    } catch (error) {
      const isPassing = os === "win32" && retries.codes.includes((error as NodeJS.ErrnoException).code ?? "");
      if (!isPassing || tries > retries.atMost) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retries.everyMs);
    }
  }
}

/** So that the name survives a power cut as well. Some file systems and Windows cannot; then nothing is lost but that. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, "r");
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // As said.
  }
}
