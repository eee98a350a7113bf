import type { Child, Processes } from "../process/processes.ts";
import type { Finding } from "./finding.ts";
import type { Machine } from "./machine.ts";
import { waitUntil } from "./wait.ts";

/** Children of earlier runs, by whether they are still at work. */
export type Leftovers = { gone: readonly Child[]; living: readonly Child[]; unknown: readonly Child[] };

/**
 * Waits until the children that an earlier run left behind have ended, within a bound: a Helm that outlived it still
 * holds the release, and a k3d still makes containers. What cannot be told is not waited for.
 */
export async function awaitLeftovers(
  children: readonly Child[],
  isAlive: Processes["isAlive"],
  on: Machine,
  limitMs: number,
): Promise<Leftovers> {
  if (children.length === 0) return { gone: [], living: [], unknown: [] };
  const look = async (): Promise<Leftovers> => {
    const answers = await Promise.all(children.map(async (child) => ({ child, alive: await isAlive(child) })));
    const those = (alive: "yes" | "no" | "unknown") =>
      answers.filter((answer) => answer.alive === alive).map(({ child }) => child);
    return { gone: those("no"), living: those("yes"), unknown: those("unknown") };
  };
  const { seen } = await waitUntil(
    {
      room: "run",
      waitingFor: (last) => `${namesOf(last?.living ?? children)} of an earlier run to end`,
      limitMs,
      everyMs: 500,
      look,
      over: ({ living }) => living.length === 0,
    },
    on,
  );
  return seen;
}

/** Why a run cannot go on beside a child of an earlier one. Undefined where none lives. */
export function stillRuns({ living }: Leftovers): Finding | undefined {
  const [first] = living;
  if (first === undefined) return undefined;
  return {
    reason: "CHILD_STILL_RUNS",
    room: "run",
    says: `${namesOf(living)} of an earlier run is still at work`,
    remedies: [{ says: `wait until process ${first.pid} has ended, then run the same command again` }],
  };
}

function namesOf(children: readonly Child[]): string {
  return children.map(({ about, pid }) => `${about} (process ${pid})`).join(", ");
}
