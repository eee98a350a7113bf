import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";

import { commandLine, quote, setCommand, unsetCommand } from "../../../src/platform/shell.ts";
import { platformOf } from "./personalities.ts";

const linux = platformOf("linux");
const windows = platformOf("windows");
const shells = ["dash", "bash --posix", "bash", "busybox ash"];
const folder = mkdtempSync(join(tmpdir(), "tracebloc-quote-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script in an empty folder, as a person's shell would, and gives what it printed. */
function run(shell: string, script: string, env: Record<string, string> = {}): string {
  const [program = "", ...args] = shell.split(" ");
  const done = spawnSync(program, args, {
    input: script,
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, LC_ALL: "C.UTF-8", ...env },
    encoding: "utf8",
  });
  expect({ status: done.status, stderr: done.stderr }).toEqual({ status: 0, stderr: "" });
  return done.stdout;
}

/** Any text but NUL, rich in what shells care about. */
const hostile = fc.oneof(
  fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "")),
  fc
    .array(
      fc.constantFrom(
        ..."'\"`$\\ \n\t\r;&|<>(){}[]*?!#~=%^@,:+-.a".split(""),
        "$(id)",
        "${HOME}",
        "'\\''",
        "é",
        "\u2019",
        "--",
        "\u001b[0m",
      ),
    )
    .map((parts) => parts.join("")),
);

describe("POSIX quoting", () => {
  test.each(shells)("%s gives back exactly the words that were quoted", (shell) => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 8 }), (words) => {
        const line = commandLine(linux, "printf", "%s\\0", ...words);
        expect(run(shell, `${line}\n`).split("\0").slice(0, -1)).toEqual(words);
      }),
      { numRuns: 60 },
    );
  });

  test.each(shells)("%s sets a variable to exactly the value", (shell) => {
    fc.assert(
      fc.property(hostile, (value) => {
        const script = `${setCommand(linux, "GIVEN", value)}\nprintf '%s' "$GIVEN"\n`;
        expect(run(shell, script)).toBe(value);
      }),
      { numRuns: 40 },
    );
  });

  test.each(shells)("%s takes a variable away", (shell) => {
    const script = `${unsetCommand(linux, "GIVEN")}\nprintf '%s' "\${GIVEN-gone}"\n`;
    expect(run(shell, script, { GIVEN: "x" })).toBe("gone");
  });

  test.each(shells)("%s starts a program whose name looks like an assignment", (shell) => {
    const line = commandLine(linux, "A=1", "x");
    expect(run(shell, `${line} 2>/dev/null; printf '%s' "$?-\${A-unset}"\n`)).toBe("127-unset");
  });

  test.each([
    ["plain", "plain"],
    ["/srv/data", "/srv/data"],
    ["--data-dir=/srv/x", "--data-dir=/srv/x"],
    ["", "''"],
    ["a b", "'a b'"],
    ["it's", "'it'\\''s'"],
    ["~/x", "'~/x'"],
    ["=ls", "'=ls'"],
  ])("%j is typed as %s", (word, typed) => {
    expect(quote("sh", word)).toBe(typed);
  });
});

/** How PowerShell reads a text in single quotes: any of its five marks ends it, two in a row stand for the second. */
function readSingleQuoted(typed: string): string {
  const inner = typed.slice(1, -1);
  expect(inner.replace(/(['‘’‚‛])['‘’‚‛]/g, "")).not.toMatch(/['‘’‚‛]/);
  return inner.replace(/['‘’‚‛](['‘’‚‛])/g, "$1");
}

describe("PowerShell quoting", () => {
  test("a quoted word reads back as what it was", () => {
    fc.assert(
      fc.property(hostile, (word) => {
        const typed = quote("powershell", word);
        expect(typed.startsWith("'") ? readSingleQuoted(typed) : typed).toBe(word);
      }),
    );
  });

  test.each([
    ["C:\\Users\\mia\\.tracebloc", "C:\\Users\\mia\\.tracebloc"],
    ["C:\\Program Files\\x", "'C:\\Program Files\\x'"],
    ["it's", "'it''s'"],
    ["it\u2019s", "'it\u2019\u2019s'"],
    ["--data-dir", "--data-dir"],
    ["-a.b", "'-a.b'"],
    ["-a:b", "'-a:b'"],
    ["a,b", "'a,b'"],
    ["@x", "'@x'"],
    ["$env:X", "'$env:X'"],
    ["", "''"],
  ])("%j is typed as %s", (word, typed) => {
    expect(quote("powershell", word)).toBe(typed);
  });

  test("a quoted program needs the call operator, or PowerShell prints its name", () => {
    expect(commandLine(windows, "C:\\Program Files\\x.exe", "install")).toBe("& 'C:\\Program Files\\x.exe' install");
    expect(commandLine(windows, "tracebloc", "install")).toBe("tracebloc install");
  });

  test("variables are set and taken away in its own words", () => {
    expect(setCommand(windows, "HOST_DATA_DIR", "D:\\it's")).toBe("$env:HOST_DATA_DIR = 'D:\\it''s'");
    expect(unsetCommand(windows, "HOST_DATA_DIR")).toBe("Remove-Item Env:HOST_DATA_DIR");
  });
});
