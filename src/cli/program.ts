import { Command, CommanderError, Option } from "commander";

import { flagOf, optionNames, settings } from "../config/names.ts";
import type { RunOptions, Settings } from "../config/wishes.ts";
import { exitCodes } from "../engine/reasons.ts";
import { version } from "../platform/version.ts";

/** What commander hands over: flags by their property name, as typed. */
export type Flags = Readonly<Record<string, unknown>>;

const everywhere = [
  "config",
  "json",
  "quiet",
  "verbose",
  "yes",
  "color",
  "timeoutMs",
] as const satisfies readonly (keyof RunOptions)[];
const whichOne = ["namespace", "cluster"] as const satisfies readonly (keyof Settings)[];
const wished = [
  "clientId",
  "dataDir",
  "datasetDir",
  "storageMode",
  "chart",
  "values",
] as const satisfies readonly (keyof Settings)[];

/**
 * The CLI behind its entry: takes the arguments after the program's name, gives the exit code. Loaded at every start but
 * `--version`: commander, names and texts, nothing else; each command loads what it needs.
 */
export async function main(argv: readonly string[]): Promise<number> {
  let exit: number = exitCodes.done;
  const ending = (code: Promise<number>) => code.then((given) => void (exit = given));
  const program = buildProgram(ending);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return usageExit(error, argv);
    const { defect } = await import("./defect.ts");
    return defect(error, argv);
  }
}

function buildProgram(ending: (code: Promise<number>) => Promise<void>): Command {
  const program = new Command("tracebloc")
    .description(
      "Brings this machine to a working tracebloc client, and keeps it there: run `tracebloc install` again whenever something is wrong.",
    )
    .version(version, "--version", "print the version")
    .helpCommand("help [command]", "show help for a command")
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(asSentence(text)) });

  command(
    program,
    "install",
    "bring about a working client, or repair one",
    [
      ["tracebloc install", "asks for what is missing"],
      ["tracebloc install --data-dir /var/lib/tracebloc", "data on another disk"],
      ["TRACEBLOC_CLIENT_ID=… TRACEBLOC_CLIENT_PASSWORD=… tracebloc install --json --strict", "for a program"],
    ],
    [...whichOne, ...wished],
    ["force", "strict", "dryRun"],
  )
    .option("--client-password-stdin", "read the client's password from standard input")
    .action((flags: Flags) => ending(import("./install.ts").then(({ install }) => install(flags))));

  command(
    program,
    "plan",
    "say what install would do, and change nothing",
    [["tracebloc plan", "what is missing or wrong, and what would be done"]],
    [...whichOne, ...wished],
    ["force", "strict"],
  ).action((flags: Flags) =>
    ending(import("./install.ts").then(({ install }) => install({ ...flags, dryRun: true }, "plan"))),
  );

  command(
    program,
    "status",
    "say how the client is: 0 healthy, 6 stopped or degraded, 3 not installed, 4 could not tell",
    [
      ["tracebloc status", "one look, nothing is changed"],
      ["tracebloc status --json", "for a program"],
    ],
    whichOne,
    ["strict"],
  ).action((flags: Flags) => ending(import("./status.ts").then(({ status }) => status(flags))));

  command(
    program,
    "doctor",
    "look at everything that can be in the way, and say what to do",
    [["tracebloc doctor", "this machine, the engine, the cluster and the client"]],
    [...whichOne, "dataDir", "datasetDir"],
    ["strict"],
  ).action((flags: Flags) => ending(import("./doctor.ts").then(({ doctor }) => doctor(flags))));

  command(
    program,
    "uninstall",
    "take away what install made; data stays unless it is told to go",
    [
      ["tracebloc uninstall", "the cluster that install made goes, data stays"],
      ["tracebloc uninstall --delete-data", "data too; asks once more"],
      ["tracebloc uninstall --dry-run", "only say what would go"],
    ],
    whichOne,
    ["dryRun"],
  )
    .option("--delete-data", "delete the release's data and logs as well")
    .action((flags: Flags) => ending(import("./uninstall.ts").then(({ uninstall }) => uninstall(flags))));

  const config = program.command("config").description("show and write settings").exitOverride();
  command(
    config,
    "show",
    "every setting, its value and where it comes from; secrets masked",
    [["tracebloc config show", "what install would use"]],
    [...whichOne, ...wished],
    [],
  ).action((flags: Flags) => ending(import("./config.ts").then(({ showConfig }) => showConfig(flags))));
  command(
    config,
    "schema",
    "the JSON Schema of tracebloc.yaml",
    [["tracebloc config schema > tracebloc.schema.json", "for an editor"]],
    [],
    [],
  ).action((flags: Flags) => ending(import("./config.ts").then(({ printSchema }) => printSchema(flags))));
  command(
    config,
    "init",
    "write a commented tracebloc.yaml here",
    [["tracebloc config init", "never overwrites one"]],
    [],
    [],
  ).action((flags: Flags) => ending(import("./config.ts").then(({ initConfig }) => initConfig(flags))));

  command(
    program,
    "kubeconfig",
    "print the path of the cluster's kubeconfig",
    [
      ["KUBECONFIG=$(tracebloc kubeconfig) kubectl get pods -A", "without touching your own"],
      ["tracebloc kubeconfig --merge", "add the cluster to your own kubeconfig"],
    ],
    whichOne,
    [],
  )
    .option("--merge", "add it to your own kubeconfig, as a context of its own")
    .action((flags: Flags) => ending(import("./kubeconfig.ts").then(({ kubeconfig }) => kubeconfig(flags))));

  return program;
}

function command(
  parent: Command,
  name: string,
  about: string,
  examples: readonly (readonly [command: string, says: string])[],
  settingNames: readonly (keyof Settings)[],
  optionKeys: readonly (keyof RunOptions)[],
): Command {
  const made = parent.command(name).description(about).exitOverride().allowExcessArguments(false);
  for (const key of settingNames) add(made, settings[key]);
  for (const key of [...optionKeys, ...everywhere]) add(made, optionNames[key]);
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, says]) => `  ${line.padEnd(width)}   ${says}`);
  return made.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

function add(to: Command, { flag, about }: { flag?: string; about: string }): void {
  if (flag !== undefined) to.addOption(new Option(flag, about));
}

/** `error: unknown option '--nmespace'` and what was meant: the text is commander's, the way on is ours. */
function asSentence(text: string): string {
  return `${text.replace(/^error: /, "tracebloc: ").trimEnd()}\nSee what there is:   tracebloc --help\n`;
}

/** Help and version end well; everything else about the command line is wrong input. A program that asked for JSON gets a result too. */
function usageExit({ code, exitCode, message }: CommanderError, argv: readonly string[]): number {
  if (exitCode === 0) return exitCodes.done;
  if (code === "commander.help") return exitCodes.input;
  if (argv.includes(flagOf(optionNames.json) ?? "")) {
    const failure = { reason: "USAGE", room: "config", says: message.replace(/^error: /, ""), remedies: [] };
    process.stdout.write(
      `${JSON.stringify({ v: 1, type: "result", ok: false, exit: exitCodes.input, state: "refused", failures: [failure], warnings: [] })}\n`,
    );
  }
  return exitCodes.input;
}
