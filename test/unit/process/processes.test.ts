import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

import { describe, expect, onTestFinished, test } from "vitest";

import { ownProcess, processes, questions, readStat, startOfNew } from "../../../src/process/processes.ts";
import type { Command, Runner, RunResult } from "../../../src/process/runner.ts";
import { isRunning, realRunner, until } from "./support.ts";

/** A process that sleeps, and goes with the test. */
function sleeper(): number {
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid ?? 0;
}

async function deadPid(): Promise<number> {
  const child = spawn("true");
  await new Promise((resolve) => child.once("exit", resolve));
  return child.pid ?? 0;
}

describe("on Linux", () => {
  const linux = () => processes(realRunner().runner, "linux");

  test("a process is known by its boot and its ticks, and stays the same", async () => {
    const pid = sleeper();
    const seen = await linux().startedAt(pid);
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    expect(seen).toEqual({ state: "runs", startedAt: startOfNew(pid, "linux") });
    expect(startOfNew(pid, "linux")).toMatch(new RegExp(`^${boot}/\\d+$`));
    expect(await linux().isAlive({ pid, startedAt: startOfNew(pid, "linux") })).toBe("yes");
    expect(await linux().isAlive(ownProcess("linux"))).toBe("yes");
  });

  test("a pid that went to another process, or a process of another boot, is not alive", async () => {
    const pid = sleeper();
    const [boot, ticks] = startOfNew(pid, "linux").split("/");
    expect(await linux().isAlive({ pid, startedAt: `${boot}/${Number(ticks) + 1}` })).toBe("no");
    expect(await linux().isAlive({ pid, startedAt: `00000000-0000-0000-0000-000000000000/${ticks}` })).toBe("no");
  });

  test("a process that has ended is gone, and a zombie has ended", async () => {
    expect(await linux().startedAt(await deadPid())).toEqual({ state: "gone" });
    // The child of a stopped parent is not reaped.
    const parent = spawn("sh", ["-c", "sleep 0.01 & echo $!; kill -STOP $$; wait"]);
    onTestFinished(() => void parent.kill("SIGKILL"));
    const pid = await new Promise<number>((resolve) => parent.stdout.once("data", (chunk) => resolve(Number(chunk))));
    await until("a zombie", () => !isRunning(pid));
    expect(readFileSync(`/proc/${pid}/stat`, "latin1")).toContain(") Z ");
    expect(await linux().startedAt(pid)).toEqual({ state: "gone" });
  });

  test("what is no pid, and a start that cannot be compared, are unknown", async () => {
    expect(await linux().startedAt(0)).toMatchObject({ state: "unknown" });
    expect(await linux().startedAt(-5)).toMatchObject({ state: "unknown" });
    expect(await linux().startedAt(Number.NaN)).toMatchObject({ state: "unknown" });
    expect(await linux().isAlive({ pid: process.pid, startedAt: "long ago" })).toBe("unknown");
  });

  test("a name with spaces and parentheses does not shift the fields", () => {
    const fields = ["S", ...Array.from({ length: 30 }, (_, index) => String(index + 4))].join(" ");
    expect(readStat(`12 (a) S (b) ${fields}`, "boot")).toEqual({ state: "runs", startedAt: "boot/22" });
    expect(readStat("12 (x) Z 1 2", "boot")).toEqual({ state: "gone" });
    expect(readStat("", "boot")).toMatchObject({ state: "unknown" });
  });
});

describe("on macOS", () => {
  test("the answer of a real ps is read, and names the same moment whatever the time zone", async () => {
    const { runner } = realRunner({
      environment: { PATH: process.env["PATH"], TZ: "Asia/Kolkata", LC_ALL: "de_DE.UTF-8" },
    });
    const began = Date.now();
    const seen = await processes(runner, "darwin").startedAt(sleeper());
    expect(seen.state).toBe("runs");
    const startedAt = seen.state === "runs" ? seen.startedAt : "";
    expect(Math.abs(Date.parse(startedAt) - began)).toBeLessThan(3_000);
  });

  test("this process and a new child are recognised by what costs no call", async () => {
    const mac = processes(realRunner().runner, "darwin");
    expect(await mac.isAlive(ownProcess("darwin"))).toBe("yes");
    const pid = sleeper();
    const startedAt = startOfNew(pid, "darwin");
    expect(await mac.isAlive({ pid, startedAt })).toBe("yes");
    expect(await mac.isAlive({ pid, startedAt: new Date(Date.parse(startedAt) - 60_000).toISOString() })).toBe("no");
    expect(await mac.isAlive({ pid: await deadPid(), startedAt })).toBe("no");
  });

  test.for([
    ["Ss   Mon Nov 30 16:59:48 2026\n", { state: "runs", startedAt: "2026-11-30T16:59:48.000Z" }],
    ["S+   Tue Dec  1 06:09:08 2026    \n", { state: "runs", startedAt: "2026-12-01T06:09:08.000Z" }],
    ["Z    Tue Dec  1 06:09:08 2026\n", { state: "gone" }],
    ["", { state: "unknown", why: "ps said nothing" }],
    ["S Di 1 Dez 06:09:08 2026", { state: "unknown", why: "ps said: S Di 1 Dez 06:09:08 2026" }],
  ] as const)("%j", ([answer, seen]) => {
    expect(questions.darwin.read(answer)).toEqual(seen);
  });
});

describe("on Windows", () => {
  test.for([
    ["since 2026-11-30T16:59:48.1234567Z\r\n", { state: "runs", startedAt: "2026-11-30T16:59:48.123Z" }],
    ["gone\r\n", { state: "gone" }],
    // A stub of PowerShell does nothing and exits with 0.
    ["", { state: "unknown", why: "PowerShell said nothing" }],
    ["since never", { state: "unknown", why: "the system said: never" }],
  ] as const)("%j", ([answer, seen]) => {
    expect(questions.windows.read(answer)).toEqual(seen);
  });

  test("a question that got no answer is unknown", async () => {
    const asked: Command[] = [];
    const answer = { outcome: "timed-out", stdout: "", stderr: "", truncated: false, ms: 1 } satisfies RunResult;
    const runner: Runner = { run: async (command) => (asked.push(command), answer), stopAll: async () => {} };
    expect(await processes(runner, "windows").isAlive({ pid: sleeper(), startedAt: "2026-11-30T16:59:48Z" })).toBe(
      "unknown",
    );
    expect(asked.map(({ file, args }) => [file, args.at(-1)])).toEqual([
      ["powershell.exe", expect.stringMatching(/ProcessId=\d+'/)],
    ]);
  });
});
