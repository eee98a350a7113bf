import { Command, CommanderError, Option } from "commander";

import { optionNames, settings } from "../config/names.ts";
import type { RunOptions, Settings } from "../config/wishes.ts";
import { exitCodes } from "../engine/reasons.ts";
import { version } from "../platform/version.ts";
import { outliveOutput } from "./output.ts";
import { askingForHelp } from "./words.ts";

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
const whichOne = ["cluster", "namespace"] as const satisfies readonly (keyof Settings)[];
const wished = [
  "clientId",
  "dataDir",
  "datasetDir",
  "storageMode",
  "imageRegistry",
  "chart",
  "values",
] as const satisfies readonly (keyof Settings)[];

/**
 * The CLI behind its entry: takes the arguments after the program's name, gives the exit code. Loaded at every start but
 * `--version`: commander, names and texts, nothing else; each command loads what it needs.
 */
export async function main(argv: readonly string[]): Promise<number> {
  outliveOutput();
  let exit: number = exitCodes.done;
  const ending = (code: Promise<number>) => code.then((given) => void (exit = given));
  const program = buildProgram(ending);
  try {
    await program.parseAsync([...askingForHelp(program, argv)], { from: "user" });
    return exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      const { defect } = await import("./defect.ts");
      return defect(error, argv);
    }
    if (error.exitCode === 0) return exitCodes.done;
    // Without a command its help has been shown already.
    if (error.code === "commander.help") return exitCodes.input;
    const { usage } = await import("./usage.ts");
    return usage(error.message, argv, program);
  }
}

/**
 * What is thrown where nobody waits for it would end the process on the spot, with a page of this program's code. It is
 * told like every other defect instead, once, and the run ends as on TERM: at its next safe point.
 */
export function watchForDefects(): void {
  let isTold = false;
  const onThrown = (thrown: unknown) => {
    if (isTold) return;
    isTold = true;
    process.once("exit", () => {
      process.exitCode = exitCodes.defect;
    });
    void tell(thrown);
    process.emit("SIGTERM");
  };
  process.on("uncaughtException", onThrown);
}

async function tell(thrown: unknown): Promise<void> {
  const { tellDefect } = await import("./defect.ts");
  tellDefect(thrown);
}

/** The commands with their flags and help; `ending` takes the exit code of the one that runs. */
export function buildProgram(ending: (code: Promise<number>) => Promise<void>): Command {
  const program = new Command("tracebloc")
    .description(
      "Brings this machine to a working tracebloc client, and keeps it there: run `tracebloc install` again whenever something is wrong.",
    )
    .version(version, "--version", "print the version")
    .addHelpOption(new Option("-h, --help", "show this help"))
    .helpCommand("help [command]", "show the help of a command")
    .exitOverride()
    // Commander leaves a column of less than 40 to the terminal, which breaks words.
    .configureHelp({ minWidthToWrap: 20 })
    // Said in `usage.ts`, as every other thing that is wrong.
    .configureOutput({ outputError: () => {} })
    .addHelpText(
      "after",
      examplesText([
        ["tracebloc install", "the first time, and whenever something is wrong"],
        ["tracebloc plan", "what that would do"],
        ["tracebloc install --help", "its flags; every command has this"],
      ]),
    );

  command(program, "install", {
    about: "bring about a working client, or repair one",
    own: [["--client-password-stdin", "read the client's password from standard input"]],
    settings: [...whichOne, ...wished],
    options: ["force", "strict", "dryRun"],
    examples: [
      ["tracebloc install", "asks for what is missing"],
      ["tracebloc install --data-dir /var/lib/tracebloc", "data on another disk"],
      ["tracebloc install --json --strict", "for a program"],
    ],
  }).action((flags: Flags) => ending(import("./install.ts").then(({ install }) => install(flags))));

  command(program, "plan", {
    about: "say what install would do, and change nothing",
    settings: [...whichOne, ...wished],
    options: ["force", "strict"],
    examples: [["tracebloc plan", "what is missing or wrong, and what would be done"]],
  }).action((flags: Flags) =>
    ending(import("./install.ts").then(({ install }) => install({ ...flags, dryRun: true }, "plan"))),
  );

  command(program, "status", {
    about: "say how the client is (exit code 0 healthy, 6 stopped or degraded, 3 not installed, 4 could not tell)",
    settings: whichOne,
    options: ["strict"],
    examples: [
      ["tracebloc status", "one look, nothing is changed"],
      ["tracebloc status --json", "for a program"],
    ],
  }).action((flags: Flags) => ending(import("./status.ts").then(({ status }) => status(flags))));

  command(program, "doctor", {
    about: "look at everything that can be in the way, and say what to do",
    settings: [...whichOne, "dataDir", "datasetDir"],
    options: ["strict"],
    examples: [["tracebloc doctor", "this machine, its engine, the tools, the client"]],
  }).action((flags: Flags) => ending(import("./doctor.ts").then(({ doctor }) => doctor(flags))));

  command(program, "uninstall", {
    about: "take away what install made; data stays unless it is told to go",
    own: [["--delete-data", "delete the release's data, logs and database as well"]],
    settings: [...whichOne, "dataDir", "datasetDir"],
    options: ["dryRun"],
    examples: [
      ["tracebloc uninstall", "the cluster goes, data stays"],
      ["tracebloc uninstall --delete-data", "data too; asks once more"],
      ["tracebloc uninstall --dry-run", "only say what would go"],
    ],
  }).action((flags: Flags) => ending(import("./uninstall.ts").then(({ uninstall }) => uninstall(flags))));

  command(program, "images", {
    about: "list every image that an installation pulls, those of training included",
    own: [
      ["--plain", "only the images, one a line"],
      ["--mirror <host>", "with where a mirror has to have them"],
      ["--own-cluster", "for plain Helm: your values alone, and no k3s"],
      ["--only <group...>", "of rendered, ingestor, training and cluster"],
      ["--category <name...>", "training images of these categories alone"],
      ["--env <env>", "fail unless the values say so too: prod, stg or dev"],
    ],
    settings: ["namespace", "storageMode", "chart", "values"],
    examples: [
      ["tracebloc images --values site.yaml", "for a new installation"],
      ["tracebloc images --mirror mirror.example.com", "source and target"],
      ["tracebloc images --own-cluster -- -f more.yaml", "what follows -- goes to Helm"],
    ],
  })
    .argument("[helm...]", "behind --: flags of Helm")
    .action((helm: readonly string[], flags: Flags) =>
      ending(import("./images.ts").then(({ images }) => images(flags, helm))),
    );

  const config = program
    .command("config")
    .description("show and write settings")
    .addHelpOption(new Option("-h, --help", "show this help"))
    .helpCommand(false)
    .exitOverride()
    .addHelpText(
      "after",
      examplesText([
        ["tracebloc config show", "what holds now, and why"],
        ["tracebloc config init", "a file to begin with"],
      ]),
    );
  command(config, "show", {
    about: "every setting, its value and where it comes from; secrets masked",
    settings: [...whichOne, ...wished],
    examples: [["tracebloc config show", "what install would use"]],
  }).action((flags: Flags) => ending(import("./config.ts").then(({ showConfig }) => showConfig(flags))));
  command(config, "schema", {
    about: "the JSON Schema of tracebloc.yaml",
    examples: [["tracebloc config schema > tracebloc.schema.json", "for an editor"]],
  }).action((flags: Flags) => ending(import("./config.ts").then(({ printSchema }) => printSchema(flags))));
  command(config, "init", {
    about: "write a commented tracebloc.yaml into this folder",
    examples: [["tracebloc config init", "never overwrites one"]],
  }).action((flags: Flags) => ending(import("./config.ts").then(({ initConfig }) => initConfig(flags))));

  command(program, "kubeconfig", {
    about: "print the path of the cluster's kubeconfig",
    own: [["--merge", "add it to your own kubeconfig, as a context of its own"]],
    settings: ["cluster"],
    examples: [
      ["KUBECONFIG=$(tracebloc kubeconfig) kubectl get pods -A", "leaves yours alone"],
      ["tracebloc kubeconfig --merge", "adds it to yours"],
    ],
  }).action((flags: Flags) => ending(import("./kubeconfig.ts").then(({ kubeconfig }) => kubeconfig(flags))));

  return program;
}

type Parts = {
  about: string;
  /** Flags that only this command has. */
  own?: readonly (readonly [flag: string, about: string])[];
  settings?: readonly (keyof Settings)[];
  options?: readonly (keyof RunOptions)[];
  examples: readonly (readonly [command: string, says: string])[];
};

/** Help shows a command's own flags first, and apart from those that every command has. */
const everywhereGroup = "Everywhere:";

function command(
  parent: Command,
  name: string,
  { about, own = [], settings: ofSettings = [], options = [], examples }: Parts,
): Command {
  const made = parent.command(name).description(about).exitOverride().allowExcessArguments(false);
  const named = [...ofSettings.map((key) => settings[key]), ...options.map((key) => optionNames[key])];
  for (const [flag, says] of own) made.addOption(new Option(flag, says));
  for (const { flag, about: says } of named) if (flag !== undefined) made.addOption(new Option(flag, says));
  for (const key of everywhere) {
    const { flag, about: says } = optionNames[key];
    if (flag !== undefined) made.addOption(new Option(flag, says).helpGroup(everywhereGroup));
  }
  made.addHelpOption(new Option("-h, --help", "show this help").helpGroup(everywhereGroup));
  return made.addHelpText("after", examplesText(examples));
}

/** Commands with what they do: beside them where there is room for all, else below. A command is never folded. */
function examplesText(examples: Parts["examples"]): (shown: { error: boolean; command: Command }) => string {
  return ({ error, command: of }) => {
    const output = of.configureOutput();
    const columns = (error ? output.getErrHelpWidth?.() : output.getOutHelpWidth?.()) ?? 80;
    const width = Math.max(...examples.map(([line]) => line.length));
    const isBeside = examples.every(([, says]) => 2 + width + 3 + says.length <= columns);
    const lines = examples.map(([line, says]) =>
      isBeside ? `  ${line.padEnd(width)}   ${says}` : `  ${line}\n      ${says}`,
    );
    return `\nExamples:\n${lines.join("\n")}`;
  };
}
