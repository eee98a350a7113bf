import { existsSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { isRunning, node, pidsIn, realRunner, sh, temporaryFolder, until } from "./support.ts";

describe("a program that does not end by itself", () => {
  test("is asked at the deadline, and may put things in order", async () => {
    const { run } = realRunner();
    const result = await run({ ...sh("ends-on-term.sh"), timeoutMs: 1_500 });
    expect(result).toMatchObject({ outcome: "timed-out", truncated: false });
    expect(result).not.toHaveProperty("exitCode");
    expect(result.stdout).toMatch(/\nin order\n$/);
    expect(pidsIn(result.stdout).filter(isRunning)).toEqual([]);
  });

  test("goes after its grace when it lets TERM pass by, with all that it started and that holds the pipes", async () => {
    const { run } = realRunner();
    const result = await run({ ...sh("ignores-term.sh"), timeoutMs: 1_500, graceMs: 200 });
    expect(result.outcome).toBe("timed-out");
    expect(result.ms).toBeGreaterThan(1_690);
    expect(result.ms).toBeLessThan(6_000);
    expect(pidsIn(result.stdout).filter(isRunning)).toEqual([]);
  });

  test("goes with those that left its group and hold the pipes", async () => {
    const { run } = realRunner();
    const stop = new AbortController();
    const result = await run({
      ...node("leaves-the-group.mjs"),
      signal: stop.signal,
      graceMs: 100,
      onLine: () => stop.abort(),
    });
    expect(result.outcome).toBe("cancelled");
    const pids = pidsIn(result.stdout);
    expect(pids).toHaveLength(2);
    expect(pids.filter(isRunning)).toEqual([]);
  });

  test("is cancelled by its signal, like at a deadline", async () => {
    const { run } = realRunner();
    const stop = new AbortController();
    const result = await run({ ...sh("ends-on-term.sh"), signal: stop.signal, onLine: () => stop.abort() });
    expect(result.outcome).toBe("cancelled");
    expect(result.stdout).toMatch(/in order/);
    expect(pidsIn(result.stdout).filter(isRunning)).toEqual([]);
  });

  test("is not started when its signal is aborted already", async () => {
    const { run } = realRunner();
    const folder = temporaryFolder();
    const result = await run({
      file: "touch",
      args: ["made"],
      cwd: folder,
      about: "touch",
      timeoutMs: 9_000,
      signal: AbortSignal.abort(),
    });
    expect(result).toMatchObject({ outcome: "cancelled", stdout: "" });
    expect(existsSync(join(folder, "made"))).toBe(false);
  });

  test("is ended by stopAll with all others, and none is started any more", async () => {
    const { run, runner } = realRunner();
    const pids: number[] = [];
    const onLine = (line: string) => pids.push(Number(line));
    const both = [run({ ...node("waits.mjs"), onLine }), run({ ...node("waits.mjs"), onLine })];
    await until("both run", () => pids.length === 2);
    await runner.stopAll();
    expect(pids.filter(isRunning)).toEqual([]);
    expect((await Promise.all(both)).map(({ outcome }) => outcome)).toEqual(["cancelled", "cancelled"]);
    expect(await run(sh("both-streams.sh", "0"))).toMatchObject({ outcome: "cancelled", stdout: "" });
  });

  test("many at once share one signal without a word of Node about too many listeners", async () => {
    const { run } = realRunner();
    const warnings: string[] = [];
    const listen = (warning: Error) => warnings.push(warning.message);
    process.on("warning", listen);
    const stop = new AbortController();
    const commands = Array.from({ length: 15 }, () => run({ ...sh("both-streams.sh", "0"), signal: stop.signal }));
    await Promise.all(commands);
    process.off("warning", listen);
    expect(warnings).toEqual([]);
  });
});

describe("a descendant that holds the pipes", () => {
  test.for(["0", "4"])("does not change that the program ended with %s, nor hold the result up", async (code) => {
    const { run } = realRunner();
    const result = await run(sh("holds-pipes.sh", code));
    const [descendant] = pidsIn(result.stdout);
    expect(result).toMatchObject({ outcome: "exited", exitCode: Number(code), truncated: false });
    expect(result.ms).toBeLessThan(6_000);
    // It may well be meant to stay: a program that ended well leaves behind what it likes.
    expect(isRunning(descendant ?? 0)).toBe(true);
  });

  // One that gets no processor for 250 ms is taken for a silent one, on a machine that is busy with other things.
  test("and never stops talking is cut off, and the text is marked as not whole", { retry: 3 }, async () => {
    const { run } = realRunner();
    const result = await run(node("keeps-talking.mjs"));
    pidsIn(result.stdout);
    expect(result).toMatchObject({ outcome: "exited", exitCode: 0, truncated: true });
    expect(result.ms).toBeLessThan(6_000);
  });
});
