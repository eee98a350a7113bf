import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { previousRun, type PreviousRun } from "../../../src/engine/previous-run.ts";
import { processes } from "../../../src/process/processes.ts";
import { fixture, isRunning, pidsIn, realRunner, statOf, until } from "../process/support.ts";
import { temporaryFolder } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "tracebloc-test-"));
const bundled = join(folder, "small-run.mjs");
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  const bundle = await rolldown({
    input: fileURLToPath(new URL("../../fixtures/process/small-run.ts", import.meta.url)),
    platform: "node",
  });
  await bundle.write({ file: bundled, format: "esm", codeSplitting: false });
});

/** Starts the run in a session of its own, as a terminal does, and waits until its program says that it is there. */
async function start(program: string, ...args: string[]) {
  const runs = join(temporaryFolder(), "runs");
  const run = spawn(process.execPath, [bundled, runs, program, ...args], { detached: true });
  const pid = run.pid ?? 0;
  onTestFinished(() => void (isRunning(pid) && process.kill(pid, "SIGKILL")));
  let said = "";
  for (const stream of [run.stdout, run.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    run.once("exit", (code, signal) => resolve(code ?? signal)),
  );
  await until("the program's first line", () => said.includes("\n"));
  const children = pidsIn(said);
  return { pid, children, ended, said: () => said, before: () => read(runs) };
}

function read(runs: string): PreviousRun {
  const seen = previousRun(runs);
  if (seen.state === "unknown" || seen.value === undefined) throw new Error(JSON.stringify(seen));
  return seen.value;
}

describe("a run that is killed", () => {
  test("leaves its program at work, and the next run knows what it was doing and whom to wait for", async () => {
    const run = await start("sh", fixture("ends-on-term.sh"));
    process.kill(run.pid, "SIGKILL");
    expect(await run.ended).toBe("SIGKILL");

    const before = run.before();
    expect(before).toMatchObject({ process: { pid: run.pid }, during: { action: { do: "cluster.create" } } });
    expect(before.ended).toBeUndefined();
    expect(before.children).toMatchObject([{ pid: run.children[0], about: "make a cluster", file: "sh" }]);

    const system = processes(realRunner().runner, "linux");
    const [child] = before.children;
    if (child === undefined) throw new Error("no child");
    expect([await system.isAlive(before.process), await system.isAlive(child)]).toEqual(["no", "yes"]);
    process.kill(-child.pid, "SIGKILL");
    await until("the child is gone", async () => (await system.isAlive(child)) === "no");
  });
});

describe("Ctrl-C in a terminal, which goes to the whole group", () => {
  test("reaches the run alone, which ends its program in order and exits with 130", async () => {
    const run = await start("sh", fixture("ends-on-term.sh"));
    expect(statOf(run.children[0] ?? 0)[2]).toBe(String(run.children[0]));
    process.kill(-run.pid, "SIGINT");
    expect(await run.ended).toBe(130);
    expect(run.said().split("\n").slice(1)).toEqual(["stopping for SIGINT", "in order", ""]);
    expect(run.children.filter(isRunning)).toEqual([]);
    expect(run.before()).toMatchObject({ ended: { exit: 130, reason: "INTERRUPTED" }, children: [] });
    expect(run.before()).not.toHaveProperty("during");
  });

  test.for([
    ["SIGTERM", 143],
    ["SIGHUP", 143],
  ] as const)("%s does the same with its own exit code", async ([signal, code]) => {
    const run = await start("sh", fixture("ends-on-term.sh"));
    process.kill(run.pid, signal);
    expect(await run.ended).toBe(code);
    expect(run.children.filter(isRunning)).toEqual([]);
  });

  test("three times leaves at once a program that takes its long grace; the next run will wait for it", async () => {
    const run = await start("sh", fixture("ignores-term.sh"));
    let presses = 0;
    while (isRunning(run.pid)) {
      process.kill(-run.pid, "SIGINT");
      presses += 1;
      // What comes within 200 ms is one key press; a person takes longer.
      await Promise.race([run.ended, new Promise((resolve) => setTimeout(resolve, 250))]);
    }
    expect(await run.ended).toBe(130);
    expect(presses).toBeGreaterThanOrEqual(3);
    expect(run.children.filter(isRunning)).toEqual(run.children);
    expect(run.before().children).toMatchObject([{ pid: run.children[0] }]);
    expect(run.before().ended).toBeUndefined();
  });
});
