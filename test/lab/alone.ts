import { writeFileSync } from "node:fs";

import { takeLock } from "../../scripts/lab/lock.mjs";
import { labMark, untilTheEnd } from "../../scripts/test/folder.mjs";

let release: (() => void) | undefined;

/**
 * One run of the lab's tests at a time, whichever checkout it is of: clusters have names, and what bears the name of a
 * test's cluster is cleared away as the leftover of an earlier run. `npm test` keeps the lab until it has cleared away
 * itself what an interrupted vitest left.
 */
export async function setup(): Promise<void> {
  const mark = labMark();
  const until = mark === undefined ? {} : { until: untilTheEnd };
  release = await takeLock("tests.lock", "another run of the lab's tests is at work", until);
  if (mark !== undefined) writeFileSync(mark, "");
}

export function teardown(): void {
  release?.();
}
