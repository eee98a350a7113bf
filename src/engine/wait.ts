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
