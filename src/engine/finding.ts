import type { Reason } from "./reasons.ts";

/** The parts of the product, in the order in which they come about. Lines on the screen and `--json` carry these names. */
export const rooms = ["config", "host", "tools", "cluster", "storage", "release", "ingest", "run"] as const;
export type Room = (typeof rooms)[number];

/** What a person does next: a few words, and a command that works when pasted here. */
export type Remedy = { says: string; command?: string };

/** Something that is not as it should be: what, why, and what to do. Data, so that a screen, a log and a program get the same. */
export type Finding = {
  reason: Reason;
  room: Room;
  /** One short sentence without a full stop, naming the thing. */
  says: string;
  remedies: readonly Remedy[];
  /** Lines of evidence: the tool's own words, a log's tail. Redacted. */
  details?: readonly string[];
};

/** An action that could not be done, or a question that must end the run. Carries a finding; mapped to an exit code once, in `cli`. */
export class Failure extends Error {
  readonly finding: Finding;
  constructor(finding: Finding, cause?: unknown) {
    super(finding.says, cause === undefined ? undefined : { cause });
    this.name = "Failure";
    this.finding = finding;
  }
}
