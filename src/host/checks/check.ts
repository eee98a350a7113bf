import type { Finding, Remedy } from "../../engine/finding.ts";
import type { Reason } from "../../engine/reasons.ts";
import type { HostFacts, HostWishes } from "../facts.ts";

/**
 * What is about to be done on this machine. A shortage that a new cluster is refused for is only told where one runs
 * already: refusing there would keep a working client from being repaired.
 */
export type Purpose = "create" | "repair";

export type Asked = { facts: HostFacts; wishes: HostWishes; before: Purpose };

/** What came of one check. `skipped` is a question that could not be asked, which is nothing against the machine. */
export type Outcome =
  | { is: "fine"; says: string }
  | { is: "skipped"; says: string }
  | { is: "warning"; says: string; finding: Finding }
  | { is: "refusal"; says: string; finding: Finding };

/** One question about this machine, answered from facts. Pure. */
export type Check = { about: string; check(asked: Asked): Outcome };

/** Nothing is wrong; what was seen. */
export function fine(says: string): Outcome {
  return { is: "fine", says };
}

/** The question could not be asked; why. */
export function skipped(why: string): Outcome {
  return { is: "skipped", says: `not checked: ${why}` };
}

/** Worth a word; nothing is refused for it. */
export function warning(reason: Reason, says: string, remedies: readonly Remedy[] = []): Outcome {
  return { is: "warning", says, finding: { reason, room: "host", says, remedies } };
}

/** Nothing is begun on this machine before it is mended. */
export function refusal(reason: Reason, says: string, remedies: readonly Remedy[]): Outcome {
  return { is: "refusal", says, finding: { reason, room: "host", says, remedies } };
}

/** Too little for something new, and worth a word for what is there already. */
export function shortage(
  before: Purpose,
  reasons: { create: Reason; repair: Reason },
  says: string,
  remedies: readonly Remedy[],
): Outcome {
  return before === "create" ? refusal(reasons.create, says, remedies) : warning(reasons.repair, says, remedies);
}

/** Bytes as a person says them. */
export function gigabytes(bytes: number): string {
  const amount = bytes / 1e9;
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} GB`;
}
