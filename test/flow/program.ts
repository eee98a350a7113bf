import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { execa } from "execa";
import { afterAll, beforeAll, onTestFinished } from "vitest";

import type { Result } from "../../src/ui/result.ts";
import { resultIn } from "./command.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What a stub does where its arguments fit: POSIX sh, after the call was noted. */
export type Rules = readonly (readonly [fits: string, does: string])[];

export type Ran = { exit: number | undefined; stdout: string; stderr: string; result: () => Result };

/** A person's machine on which docker, k3d and helm are stubs, and the built program. */
export type Stubbed = {
  folder: string;
  state: string;
  data: string;
  env: Readonly<Record<string, string>>;
  /** Writes a program that stands first on PATH. The first rule whose pattern (of `case`) fits its arguments counts. */
  stub: (tool: string, rules: Rules) => void;
  /** One line for each call of a stub so far: its name and arguments. */
  calls: () => string[];
  start: (args: readonly string[], more?: StartOptions) => ReturnType<typeof launch>;
  run: (args: readonly string[], more?: StartOptions) => Promise<Ran>;
};

export type StartOptions = {
  env?: Readonly<Record<string, string | undefined>>;
  /** Standard input; empty if nothing is said, and kept open by `null`. */
  input?: string | null;
  cwd?: string;
  /** A program that starts ours: it is handed Node, the program and the arguments. */
  through?: (command: readonly string[]) => readonly string[];
};

/** `input` is all of standard input; undefined leaves it open, to be written to. */
function launch(file: string, args: readonly string[], env: Record<string, string>, cwd: string, input?: string) {
  const child = execa(file, args, {
    env,
    cwd,
    stdin: "pipe",
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  child.stdin.on("error", () => {});
  if (input !== undefined) child.stdin.end(input);
  return child;
}

/** The built program, copied: a build that starts meanwhile pulls nothing from under it. For all tests of a file. */
export function useProgram(): () => Stubbed {
  const place = mkdtempSync(join(tmpdir(), "flow-program-"));
  beforeAll(() => {
    if (!existsSync(join(root, "dist", "bin.cjs"))) throw new Error("there is nothing built: npm run build");
    for (const part of ["dist", "charts", "package.json"]) {
      cpSync(join(root, part), join(place, part), { recursive: true });
    }
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));
  return () => stubbed(join(place, "dist", "bin.cjs"));
}

function stubbed(program: string): Stubbed {
  const folder = mkdtempSync(join(tmpdir(), "flow-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [bin, state, data, log] = ["bin", "state", "data", "calls"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  mkdirSync(bin);
  const env = {
    PATH: `${bin}:/usr/bin:/bin`,
    HOME: folder,
    TRACEBLOC_STATE_DIR: state,
    HOST_DATA_DIR: data,
    LANG: "C.UTF-8",
  };
  const start: Stubbed["start"] = (
    args,
    { env: more = {}, input = "", cwd = folder, through = (all: readonly string[]) => all } = {},
  ) => {
    const [file = "", ...rest] = through([process.execPath, program, ...args]);
    const variables = Object.entries({ ...env, ...more }).filter(([, value]) => value !== undefined);
    return launch(file, rest, Object.fromEntries(variables) as Record<string, string>, cwd, input ?? undefined);
  };
  return {
    folder,
    state,
    data,
    env,
    stub: (tool, rules) => {
      const cases = rules.map(([fits, does]) => `${fits})\n${does}\n;;`).join("\n");
      const text = `#!/bin/sh\necho "${tool} $*" >>'${log}'\ncase "$*" in\n${cases}\n*) echo "nobody expects: ${tool} $*" >&2; exit 99 ;;\nesac\n`;
      writeFileSync(join(bin, tool), text, { mode: 0o755 });
    },
    calls: () => (existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : []),
    start,
    run: async (args, more) => {
      const { exitCode, stdout, stderr } = await start(args, more);
      return { exit: exitCode, stdout, stderr, result: () => resultIn(stdout) };
    },
  };
}

/** Prints this, byte by byte as it is. */
export function say(text: string, stream: "stdout" | "stderr" = "stdout"): string {
  const to = stream === "stderr" ? " >&2" : "";
  return `printf '%s' '${text.replaceAll("'", "'\\''")}'${to}`;
}
