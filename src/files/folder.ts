import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import type { Platform } from "../platform/platform.ts";
import { commandLine, setCommand } from "../platform/shell.ts";
import { fileError } from "./atomic.ts";

/** What is wrong with a folder and what to do about it, in the shape that findings have. */
export type FolderProblem = { says: string; remedies: readonly { says: string; command?: string }[] };

/**
 * Makes a folder that only this user can enter, with what is missing above it, or gives what is in the way. One that is
 * there is tightened to 0700, but refused where somebody else owns it or may have written into it, and where others
 * would be shut out of what is theirs to read. Never throws.
 */
export function makePrivateFolder(path: string, platform: Platform): FolderProblem | undefined {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(path);
    const me = process.geteuid?.();
    if (!platform.posixModes || me === undefined) return undefined;
    if (uid !== me) return belongsToAnother(path, uid, me, platform);
    if ((mode & 0o002) !== 0) return isOpenToAll(path, platform);
    if ((mode & 0o077) !== 0 && holdsOtherThings(path)) return isNotAlone(path, platform);
    if ((mode & 0o077) !== 0) chmodSync(path, 0o700);
    return me === 0 ? undefined : foreignLeftover(path, me, platform);
  } catch (error) {
    return { says: fileError("cannot use the folder", path, error).message, remedies: [elsewhere(platform)] };
  }
}

/** What lies in a state directory of ours; any of it tells one. */
const ourEntries = /^(?:installation\.json|lock|runs|tools|cluster-.*|tracebloc\.ya?ml)$/;

function holdsOtherThings(path: string): boolean {
  const entries = readdirSync(path);
  return entries.length > 0 && !entries.some((name) => ourEntries.test(name));
}

function isNotAlone(path: string, platform: Platform): FolderProblem {
  return {
    says: `${path} holds other things, which other users may read: made private, it would shut them out`,
    remedies: [
      { says: "name a folder of its own, with TRACEBLOC_STATE_DIR" },
      { says: "or, if nobody else needs it, make it private", command: commandLine(platform, "chmod", "700", path) },
    ],
  };
}

/** A remedy for every trouble with the state directory. A relative path in this variable starts at the home directory. */
export function elsewhere(platform: Platform): { says: string; command: string } {
  const command = setCommand(platform, "TRACEBLOC_STATE_DIR", "tracebloc-state");
  return { says: "let our state lie in another folder from now on, such as one in your home", command };
}

function belongsToAnother(path: string, uid: number, me: number, platform: Platform): FolderProblem {
  if (me === 0) {
    return {
      says: `${path} belongs to user ${uid}, and this is root: what root writes there that user could not change`,
      remedies: [{ says: "run the same command as that user" }, elsewhere(platform)],
    };
  }
  return {
    says: `${path} belongs to ${uid === 0 ? "root" : `user ${uid}`}`,
    remedies: [takeBack(path, me, platform), elsewhere(platform)],
  };
}

function isOpenToAll(path: string, platform: Platform): FolderProblem {
  return {
    says: `every user of this machine can write into ${path}`,
    remedies: [{ says: "close it", command: commandLine(platform, "chmod", "700", path) }, elsewhere(platform)],
  };
}

/** A run under sudo leaves files that this user can neither read nor replace, in a folder that looks well. */
function foreignLeftover(path: string, me: number, platform: Platform): FolderProblem | undefined {
  const foreign = readdirSync(path)
    .map((name) => join(path, name))
    .find((entry) => (lstatSync(entry, { throwIfNoEntry: false })?.uid ?? me) !== me);
  if (foreign === undefined) return undefined;
  return {
    says: `${foreign} belongs to another user: a run under sudo has left it`,
    remedies: [takeBack(path, me, platform)],
  };
}

function takeBack(path: string, me: number, platform: Platform): { says: string; command: string } {
  return { says: "make it yours", command: commandLine(platform, "sudo", "chown", "-R", String(me), path) };
}
