import type { Room } from "./finding.ts";
import { within, type Machine } from "./machine.ts";

export type Wait<T> = {
  room: Room;
  /** What is waited for, for a person: "mysql-client: pulling image". May change with what was seen last. */
  waitingFor(last: T | undefined): string;
  limitMs: number;
  everyMs: number;
  look(): Promise<T>;
  /** True ends the wait: the thing has come, or it is certain that it will not. */
  over(seen: T): boolean;
};

/**
 * Looks again and again until `over` says so, the bound passes, or the run is asked to stop.
 * Returns what was seen last and whether it was over. Says what it waits for with every look.
 */
export async function waitUntil<T>(wait: Wait<T>, on: Machine): Promise<{ over: boolean; seen: T }> {
  const start = on.now();
  const limitMs = within(on, wait.limitMs);
  let last: T | undefined;
  for (;;) {
    on.emit({ type: "wait", room: wait.room, waitingFor: wait.waitingFor(last), sinceMs: on.now() - start, limitMs });
    const seen = await wait.look();
    if (wait.over(seen)) return { over: true, seen };
    if (on.stop.aborted || on.now() - start + wait.everyMs >= limitMs) return { over: false, seen };
    last = seen;
    await on.pause(wait.everyMs);
  }
}

/**
 * Does `work` with a signal that is aborted when the run is to stop, or after so many milliseconds. A timer of our own:
 * Node 20 forgets an `AbortSignal.timeout` inside `AbortSignal.any` at the next garbage collection, and a backend that
 * never answered then held a run for good.
 */
export async function withLimit<T>(
  on: Machine,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const over = new DOMException("the time for it is over", "TimeoutError");
  const timer = setTimeout(() => limit.abort(over), within(on, limitMs));
  try {
    return await work(AbortSignal.any([on.stop, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}
