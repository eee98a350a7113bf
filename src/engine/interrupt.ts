import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

import type { Machine } from "./machine.ts";
import { exitCodes, type ExitCode } from "./reasons.ts";

/**
 * What asks this program to end, and the exit code that goes with it. A closed terminal (SIGHUP) is meant like TERM.
 * Windows has no TERM; there Ctrl-C and Ctrl-Break reach the children as well, since they share the console, and after
 * a closed window (SIGHUP) the system leaves about five seconds.
 */
export const endings = {
  SIGINT: exitCodes.interrupted,
  SIGBREAK: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.terminated,
} as const satisfies Record<string, ExitCode>;

export type EndingSignal = keyof typeof endings;

export type Interrupts = {
  /** Aborted by the first signal: finish or give up what can be given up, start nothing new. */
  stop: AbortSignal;
  /** The exit code of the first signal, once there was one. */
  exitCode(): ExitCode | undefined;
  /**
   * The work is over, and this is its exit code. Whoever presses once more while the program leaves gets that code:
   * listening no more would let the signal end the program, and the code of the first would be lost.
   */
  over(code: ExitCode): void;
};

export type InterruptOptions = {
  /** `process`, or what plays it in a test. */
  source: {
    on(name: EndingSignal, listener: () => void): unknown;
  };
  /** The first signal came: tell what is waited for, and that a second forces. */
  stopping?: (signal: EndingSignal) => void;
  /** The second: end what runs, as quickly as its grace allows. Afterwards the program is left. */
  force: (signal: EndingSignal) => Promise<void>;
  /** Leaves the program at once. A third signal comes to this without waiting: what still runs stands in the journal. */
  leave: (code: ExitCode) => void;
  now?: () => number;
};

/** npm passes on a Ctrl-C that the terminal has sent us already: under npx one key press is two signals. */
const oneKeyPressMs = 200;

/** Turns signals into an orderly end: the first stops, the second forces, the third leaves. */
export function watchInterrupts({
  source,
  stopping,
  force,
  leave,
  now = () => performance.now(),
}: InterruptOptions): Interrupts {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  let first: EndingSignal | undefined;
  let count = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  let ended: ExitCode | undefined;

  const onSignal = (signal: EndingSignal) => {
    if (now() - lastAt < oneKeyPressMs) return;
    lastAt = now();
    if (ended !== undefined) return leave(ended);
    count += 1;
    first ??= signal;
    const code = endings[first];
    if (count === 1) {
      stop.abort();
      stopping?.(signal);
    } else if (count === 2) {
      void force(signal).then(
        () => leave(code),
        () => leave(code),
      );
    } else {
      leave(code);
    }
  };
  for (const name of Object.keys(endings) as EndingSignal[]) source.on(name, () => onSignal(name));
  return {
    stop: stop.signal,
    exitCode: () => (first === undefined ? undefined : endings[first]),
    over: (code) => void (ended = code),
  };
}

/** The clock of a `Machine`: milliseconds that only go forward, and a pause that ends at once when the run is asked to stop. */
export function clock(stop: AbortSignal): Pick<Machine, "now" | "pause"> {
  return {
    now: () => performance.now(),
    async pause(ms) {
      // Rejects only because of `stop`.
      await sleep(ms, undefined, { signal: stop }).catch(() => {});
    },
  };
}
