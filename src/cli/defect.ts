import { Failure, type Finding } from "../engine/finding.ts";
import { exitCodeOf } from "../engine/reasons.ts";
import { redactData } from "../process/redact.ts";
import { toLine } from "../ui/json.ts";
import { bareResult } from "../ui/result.ts";
import { spell } from "../ui/spelling.ts";
import { endLines, findingLines } from "../ui/text.ts";
import { plainSpelling } from "./here.ts";
import { redactor } from "./redactor.ts";

/** The end of a run that nothing in it foresaw: told like every other end, with where in the code it came from. */
export function defect(error: unknown, argv: readonly string[]): number {
  const told = error instanceof Failure ? error.finding : unforeseen(error);
  const finding = spell(told, plainSpelling());
  const exit = exitCodeOf(finding.reason);
  const { redact } = redactor;
  const style = { colour: false, width: process.stderr.columns || Number.POSITIVE_INFINITY };
  // What is thrown on purpose up to here comes before anything is done.
  const end = error instanceof Failure ? "Nothing was changed." : "Not finished.";
  const lines = [...findingLines(finding, "failed", style), ...endLines(end, exit, style)];
  process.stderr.write(redact(`${lines.join("\n")}\n`));
  if (argv.includes("--json")) {
    const result = toLine(bareResult(commandOf(argv), exit, "failed", [finding]));
    process.stdout.write(`${JSON.stringify(redactData(result, redact))}\n`);
  }
  return exit;
}

/** The same for what nobody waits for: told, and nothing else. */
export function tellDefect(error: unknown): void {
  const style = { colour: false, width: process.stderr.columns || Number.POSITIVE_INFINITY };
  process.stderr.write(redactor.redact(`${findingLines(unforeseen(error), "failed", style).join("\n")}\n`));
}

/** `config init`, `install`: the words before the first flag. */
function commandOf(argv: readonly string[]): string {
  const flags = argv.findIndex((word) => word.startsWith("-"));
  return argv.slice(0, flags === -1 ? argv.length : flags).join(" ");
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
