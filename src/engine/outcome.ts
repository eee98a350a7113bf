import type { Finding } from "./finding.ts";
import type { Ended } from "./run.ts";
import type { Action } from "./plan.ts";
import { exitCodeOf, exitCodes, reasons, type ExitCode } from "./reasons.ts";

/** What a run came to, in one word, for the last line and for `--json`. */
export type State = "healthy" | "unproven" | "degraded" | "planned" | "refused" | "failed" | "interrupted";

export type Outcome = {
  state: State;
  exit: ExitCode;
  /** What ended the run, is in its way, or makes its exit code another than 0: the first tells a program why. */
  failures: readonly Finding[];
  /** What a finished run could not prove, and hints. */
  warnings: readonly Finding[];
};

/** The verdict on a run that ended. Pure; `strict` as with `--strict`, `interrupted` the code of the signal that stopped it. */
export function outcomeOf<Facts, A extends Action>(
  ended: Ended<Facts, A>,
  strict: boolean,
  interrupted: ExitCode = exitCodes.interrupted,
): Outcome {
  const warnings = unique([
    ...ended.done.flatMap(({ proof }) => (proof.state === "known" ? (proof.value.warnings ?? []) : [])),
    ...ended.planned.warnings,
  ]);
  switch (ended.how) {
    case "planned":
      return { state: "planned", exit: exitCodes.done, failures: [], warnings };
    case "refused":
      return {
        state: "refused",
        exit: worst(ended.planned.refusals, strict),
        failures: ended.planned.refusals,
        warnings,
      };
    case "failed": {
      const failures = ended.failure === undefined ? [] : [ended.failure];
      return { state: "failed", exit: worst(failures, strict) || exitCodes.defect, failures, warnings };
    }
    case "stopped":
      return { state: "interrupted", exit: interrupted, failures: [interruption(interrupted)], warnings };
    case "settled": {
      const notProven = ended.done.some(({ proof }) => proof.state === "unknown");
      // What is in place and does not work is degraded, whatever the cause: an image that a new cluster lacks is exit 4,
      // one that a pod of a client waits for is not.
      const works = worst(warnings, strict) === exitCodes.done && !(notProven && strict);
      const unproven = notProven || warnings.some(({ reason }) => exitCodeOf(reason, true) !== exitCodes.done);
      const counts = ({ reason }: Finding) => !works && exitCodeOf(reason, strict) !== exitCodes.done;
      return {
        // Under --strict what is not proven counts as badly, and is no worse.
        state: worst(warnings, false) !== exitCodes.done ? "degraded" : unproven ? "unproven" : "healthy",
        exit: works ? exitCodes.done : exitCodes.degraded,
        failures: warnings.filter(counts),
        warnings: warnings.filter((finding) => !counts(finding)),
      };
    }
  }
}

/** A signal as a reason, for a program that reads how a run ended. */
export function interruption(exit: ExitCode): Finding {
  const reason = exit === exitCodes.terminated ? "TERMINATED" : "INTERRUPTED";
  return { reason, room: "run", says: reasons[reason].means, remedies: [] };
}

/** The first finding that ends a run badly decides: findings come in the order in which a person should mend them. */
function worst(findings: readonly Finding[], strict: boolean): ExitCode {
  return (
    findings.map(({ reason }) => exitCodeOf(reason, strict)).find((code) => code !== exitCodes.done) ?? exitCodes.done
  );
}

/** A wait and the plan after it may tell the same thing. */
function unique(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.reason} ${finding.says}`, finding])).values()];
}
