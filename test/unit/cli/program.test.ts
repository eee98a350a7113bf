import type { Command } from "commander";
import { describe, expect, test } from "vitest";

import { buildProgram } from "../../../src/cli/program.ts";

const program = buildProgram(async (code) => void (await code));

/** Every command that a person can type, with the words that lead to it. */
function all(command: Command, path: string): { path: string; command: Command }[] {
  const here = { path, command };
  return [here, ...command.commands.flatMap((child) => all(child, `${path} ${child.name()}`))];
}

const commands = all(program, "tracebloc");
const leaves = commands.filter(({ command }) => command.commands.length === 0);

/** Help as `--help` prints it on a terminal of 80 columns. */
function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 }).outputHelp();
  return text;
}

describe.each(leaves)("$path --help", ({ path, command }) => {
  const help = helpOf(command);
  const examples =
    help
      .split("\nExamples:\n")[1]
      ?.split("\n")
      .filter((line) => line !== "") ?? [];

  test("fits into 80 columns", () => {
    expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test("has examples, each of this command and made of flags that it has", () => {
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const [line = ""] = example.trim().split("   ");
      expect(line).toContain(path);
      const flags = command.options.map(({ long }) => long);
      for (const flag of line.match(/--[\w-]+/g) ?? []) expect(flags).toContain(flag);
    }
  });

  test("has the flags of every command", () => {
    for (const flag of ["--config", "--json", "--quiet", "--verbose", "--yes", "--no-color", "--timeout"]) {
      expect(command.options.map(({ long }) => long)).toContain(flag);
    }
  });
});

test.each(commands)("$path --help has examples, and fits into 80 columns", ({ command }) => {
  const help = helpOf(command);
  expect(help).toMatch(/\nExamples:\n {2}\S/);
  expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

test("the first page names every command in one line or two", () => {
  const help = helpOf(program);
  expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
  for (const { name } of program.commands.map((command) => ({ name: command.name() }))) {
    expect(help).toMatch(new RegExp(`^  ${name} `, "m"));
  }
});
