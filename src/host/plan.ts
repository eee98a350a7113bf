import { nothing, type Planned } from "../engine/plan.ts";
import { checkHost } from "./checks/all.ts";
import type { Purpose } from "./checks/check.ts";
import type { HostFacts, HostWishes } from "./facts.ts";

/**
 * What this machine is refused for, all at once, and what it is short of. There is nothing to do here: a machine is its
 * owner's to change.
 */
export function planHost(facts: HostFacts, wishes: HostWishes, before: Purpose = "create"): Planned<never> {
  const outcomes = checkHost(facts, wishes, before);
  return {
    ...nothing,
    refusals: outcomes.flatMap((outcome) => (outcome.is === "refusal" ? [outcome.finding] : [])),
    warnings: outcomes.flatMap((outcome) => (outcome.is === "warning" ? [outcome.finding] : [])),
  };
}
