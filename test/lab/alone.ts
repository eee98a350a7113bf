import { takeLock } from "../../scripts/lab/lock.mjs";

let release: (() => void) | undefined;

/**
 * One run of the lab's tests at a time, whichever checkout it is of: clusters have names, and what bears the name of a
 * test's cluster is cleared away as the leftover of an earlier run.
 */
export async function setup(): Promise<void> {
  release = await takeLock("tests.lock", "another run of the lab's tests is at work");
}

export function teardown(): void {
  release?.();
}
