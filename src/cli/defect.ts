import { Failure, type Finding } from "../engine/finding.ts";
import { exitCodeOf } from "../engine/reasons.ts";
import { createRedactor } from "../process/redact.ts";
import { toLine } from "../ui/json.ts";
import { bareResult } from "../ui/result.ts";
import { findingLines } from "../ui/text.ts";

/** The end of a run that nothing in it foresaw: told like every other end, with where in the code it came from. */
export function defect(error: unknown, argv: readonly string[]): number {
  const finding = error instanceof Failure ? error.finding : unforeseen(error);
  const exit = exitCodeOf(finding.reason);
  const { redact } = createRedactor();
  const style = { colour: false, width: 80 };
  process.stderr.write(redact(`${findingLines(finding, "failed", style).join("\n")}\n     exit ${exit}\n`));
  if (argv.includes("--json")) {
    process.stdout.write(`${redact(toLine(bareResult(argv[0] ?? "", exit, "failed", [finding])))}\n`);
  }
  return exit;
}

function unforeseen(error: unknown): Finding {
  const { message, stack = "" } = error instanceof Error ? error : new Error(String(error));
  const where = stack
    .split("\n")
    .slice(1, 6)
    .map((line) => line.trim());
  return {
    reason: "DEFECT",
    room: "run",
    says: message,
    details: where,
    remedies: [{ says: "this is a defect of tracebloc: please report these lines" }],
  };
}
