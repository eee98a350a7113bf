import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

import { execaRunner, type RunnerOptions } from "../../../src/process/execa-runner.ts";
import type { Child } from "../../../src/process/processes.ts";
import { createRedactor } from "../../../src/process/redact.ts";
import type { Call, Command } from "../../../src/process/runner.ts";

/** The path of a fixture program. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/process/${name}`, import.meta.url));
}

export const sh = (name: string, ...args: string[]) =>
  ({ file: "sh", args: [fixture(name), ...args], about: name, timeoutMs: 9_000 }) satisfies Command;
export const node = (name: string, ...args: string[]) =>
  ({ file: process.execPath, args: [fixture(name), ...args], about: name, timeoutMs: 9_000 }) satisfies Command;

/** A runner with what it told of each call, of each child and of nothing else. Whatever it started is ended with the test. */
export function realRunner(options: Partial<RunnerOptions> = {}) {
  const redactor = createRedactor();
  const calls: Call[] = [];
  const children: { started: Child[]; ended: Child[] } = { started: [], ended: [] };
  const runner = execaRunner({
    redact: redactor.redact,
    log: (call) => calls.push(call),
    children: { started: (child) => children.started.push(child), ended: (child) => children.ended.push(child) },
    ...options,
  });
  onTestFinished(() => runner.stopAll());
  return { run: (command: Command) => runner.run(command), runner, redactor, calls, children };
}

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tracebloc-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Puts a file there that may be executed, unless `mode` says otherwise. */
export function program(folder: string, name: string, content: string | Uint8Array, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

/** Looks until it is so. A test that waits in vain fails by its own time limit, and says for what. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const limit = performance.now() + 8_000;
  while (!(await isSo())) {
    if (performance.now() > limit) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Whether a process is there and has not ended: a zombie has. */
export function isRunning(pid: number): boolean {
  const state = statOf(pid)[0];
  return state !== undefined && state !== "Z";
}

/** State, parent, group and session come first, as in /proc/<pid>/stat after the name. */
export function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** The process ids that a fixture printed first. Those that still run at the end of the test go with it. */
export function pidsIn(text: string): number[] {
  const pids = (text.split("\n")[0] ?? "").trim().split(" ").map(Number);
  if (pids.some((pid) => !(pid > 1))) throw new Error(`no process ids in ${JSON.stringify(text)}`);
  onTestFinished(() => {
    for (const pid of pids) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });
  return pids;
}
