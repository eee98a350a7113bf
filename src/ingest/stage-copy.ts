import { chmod, constants, copyFile, lstat, mkdir, rename, rm, utimes } from "node:fs/promises";

import { Failure, type Finding } from "../engine/finding.ts";
import { errnoOf } from "../host/errno.ts";
import { volumes } from "../storage/layout.ts";
import { partName, type Copy, type Staging } from "./stage.ts";

/** What the ingestion reads as one uid and a deletion removes as another: as open as the directory that it lies in. */
const folderMode = Number.parseInt(volumes.data.mode, 8);
const fileMode = 0o644;

/**
 * Does what was planned, in a folder of this machine: a file takes its name once it is whole, so that a run which is cut
 * off leaves nothing that looks like a copy. `onCopied` is called after each. Throws a Failure; rejects when `signal`
 * says so, between two files.
 */
export async function copyStaging(
  staging: Staging,
  { from, to }: { from: string; to: string },
  { signal, onCopied }: { signal?: AbortSignal; onCopied?: (copy: Copy) => void } = {},
): Promise<void> {
  for (const folder of [to, ...staging.folders.map((path) => `${to}/${path}`)]) {
    await told(folder, () => makeFolder(folder));
  }
  const part = `${to}/${partName}`;
  await told(part, () => rm(part, { force: true }));
  for (const copy of staging.copies) {
    signal?.throwIfAborted();
    await told(`${to}/${copy.path}`, () => copyOne(copy, `${from}/${copy.path}`, part, `${to}/${copy.path}`));
    onCopied?.(copy);
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (errnoOf(error) === "EEXIST" && (await lstat(folder)).isDirectory()) return;
    throw error;
  }
  // A mount that keeps no modes has its own, which the storage proof is about.
  await chmod(folder, folderMode).catch(() => undefined);
}

async function copyOne({ bytes, modifiedMs }: Copy, source: string, part: string, target: string): Promise<void> {
  const isAsSeen = async () => {
    const seen = await lstat(source);
    return seen.isFile() && seen.size === bytes && Math.trunc(seen.mtimeMs) === modifiedMs;
  };
  if (!(await isAsSeen())) throw changed(source);
  await copyFile(source, part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  if ((await lstat(part)).size !== bytes || !(await isAsSeen())) throw changed(source);
  await chmod(part, fileMode).catch(() => undefined);
  await utimes(part, modifiedMs / 1000, modifiedMs / 1000);
  await rename(part, target);
}

function changed(source: string): Failure {
  const says = `${source} changes while it is copied`;
  return new Failure(finding("DATASET_INVALID", says, "run it again when nothing writes there"));
}

async function told(path: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = errnoOf(error) ?? String(error);
    const isFull = code === "ENOSPC" || code === "EDQUOT";
    const reason = isFull ? "NO_SPACE" : "DATASET_IN_THE_WAY";
    const remedy = isFull
      ? "free some, and run it again: what is copied stays"
      : "see who owns it, and run it again: what is copied stays";
    throw new Failure(finding(reason, `${path} cannot be written (${code})`, remedy), error);
  }
}

function finding(reason: Finding["reason"], says: string, remedy: string): Finding {
  return { reason, room: "ingest", says, remedies: [{ says: remedy }] };
}
