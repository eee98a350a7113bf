import { chmodSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { directoriesOf, type Directory } from "../../src/storage/layout.ts";
import { readReport, type Entry, type Word } from "../../src/storage/report.ts";
import { inspectScript, prepareScript } from "../../src/storage/script.ts";
import { runScript, type Circumstances, type ShellUnderTest } from "./shells.ts";

/** A folder that plays the node's mount, with a neighbour that nothing may touch. */
export type Base = { path: string; outside: string; remove(): void };

export function makeBase(): Base {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tracebloc-base-")));
  chmodSync(folder, 0o755);
  const [path, outside] = [join(folder, "base"), join(folder, "outside")];
  for (const each of [path, outside]) mkdirSync(each);
  return { path, outside, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function directoriesIn(base: Base, release = "rel"): Directory[] {
  return directoriesOf(release, base.path, base.path);
}

/** Runs one of the two scripts and reads its report, as the product does. */
export async function report(
  word: Word,
  shell: ShellUnderTest,
  directories: readonly Directory[],
  where: Circumstances & { seconds?: number } = {},
) {
  const script = word === "seen" ? inspectScript : prepareScript;
  const result = await runScript(shell, script(directories, where.seconds), where);
  return { result, looked: readReport(word, directories, result) };
}

/** What is known of one directory; fails where it is unknown. */
export function entryOf({ looked }: Awaited<ReturnType<typeof report>>, index: number): Entry {
  const seen = looked[index]?.seen;
  if (seen?.state !== "known") throw new Error(`unknown: ${seen?.why ?? "nothing"}`);
  return seen.value;
}

/** Type and mode as the kernel has them, the truth that a report is held against. */
export function modeOf(path: string): string {
  return (lstatSync(path).mode & 0o7777).toString(8).padStart(4, "0");
}
