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

/** Help as `--help` prints it on a terminal of so many columns. */
function helpOf(command: Command, columns = 80): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => columns }).outputHelp();
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

describe.each([100, 80, 60])("on a terminal of %i columns", (columns) => {
  test.each(commands)("$path --help has examples, and fits", ({ command }) => {
    const help = helpOf(command, columns);
    expect(help).toMatch(/\nExamples:\n {2}\S/);
    expect(help.split("\n").filter((line) => line.length > columns)).toEqual([]);
  });
});

test("a flag that takes a duration shows how one is written", () => {
  for (const { command } of leaves) expect(helpOf(command, 200)).toMatch(/--timeout <duration> .*\(10m, 600s\)/);
});

test("the first page names every command in one line or two", () => {
  const help = helpOf(program);
  expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
  for (const { name } of program.commands.map((command) => ({ name: command.name() }))) {
    expect(help).toMatch(new RegExp(`^  ${name} `, "m"));
  }
});
