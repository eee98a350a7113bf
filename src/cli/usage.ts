import type { Command } from "commander";

import type { Finding, Remedy } from "../engine/finding.ts";
import { exitCodeOf, type ExitCode } from "../engine/reasons.ts";
import { toLine } from "../ui/json.ts";
import { bareResult } from "../ui/result.ts";
import { spell } from "../ui/spelling.ts";
import { endLines, findingLines } from "../ui/text.ts";
import { plainSpelling } from "./here.ts";
import { leadTo } from "./words.ts";

/** A command line that says nothing we know, told like everything else that is wrong. `message` is commander's. */
export function usage(message: string, argv: readonly string[], program: Command): ExitCode {
  const early = flagsBeforeCommand(argv, program);
  const { path } = leadTo(program, early?.rest ?? argv);
  const finding: Finding = {
    reason: "USAGE",
    room: "config",
    says: early?.says ?? sentence(message),
    remedies: [early?.remedy ?? { says: "see what there is", command: ["tracebloc", ...path, "--help"].join(" ") }],
  };
  const spelled = spell(finding, plainSpelling());
  const exit = exitCodeOf(finding.reason);
  const style = { colour: false, width: process.stderr.columns || Number.POSITIVE_INFINITY };
  const lines = [...findingLines(spelled, "failed", style), ...endLines("Nothing was changed.", exit, style)];
  process.stderr.write(`${lines.join("\n")}\n`);
  if (argv.includes("--json")) {
    process.stdout.write(`${JSON.stringify(toLine(bareResult(path.join(" "), exit, "refused", [spelled])))}\n`);
  }
  return exit;
}

type Early = { says: string | undefined; remedy: Remedy | undefined; rest: readonly string[] };

/**
 * Flags where git and docker have them, which no page of help shows there. What follows them is `rest`. Undefined where
 * the first word is no flag, or none that the command takes.
 */
function flagsBeforeCommand(argv: readonly string[], program: Command): Early | undefined {
  const early: string[] = [];
  const all = optionsOf(program);
  for (let takesValue = false; early.length < argv.length;) {
    const word = argv[early.length] ?? "";
    if (!takesValue && !word.startsWith("-")) break;
    takesValue = !takesValue && !word.includes("=") && all.some(({ long, required }) => long === word && required);
    early.push(word);
  }
  if (early.length === 0) return undefined;
  const rest = argv.slice(early.length);
  const { path, at } = leadTo(program, rest);
  const known = new Set(optionsOf(at).map(({ long }) => long));
  const flags = [...early, ...rest].filter((word) => word.startsWith("-")).map((word) => word.split("=")[0] ?? "");
  if (!known.has(flags[0])) return { says: undefined, remedy: undefined, rest };
  const says = `${flags[0]} goes after the command`;
  if (path.length === 0) return { says, remedy: undefined, rest };
  // Anything else that was typed may be a password, and is not repeated.
  const words = [...path, ...early, ...rest.slice(path.length)];
  const isFit = flags.every((flag) => known.has(flag)) && words.every((word) => /^[\w@%+=:,./-]+$/.test(word));
  return { says, remedy: isFit ? { says: "like this", command: ["tracebloc", ...words].join(" ") } : undefined, rest };
}

/** The flags of a command, those of the commands below it included. */
function optionsOf(command: Command): Command["options"] {
  return [...command.options, ...command.commands.flatMap(optionsOf)];
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
