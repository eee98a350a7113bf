import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll } from "vitest";

import type { RunResult } from "../../src/process/runner.ts";

/** A shell that a node may have, and the programs that it finds there. */
export type ShellUnderTest = { name: string; command: readonly string[]; path: string };

/** All that the scripts may use, whichever shell runs them: k3s's own busybox has these, and neither `timeout` nor `stat`. */
const programs = ["ls", "mkdir", "chown", "chmod", "rm", "sleep", "grep"];

const folder = mkdtempSync(join(tmpdir(), "tracebloc-shells-"));
// Other uids look there too.
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

export const shells: readonly ShellUnderTest[] = [
  { name: "busybox ash", command: ["busybox", "ash"], path: programsOf("busybox", () => whereIs("busybox")) },
  { name: "dash", command: ["dash"], path: programsOf("coreutils", whereIs) },
  { name: "bash", command: ["bash"], path: programsOf("coreutils-too", whereIs) },
].map(({ command: [shell = "", ...args], ...rest }) => ({ ...rest, command: [whereIs(shell), ...args] }));

function programsOf(name: string, target: (program: string) => string): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (const program of programs) symlinkSync(target(program), join(path, program));
  return path;
}

function whereIs(program: string): string {
  return execFileSync("sh", ["-c", 'command -v "$1"', "sh", program], { encoding: "utf8" }).trim();
}

export type Circumstances = {
  /** uid and gid to run as. */
  as?: number;
  cwd?: string;
  /** Programs found before the shell's own. */
  before?: string;
  env?: Record<string, string>;
};

/** Runs a script as the node would: over stdin, without arguments or a terminal. */
export async function runScript(shell: ShellUnderTest, script: string, where: Circumstances = {}): Promise<RunResult> {
  const { as, cwd = "/", before, env = {} } = where;
  const drop = as === undefined ? [] : ["setpriv", `--reuid=${as}`, `--regid=${as}`, "--clear-groups"];
  const [file = "", ...args] = [...drop, ...shell.command];
  const path = before === undefined ? shell.path : `${before}:${shell.path}`;
  const start = performance.now();
  const child = spawn(file === "setpriv" ? whereIs(file) : file, args, {
    cwd,
    env: { PATH: path, ...env },
    detached: true,
  });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  child.stdin.on("error", () => {});
  child.stdin.end(script);
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? (signal === null ? 0 : 128)));
  });
  const ms = performance.now() - start;
  return { outcome: "exited", exitCode, stdout: stdout(), stderr: stderr(), truncated: false, ms };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString("utf8");
}

/** Why a test cannot be made on this machine, or undefined where it can. */
export function whyNotAsRoot(): string | undefined {
  return process.getuid?.() === 0 ? undefined : "needs root: owners and mounts are what it is about";
}
