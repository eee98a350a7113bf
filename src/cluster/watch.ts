import { within, type Machine } from "../engine/machine.ts";
import type { Command, RunResult } from "../process/runner.ts";
import { isHopeless, progressOf } from "./complaints.ts";

/** How a long call of k3d ended. `hopeless`: we ended it, for a line after which waiting mends nothing. */
export type Watched = { result: RunResult; hopeless: boolean };

const signOfLifeMs = 1000;

/**
 * Runs a long k3d call: says what k3d is at, since when and until when, ends it with the run or on the first Ctrl-C,
 * and earlier where k3d tells that it waits in vain.
 */
export async function watchK3d(on: Machine, command: Command, doing: string): Promise<Watched> {
  const start = on.now();
  const limitMs = within(on, command.timeoutMs);
  const inVain = new AbortController();
  let at = doing;
  const tell = () => on.emit({ type: "wait", room: "cluster", waitingFor: at, sinceMs: on.now() - start, limitMs });
  const onLine = (line: string) => {
    const progress = progressOf(line);
    if (progress !== undefined) at = `${doing}: ${progress}`;
    if (isHopeless(line)) inVain.abort();
  };

  tell();
  const signs = setInterval(tell, signOfLifeMs);
  const signal = AbortSignal.any([on.stop, inVain.signal]);
  const result = await on.runner.run({ ...command, timeoutMs: limitMs, signal, onLine });
  clearInterval(signs);
  return { result, hopeless: inVain.signal.aborted && result.outcome === "cancelled" };
}
