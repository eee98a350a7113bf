import { randomBytes } from "node:crypto";
import { closeSync, linkSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";

import type { Platform } from "../platform/platform.ts";
import { commandLine } from "../platform/shell.ts";
import { ownProcess, type Processes, type ProcessId } from "../process/processes.ts";
import { fileError, renameOver } from "./atomic.ts";
import { elsewhere, type FolderProblem } from "./folder.ts";
import { readStateFile } from "./read-file.ts";

/** Who holds the lock, as it stands in the file. */
export type Owner = ProcessId & {
  host: string;
  /** ISO 8601. */
  since: string;
  /** What a person typed: "tracebloc install". */
  command: string;
  /** Tells this holding from every other, also from one by the same process. */
  token: string;
};

export type Lock =
  /** `after` is the dead owner whose lock this was. */
  | { state: "ours"; after: Owner | undefined; release(): void }
  /** Somebody else's, or it cannot be told that it is not. */
  | ({ state: "held"; by: Owner | undefined } & FolderProblem)
  /** The file cannot be made: the state directory is full, read-only or closed. */
  | ({ state: "unusable" } & FolderProblem);

export type LockOptions = {
  command: string;
  processes: Processes;
  platform: Platform;
  host?: string;
  now?: () => number;
};

/** An owner's file is whole from the start, but on file systems without hard links: there it is written after it was made. */
const halfWrittenMs = 10_000;

/**
 * Takes the lock of the state directory, without waiting. Stale are a dead process, one whose pid went to another (its
 * start differs), and one of another boot. Unknown is never stale. Never throws.
 */
export async function takeLock(path: string, options: LockOptions): Promise<Lock> {
  const { command, host = hostname(), now = Date.now } = options;
  const me: Owner = { ...ownProcess(), host, since: new Date(now()).toISOString(), command, token: newToken() };
  try {
    return await claim(path, me, { ...options, now });
  } catch (error) {
    const room = { says: "make room there, or let this user write there" };
    const says = fileError("cannot lock", path, error).message;
    return { state: "unusable", says, remedies: [room, elsewhere(options.platform)] };
  }
}

/**
 * Who holds the lock, for those that only look, in the words that a run would be refused with: unknown is held as well.
 * Undefined where nobody does, or where there is nothing to be read. Takes nothing and never throws.
 */
export async function whoHolds(
  path: string,
  options: Omit<LockOptions, "command">,
): Promise<FolderProblem | undefined> {
  const { host = hostname(), now = Date.now } = options;
  try {
    const seen = look(path);
    const me = { ...ownProcess(), host, since: "", command: "", token: "" };
    return seen === undefined ? undefined : await whyHeld(seen, path, me, { ...options, command: "", now });
  } catch {
    return undefined;
  }
}

type Claiming = LockOptions & { now: () => number };

/**
 * A free lock goes to whoever links it first. A stale one may be replaced only by whoever holds the claim to it, which
 * is a lock of its own, named for that very holding: so nobody can remove the lock of somebody who was quicker.
 */
async function claim(path: string, me: Owner, options: Claiming): Promise<Lock> {
  for (let round = 0; round < 5; round++) {
    if (create(path, me)) return ours(path, me, undefined);
    const seen = look(path);
    if (seen === undefined) continue;
    const held = await whyHeld(seen, path, me, options);
    if (held !== undefined) return { state: "held", by: seen.owner, ...held };

    const claimToIt = await claim(`${path}.${seen.token}`, me, options);
    if (claimToIt.state !== "ours") return claimToIt;
    try {
      if (look(path)?.token !== seen.token) continue;
      replace(path, me);
      return ours(path, me, seen.owner);
    } finally {
      claimToIt.release();
    }
  }
  const busy = problem("other runs take and leave the lock all the time", "try again when they have ended");
  return { state: "held", by: undefined, ...busy };
}

function ours(path: string, me: Owner, after: Owner | undefined): Lock {
  const release = () => {
    try {
      if (look(path)?.token === me.token) rmSync(path);
    } catch {
      // It stays as the lock of a process that has ended, which the next run takes over.
    }
  };
  return { state: "ours", after, release };
}

/** Puts the whole file there in one step. False where there is one already. */
function create(path: string, me: Owner): boolean {
  const draft = writeDraft(path, me);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    // NFS may lose the answer to a link that was made.
    if (code === "EEXIST") return statSync(draft).nlink === 2;
    if (withoutHardLinks.has(code)) return createInTwoSteps(path, me);
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** What file systems without hard links (FAT, some shares) answer to one. */
const withoutHardLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EINVAL", "UNKNOWN"]);

function createInTwoSteps(path: string, me: Owner): boolean {
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  try {
    writeFileSync(file, JSON.stringify(me));
  } finally {
    closeSync(file);
  }
  return true;
}

function replace(path: string, me: Owner): void {
  const draft = writeDraft(path, me);
  try {
    renameOver(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function writeDraft(path: string, me: Owner): string {
  const draft = `${path}.${newToken()}.new`;
  try {
    writeFileSync(draft, JSON.stringify(me), { flag: "wx", mode: 0o600 });
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return draft;
}

function newToken(): string {
  return randomBytes(6).toString("hex");
}

type Seen = { owner: Owner | undefined; token: string; writtenAt: number };

/** What lies there; undefined where nothing does. A file that is no owner's is known by its own identity. */
function look(path: string): Seen | undefined {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    const owner = ownerIn(readStateFile(path));
    return { owner, token: owner?.token ?? `${ino}-${size}-${Math.round(mtimeMs)}`, writtenAt: mtimeMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function ownerIn(text: string): Owner | undefined {
  try {
    const { pid, startedAt, host, since, command, token } = JSON.parse(text) as Partial<Record<keyof Owner, unknown>>;
    const texts = [startedAt, host, since, command, token].filter(
      (value): value is string => typeof value === "string",
    );
    if (typeof pid !== "number" || texts.length < 5 || !/^[0-9a-f]+$/.test(String(token))) return undefined;
    return { pid, startedAt, host, since, command, token } as Owner;
  } catch {
    return undefined;
  }
}

/** Why a lock must be left alone, in words for whoever meets it; undefined for a stale one. */
async function whyHeld(seen: Seen, path: string, me: Owner, options: Claiming): Promise<FolderProblem | undefined> {
  const { owner } = seen;
  if (owner === undefined) {
    const isYoung = Math.abs(options.now() - seen.writtenAt) < halfWrittenMs;
    return isYoung ? problem("another run is just taking the lock", "try again in a few seconds") : undefined;
  }
  const isHere = owner.host === me.host || isOfThisBoot(owner, me);
  const alive = isHere ? await options.processes.isAlive(owner) : "unknown";
  if (alive === "no") return undefined;

  const who = `\`${owner.command}\` (process ${owner.pid}${isHere ? "" : ` on ${owner.host}`})`;
  const since = `since ${owner.since.slice(0, 16).replace("T", " ")} UTC`;
  if (alive === "yes") return problem(`${who} is at work ${since}`, "wait until it has ended, then try again");
  const remove = commandLine(options.platform, options.platform.shell === "powershell" ? "Remove-Item" : "rm", path);
  return problem(`${who} holds the lock ${since}, and whether it still runs cannot be told`, "if it does not", remove);
}

function problem(says: string, next: string, command?: string): FolderProblem {
  return { says, remedies: [{ says: next, ...(command !== undefined && { command }) }] };
}

/** A laptop gets other names in other networks; the id of its boot stays. */
function isOfThisBoot(owner: Owner, me: Owner): boolean {
  const boot = (process: ProcessId) => (process.startedAt.includes("/") ? process.startedAt.split("/")[0] : undefined);
  return boot(owner) !== undefined && boot(owner) === boot(me);
}
