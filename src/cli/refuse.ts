import type { Finding } from "../engine/finding.ts";
import { interruption } from "../engine/outcome.ts";
import { exitCodeOf, exitCodes, type ExitCode } from "../engine/reasons.ts";
import { bareResult } from "../ui/result.ts";
import { endLines } from "../ui/text.ts";
import type { Begun } from "./begin.ts";

/** Why a command could not be begun: nothing was changed. Gives the exit code. */
export function refuse({ screen, command, warnings }: Begun, ...findings: readonly Finding[]): ExitCode {
  const exit = exitCodeOf(findings[0]?.reason ?? "USAGE");
  for (const finding of findings) screen.finding(finding, "failed");
  screen.lines(endLines("Nothing was changed.", exit, screen.style));
  screen.result(bareResult(command, exit, "refused", findings.map(screen.spelled), warnings));
  return exit;
}

/** A look that was given up, or a question that was: nothing was changed, and nothing can be told. */
export function interrupted({ screen, command, warnings }: Begun, exit: ExitCode = exitCodes.interrupted): ExitCode {
  screen.lines(endLines("Interrupted. Nothing was changed.", exit, screen.style));
  screen.result(bareResult(command, exit, "interrupted", [interruption(exit)], warnings));
  return exit;
}
