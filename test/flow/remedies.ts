import { exitCodes, exitCodeOf } from "../../src/engine/reasons.ts";
import type { Finding } from "../../src/engine/finding.ts";

/** Findings that can end a run badly and say nothing of what to do: there must be none, wherever they were thrown. */
export function withoutRemedy(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ reason, remedies }) => {
    const exit = exitCodeOf(reason, true);
    // Whoever interrupted knows what to do; the last line says that the same command goes on.
    const wasAsked = exit === exitCodes.interrupted || exit === exitCodes.terminated;
    return exit !== exitCodes.done && !wasAsked && remedies.every(({ says, command = "" }) => says + command === "");
  });
}
