import { unknown, type Fact } from "./fact.ts";
import { Failure, type Finding, type Room } from "./finding.ts";
import type { Journal } from "./journal.ts";
import { isLate, type Machine } from "./machine.ts";
import type { Action, Done, Performer, Performers, Planned, Proof } from "./plan.ts";

/** What a command brings to the loop: how to look, how to decide, how to act. */
export type Program<Facts, A extends Action> = {
  /** Read-only, bounded, parallel. Looks again only at the stale rooms where it has looked before. */
  observe(on: Machine, before?: { facts: Facts; stale: readonly Room[] }): Promise<Facts>;
  /** Pure. Same facts, same plan. `done` is what this run has done so far, so that nothing is tried twice. */
  plan(facts: Facts, done: readonly Done<A>[]): Planned<A>;
  performers: Performers<A>;
  /** Asks a person for what is missing. True: something was answered, plan again. */
  answer?(refusals: readonly Finding[]): Promise<boolean>;
};

/** How a run ended, with the last facts seen: the result is what was seen, not what was attempted. */
export type Ended<Facts, A extends Action> = {
  how: "settled" | "planned" | "refused" | "failed" | "stopped";
  facts: Facts;
  done: readonly Done<A>[];
  planned: Planned<A>;
  failure?: Finding;
};

/** More than any road through the rooms needs; a plan that does not come to an end is a defect. */
const mostStages = 8;

/**
 * The loop: observe, plan, apply, verify, and again while an action has made more knowable.
 * With `dryRun` it ends with the first plan; `command` is what a person runs again to go on. Never throws for what a machine can do wrong: that is in `failure`.
 */
export async function run<Facts, A extends Action>(
  program: Program<Facts, A>,
  on: Machine,
  journal: Journal,
  options: { dryRun: boolean; command: string },
): Promise<Ended<Facts, A>> {
  const done: Done<A>[] = [];
  let facts = await program.observe(on);
  for (let stage = 1; ; stage++) {
    let planned = program.plan(facts, done);
    while (planned.refusals.length > 0 && !options.dryRun && (await program.answer?.(planned.refusals))) {
      planned = program.plan(facts, done);
    }
    // What was given up half way is no fact to decide by.
    if (on.stop.aborted) return { how: "stopped", facts, done, planned };
    on.emit({ type: "plan", stage, actions: planned.actions, then: planned.then });

    const ended = { facts, done, planned };
    if (planned.refusals.length > 0) return { how: "refused", ...ended };
    if (planned.actions.length === 0) return { how: "settled", ...ended };
    if (options.dryRun) return { how: "planned", ...ended };
    if (on.now() >= on.deadline) {
      return { how: "failed", ...ended, failure: deadlinePassed(options.command, stillToDo(planned)) };
    }
    if (stage > mostStages) return { how: "failed", ...ended, failure: notConverged(planned) };

    const applied = await apply(planned.actions, program.performers, done, on, journal);
    if (applied.stopped || applied.during !== undefined) {
      const how = applied.stopped ? "stopped" : "failed";
      const { failure, during, found } = applied;
      const isOver = during !== undefined && isLate(on);
      const told = isOver ? deadlinePassed(options.command, during, found) : failure;
      return { how, ...ended, ...(told && { failure: told }) };
    }
    facts = await program.observe(on, { facts, stale: applied.stale });
  }
}

type Applied = {
  stale: readonly Room[];
  stopped: boolean;
  /** What did not come about, why, and what was seen of it. */
  during?: string;
  failure?: Finding;
  found?: readonly string[];
};

/** Performs actions in order, each in the journal before and after. Ends early when one reveals a room: then it is time to look and plan again. */
async function apply<A extends Action>(
  actions: readonly A[],
  performers: Performers<A>,
  done: Done<A>[],
  on: Machine,
  journal: Journal,
): Promise<Applied> {
  for (const action of actions) {
    if (on.stop.aborted) return { stale: [], stopped: true };
    // The table has one performer for each kind of action; the compiler cannot see that `action` and its entry match.
    const performer = performers[action.do as A["do"]] as unknown as Performer<A>;
    const start = on.now();
    const tell = (phase: "begin" | "end" | "failed", seen?: { says: string; holds?: boolean }) =>
      on.emit({
        type: "action",
        phase,
        room: performer.room,
        action,
        ms: on.now() - start,
        ...(seen ?? { says: performer.says(action) }),
      });

    journal.before(action, performer.says(action));
    tell("begin");
    try {
      await performer.perform(action, on);
    } catch (error) {
      journal.failed(action, error);
      tell("failed");
      if (on.stop.aborted) return { stale: [], stopped: true };
      const failure = findingOf(error, performer.room);
      const found = [failure.says, ...(failure.details ?? [])];
      return { stale: [], stopped: false, failure, found, during: performer.says(action) };
    }
    const proof = await proven(performer, action, on);
    done.push({ action, proof });
    journal.after(action);
    tell("end", seenAfter(proof, performer.says(action), on.stop.aborted));
    if (isLate(on) && !on.stop.aborted && proof.state === "known" && proof.value.holds === false) {
      return { stale: [], stopped: false, found: [proof.value.says], during: performer.says(action) };
    }
    if (performer.reveals.length > 0) return { stale: performer.reveals, stopped: on.stop.aborted };
  }
  return { stale: [], stopped: on.stop.aborted };
}

/** What was given up half way has not failed: whether it would have held could not be told. */
function seenAfter(proof: Fact<Proof>, said: string, stopped: boolean): { says: string; holds?: boolean } {
  if (proof.state === "unknown") return { says: `${said}: not proven: ${proof.why}` };
  const { says, holds } = proof.value;
  if (stopped && holds !== true) return { says: `was ${said}: ${says}` };
  return { says, ...(holds !== undefined && { holds }) };
}

async function proven<A extends Action>(performer: Performer<A>, action: A, on: Machine): Promise<Fact<Proof>> {
  const start = on.now();
  try {
    return await performer.prove(action, on);
  } catch (error) {
    return unknown(error instanceof Error ? error.message : String(error), `look after ${action.do}`, on.now() - start);
  }
}

/** Anything thrown that is no `Failure` is a defect of ours, and says so. */
function findingOf(error: unknown, room: Room): Finding {
  if (error instanceof Failure) return error.finding;
  const says = error instanceof Error ? error.message : String(error);
  return {
    reason: "DEFECT",
    room,
    says,
    remedies: [{ says: "this is a defect of tracebloc; the log of this run tells more" }],
  };
}

/** What was at work, or still to do, when the time of the run was over; `found` is what was seen of it. */
function deadlinePassed(command: string, during: string, found: readonly string[] = []): Finding {
  const again = `tracebloc ${command} --timeout 2h`;
  const remedies = [{ says: "give it more time; it goes on from here", command: again }];
  return {
    reason: "DEADLINE",
    room: "run",
    says: `the time given with --timeout is over: ${during}`,
    ...(found.length > 0 && { details: found }),
    remedies,
  };
}

function stillToDo({ actions }: Planned<Action>): string {
  return `still to do: ${actions.map((action) => action.do).join(", ")}`;
}

function notConverged(planned: Planned<Action>): Finding {
  const actions = planned.actions.map((action) => action.do).join(", ");
  return {
    reason: "NOT_CONVERGED",
    room: "run",
    says: `still to do after ${mostStages} rounds: ${actions}`,
    remedies: [],
  };
}
