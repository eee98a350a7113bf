import type { StatePaths } from "../files/state.ts";
import type { Environment } from "../platform/environment.ts";
import type { Platform } from "../platform/platform.ts";
import type { Runner } from "../process/runner.ts";
import type { Emit } from "./events.ts";

/** The computer the CLI runs on, as the rooms see it: everything that touches the world goes through here, so that a test can stand in for it. */
export type Machine = {
  platform: Platform;
  environment: Environment;
  runner: Runner;
  /** Where our own state lies. Only actions write there. */
  state: StatePaths;
  emit: Emit;
  /** Aborted by the first Ctrl-C or TERM: finish or give up what can be given up, start nothing new. */
  stop: AbortSignal;
  /** When the time of the run is over, on the clock of `now` (milliseconds). */
  deadline: number;
  now(): number;
  /** Resolves after so many milliseconds, or at once when `stop` is aborted. */
  pause(ms: number): Promise<void>;
};

/** The time that a step may take: its own bound, or what is left of the run's. Milliseconds, at least 1. */
export function within(on: Machine, limitMs: number): number {
  return Math.max(1, Math.min(limitMs, on.deadline - on.now()));
}

/** A wait ends one look before its bound: with less left than this nothing more is begun. Milliseconds. */
const leastMs = 1_500;

/** True where the time of the run is over, or as good as. */
export function isLate(on: Machine): boolean {
  return on.deadline - on.now() < leastMs;
}
