import { stat } from "node:fs/promises";

import { ask, notYet, type Fact } from "../engine/fact.ts";
import { within, type Machine } from "../engine/machine.ts";
import type { Command, RunResult } from "../process/runner.ts";
import { inNode } from "./exec.ts";
import { candidatesOf, hostFoldersOf, type Directory, type HostDirs } from "./layout.ts";
import { readReport, type Looked } from "./report.ts";
import { describe } from "./result.ts";
import { inspectScript } from "./script.ts";

/** What is known of a release's directories in the node: every place that each may have. */
export type StorageFacts = { directories: readonly Looked[] };

/**
 * Looks at the directories of a release with one call. Read-only and bounded; needs neither the node's mount table nor
 * the API, so that it runs beside those. Never throws: what cannot be told is unknown.
 */
export async function observeStorage(
  { node, release }: { node: string; release: string },
  on: Machine,
): Promise<StorageFacts> {
  const directories = await look(candidatesOf(release), node, on);
  for (const { directory, seen } of directories) tell(directory, seen, on);
  return { directories };
}

/** The same facts while there is no node to look into. */
export function storageNotYet(release: string, after: string): StorageFacts {
  return { directories: candidatesOf(release).map((directory) => ({ directory, seen: notYet(after) })) };
}

/** One read-only look at directories in the node. */
export async function look(directories: readonly Directory[], node: string, on: Machine): Promise<Looked[]> {
  const result = await runInNode(inNode(node, inspectScript(directories)), on);
  return readReport("seen", directories, result);
}

/** Runs a call within what is left of the run's time. A look is given up when the run is to stop; a change is finished. */
export async function runInNode(command: Command, on: Machine): Promise<RunResult> {
  const timeoutMs = within(on, command.timeoutMs);
  return on.runner.run({ ...command, timeoutMs, ...(command.mutates !== true && { signal: on.stop }) });
}

function tell({ volume, path }: Directory, seen: Looked["seen"], on: Machine): void {
  // The other place that datasets may have is no news where it is not mounted.
  if (seen.state === "known" && seen.value.cause === "not mounted") return;
  const says = seen.state === "known" ? `${path}: ${describe(seen.value.found)}` : seen.why;
  on.emit({ type: "fact", room: "storage", about: volume, state: seen.state, says, ms: Math.round(seen.seen.ms) });
}

/** The release's folders on this machine that are not there yet. A folder that cannot be looked at makes it unknown. */
export async function observeFolders(release: string, dirs: HostDirs): Promise<Fact<readonly string[]>> {
  return ask("look at this machine's folders", async () => {
    const folders = Object.values(hostFoldersOf(release, dirs));
    const missing = await Promise.all(folders.map(isMissing));
    return folders.filter((_, index) => missing[index]);
  });
}

async function isMissing(folder: string): Promise<boolean> {
  try {
    await stat(folder);
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    throw error;
  }
}
