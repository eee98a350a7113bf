import type { Finding } from "../engine/finding.ts";
import { exitCodeOf, type ExitCode } from "../engine/reasons.ts";
import { toLine } from "../ui/json.ts";
import { bareResult } from "../ui/result.ts";
import { spell } from "../ui/spelling.ts";
import { findingLines } from "../ui/text.ts";
import { plainSpelling } from "./here.ts";

const commands = ["install", "plan", "status", "doctor", "uninstall", "config", "kubeconfig"];

/** A command line that says nothing we know, told like everything else that is wrong. `message` is commander's. */
export function usage(message: string, argv: readonly string[]): ExitCode {
  const command = commands.find((name) => name === argv[0]);
  const finding: Finding = {
    reason: "USAGE",
    room: "config",
    says: sentence(message),
    remedies: [{ says: "see what there is", command: `tracebloc ${command ?? ""} --help`.replace("  ", " ") }],
  };
  const spelled = spell(finding, plainSpelling());
  const exit = exitCodeOf(finding.reason);
  const style = { colour: false, width: process.stderr.columns || Number.POSITIVE_INFINITY };
  process.stderr.write(
    `${[...findingLines(spelled, "failed", style), `Nothing was changed.     exit ${exit}`].join("\n")}\n`,
  );
  if (argv.includes("--json")) {
    process.stdout.write(`${JSON.stringify(toLine(bareResult(command ?? "", exit, "refused", [spelled])))}\n`);
  }
  return exit;
}

/** "error: unknown option '--nmespace'\n(Did you mean --namespace?)" in one line, as findings are. */
function sentence(message: string): string {
  return (
    message
      .replace(/^error: /, "")
      // Whatever was to be set there: it may be a password, on a flag that there is for good reason not.
      .replace(/^(unknown option '[^'=]*)=.*?'(?=\n|$)/s, "$1'")
      .replace(/\n\(Did you mean (.*)\?\)$/s, (_, meant: string) => `; did you mean ${meant}?`)
      .replace(/^too many arguments for '(.*)'\. Expected.*$/s, "$1 takes flags and no other words")
      .trim()
  );
}
