import type { Fact } from "./fact.ts";
import type { Finding, Room } from "./finding.ts";
import type { Machine } from "./machine.ts";

/** One change, as data: printable, comparable, journalled. `because` is the observed reason, in a person's words. */
export type Action = { do: string; because: string };

/** What a plan says. With a refusal nothing is done; `then` is what is decided later, after the actions have made more knowable. */
export type Planned<A extends Action> = {
  actions: readonly A[];
  then: readonly string[];
  refusals: readonly Finding[];
  warnings: readonly Finding[];
};

/**
 * What was seen after an action, by a fresh look. `holds` is false where it was done and is still not as it should be,
 * undefined where it is done and nobody could say what of it came.
 */
export type Proof = { holds: boolean | undefined; says: string; warnings?: readonly Finding[] };

/** An action that was performed in this run, and what was seen afterwards. */
export type Done<A extends Action> = { action: A; proof: Fact<Proof> };

/** How one kind of action is done and proven, and which rooms it makes stale or knowable. */
export type Performer<A extends Action> = {
  /** What is being done, for a person: "creating cluster tracebloc". */
  says(action: A): string;
  /** Does it. Throws `Failure` when the run must end; leaves a state from which the next run converges. */
  perform(action: A, on: Machine): Promise<void>;
  /** Looks again. Never throws: what cannot be told is unknown. */
  prove(action: A, on: Machine): Promise<Fact<Proof>>;
  room: Room;
  reveals: readonly Room[];
};

/** One performer for each kind of action. */
export type Performers<A extends Action> = { readonly [Kind in A["do"]]: Performer<Extract<A, { do: Kind }>> };

/** No action, no objection. */
export const nothing: Planned<never> = { actions: [], then: [], refusals: [], warnings: [] };

/** Puts the plans of several rooms behind one another, in the order given. */
export function inOrder<A extends Action>(...plans: readonly Planned<A>[]): Planned<A> {
  return {
    actions: plans.flatMap((plan) => plan.actions),
    then: plans.flatMap((plan) => plan.then),
    refusals: plans.flatMap((plan) => plan.refusals),
    warnings: plans.flatMap((plan) => plan.warnings),
  };
}
