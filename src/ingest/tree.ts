import { lstat, opendir } from "node:fs/promises";

import { whyUnreadable } from "../config/named-files.ts";
import { errnoOf } from "../host/errno.ts";

/** One entry below a folder. `path` is relative to it, with `/` between the names on every platform. */
export type Entry =
  | { path: string; is: "file"; bytes: number; modifiedMs: number }
  | { path: string; is: "folder" }
  | { path: string; is: "link" }
  /** A socket, a pipe or a device; or a name that is no text, so that nothing of ours could say which file is meant. */
  | { path: string; is: "other" };

/** What lies in a folder, by path. `unread` holds what the system did not show, with a clause why; "" is the folder itself. */
export type Tree = { entries: readonly Entry[]; unread: readonly { path: string; why: string }[] };

/**
 * Looks through a folder without following a link, `root` itself included. Undefined where nothing is there. Rejects when
 * `signal` says so, and only then.
 */
export async function readTree(root: string, signal?: AbortSignal): Promise<Tree | undefined> {
  const is = await kindOf(root);
  if (is === "missing") return undefined;
  if (is !== "folder") return { entries: [], unread: [{ path: "", why: is }] };
  const entries: Entry[] = [];
  const unread: { path: string; why: string }[] = [];
  const left = [""];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    signal?.throwIfAborted();
    try {
      for (const entry of await readFolder(root, folder)) {
        entries.push(entry);
        if (entry.is === "folder") left.push(entry.path);
      }
    } catch (error) {
      unread.push({ path: folder, why: whyUnreadable(errnoOf(error) ?? "") });
    }
  }
  const byPath = entries.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return { entries: byPath, unread };
}

/** "folder", "missing", or why it is neither, in a clause. */
async function kindOf(root: string): Promise<string> {
  try {
    const seen = await lstat(root);
    if (seen.isDirectory()) return "folder";
    return seen.isSymbolicLink() ? "is a symbolic link" : "is no folder";
  } catch (error) {
    const code = errnoOf(error) ?? "";
    return code === "ENOENT" ? "missing" : whyUnreadable(code);
  }
}

/** So many at once that the disk is kept busy, and no more open files than a process may have. */
const looksAtOnce = 64;

async function readFolder(root: string, folder: string): Promise<readonly Entry[]> {
  const names: Uint8Array[] = [];
  // As bytes: a name that is no UTF-8 comes out of Node's texts as another name.
  const directory = await opendir(folder === "" ? root : `${root}/${folder}`, { encoding: "buffer" as BufferEncoding });
  for await (const { name } of directory) names.push(name as unknown as Uint8Array);
  const entries: Entry[] = [];
  for (let next = 0; next < names.length; next += looksAtOnce) {
    const some = names.slice(next, next + looksAtOnce);
    entries.push(...(await Promise.all(some.map((name) => look(root, folder, name)))));
  }
  return entries;
}

async function look(root: string, folder: string, bytes: Uint8Array): Promise<Entry> {
  const name = Buffer.from(bytes).toString();
  const path = folder === "" ? name : `${folder}/${name}`;
  if (!Buffer.from(name).equals(bytes)) return { path, is: "other" };
  const seen = await lstat(`${root}/${path}`);
  if (seen.isFile()) return { path, is: "file", bytes: seen.size, modifiedMs: Math.trunc(seen.mtimeMs) };
  if (seen.isDirectory()) return { path, is: "folder" };
  return { path, is: seen.isSymbolicLink() ? "link" : "other" };
}
