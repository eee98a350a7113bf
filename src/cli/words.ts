import type { Command } from "commander";

/** How far the words of a command line lead: the command, the words that name it, and the one that names none below it. */
export type Lead = { at: Command; path: readonly string[]; stray: string | undefined };

/** Follows the words of a command line as far as they name commands; flags among them are passed over. Pure. */
export function leadTo(program: Command, argv: readonly string[]): Lead {
  let at = program;
  const path: string[] = [];
  for (const word of argv.filter((one) => !one.startsWith("-"))) {
    const below = at.commands.find((command) => command.name() === word);
    if (below === undefined) return { at, path, stray: at.commands.length > 0 ? word : undefined };
    at = below;
    path.push(word);
  }
  return { at, path, stray: undefined };
}

/**
 * The same command line with every way to ask for help as one, `config show --help`; and without it where a word names no
 * command. Commander would show the help of everything there, as if nothing were wrong.
 */
export function askingForHelp(program: Command, argv: readonly string[]): readonly string[] {
  const isHelp = (word: string) => word === "--help" || word === "-h";
  const leads = argv[0] === "help" || isHelp(argv[0] ?? "");
  const words = leads ? argv.slice(1) : argv;
  if (!leads && (!argv.some(isHelp) || argv[0]?.startsWith("-") === true)) return argv;
  const { path, stray } = leadTo(program, words);
  return stray === undefined ? [...path, "--help"] : [...path, stray];
}
