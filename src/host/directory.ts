import { access, constants, lstat, stat } from "node:fs/promises";

import type { Platform } from "../platform/platform.ts";
import { errnoOf } from "./errno.ts";

/** What stands where a directory is wished. */
export type Directory = {
  path: string;
  exists: boolean;
  /** The directory itself, or the nearest of its parents that exists: there it would be made. */
  standsOn: string;
  /** Why it cannot be used or made; undefined where nothing speaks against it. */
  hindrance: "not a directory" | "not yours" | "read-only" | undefined;
  /** Numeric owner of `standsOn`; meaningless on Windows. */
  owner: number;
};

/**
 * Looks at a directory without making anything. Throws where not even its parents can be looked at, as with a drive
 * that is not there.
 */
export async function lookAtDirectory(path: string, platform: Platform): Promise<Directory> {
  let at = path;
  for (;;) {
    const seen = await look(at);
    if (seen !== undefined) {
      const hindrance = seen.isDirectory ? await hindranceIn(at) : "not a directory";
      return { path, exists: at === path && seen.isDirectory, standsOn: at, hindrance, owner: seen.owner };
    }
    const parent = platform.path.dirname(at);
    if (parent === at || parent === ".") throw new Error(`${at} does not exist`);
    at = parent;
  }
}

/** Undefined where nothing is there. A parent that is a file is found on the way up; a link to nowhere is in the way. */
async function look(path: string): Promise<{ isDirectory: boolean; owner: number } | undefined> {
  try {
    const seen = await stat(path);
    return { isDirectory: seen.isDirectory(), owner: seen.uid };
  } catch (error) {
    const code = errnoOf(error);
    // What cannot be looked at stands below a parent that can, and that one says "not yours".
    if (code === "EACCES" || code === "ENOTDIR") return undefined;
    if (code !== "ENOENT") throw error;
    const link = await lstat(path).catch(() => undefined);
    return link === undefined ? undefined : { isDirectory: false, owner: link.uid };
  }
}

async function hindranceIn(directory: string): Promise<Directory["hindrance"]> {
  try {
    await access(directory, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return errnoOf(error) === "EROFS" ? "read-only" : "not yours";
  }
}
