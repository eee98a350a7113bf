import { describe, expect, test } from "vitest";

import { withAdded } from "../../../src/process/execa-runner.ts";
import { succeeded } from "../../../src/process/runner.ts";
import { fixture, node, realRunner, sh, statOf, temporaryFolder } from "./support.ts";

describe("what a program says", () => {
  test("B15: stdout and stderr come apart, with the exit code", async () => {
    const { run } = realRunner();
    const result = await run(sh("both-streams.sh", "3"));
    expect(result).toMatchObject({
      outcome: "exited",
      exitCode: 3,
      stdout: "to stdout\n",
      stderr: "to stderr\n",
      truncated: false,
    });
    expect(succeeded(result)).toBe(false);
    expect(succeeded(await run(sh("both-streams.sh", "0")))).toBe(true);
  });

  test("five megabytes go in and come out byte for byte", async () => {
    const { run } = realRunner();
    const bytes = Buffer.alloc(5 * 1024 * 1024, "0123456789abcdef\n");
    const result = await run({
      file: "cat",
      args: [],
      about: "cat",
      timeoutMs: 9_000,
      stdin: bytes,
      maxBytes: bytes.length,
    });
    expect(result.truncated).toBe(false);
    expect(Buffer.from(result.stdout).equals(bytes)).toBe(true);
  });

  test("beyond the bound head and tail are kept, and a line says how much is missing", async () => {
    const { run } = realRunner();
    const lines = Array.from({ length: 200_000 }, (_, number) => `line ${number}`).join("\n");
    const result = await run({ file: "cat", args: [], about: "cat", timeoutMs: 9_000, stdin: lines, maxBytes: 2000 });
    expect(result).toMatchObject({ outcome: "exited", exitCode: 0, truncated: true });
    expect(result.stdout).toMatch(/^line 0\nline 1\n[^]*\n\[… \d+ bytes left out …\]\nline \d+\n[^]*\nline 199999$/);
    expect(Buffer.byteLength(result.stdout)).toBeLessThan(2100);
  });

  test("characters stay whole, however the bytes arrive", async () => {
    const { run } = realRunner();
    const text = "grün – 机器 🙂\nzweite";
    const lines: string[] = [];
    const result = await run({ ...node("byte-by-byte.mjs", text), onLine: (line) => lines.push(line) });
    expect(result.stdout).toBe(text);
    expect(lines).toEqual(text.split("\n"));
  });

  test("stdin is empty unless something is given", async () => {
    const { run } = realRunner();
    expect(await run({ file: "cat", args: [], about: "cat", timeoutMs: 9_000 })).toMatchObject({
      exitCode: 0,
      stdout: "",
    });
  });

  test("lines are handed on as they come, while the program still runs", async () => {
    const { run } = realRunner();
    const stop = new AbortController();
    const heard: string[] = [];
    const onLine = (line: string, stream: string) => {
      heard.push(`${stream}: ${line}`);
      stop.abort();
    };
    const result = await run({ ...node("waits.mjs"), onLine, signal: stop.signal });
    expect(result.outcome).toBe("cancelled");
    expect(heard).toEqual([`stdout: ${result.stdout.trim()}`]);
  });

  test("a listener that throws breaks nothing", async () => {
    const broken = () => {
      throw new Error("of the listener");
    };
    const { run } = realRunner({ log: broken, children: { started: broken, ended: broken } });
    const result = await run({ ...sh("both-streams.sh", "0"), onLine: broken, mutates: true });
    expect(result).toMatchObject({ outcome: "exited", exitCode: 0, stdout: "to stdout\n" });
  });
});

describe("what a program is given", () => {
  test("arguments arrive as they are, and no shell reads them", async () => {
    const { run } = realRunner();
    const args = ["", " ", "$(touch /tmp/never)", "`id`", "a;b", "*", "'\"\\", "ä\n🙂", "--x=$HOME"];
    const { stdout } = await run(node("says-environment.mjs", ...args));
    expect(JSON.parse(stdout)).toMatchObject({ args });
  });

  test("variables are added and removed, the folder is taken", async () => {
    const { run } = realRunner({ environment: { PATH: process.env["PATH"], STAYS: "1", GOES: "2", CHANGES: "3" } });
    const cwd = temporaryFolder();
    const result = await run({ ...node("says-environment.mjs"), cwd, env: { GOES: undefined, CHANGES: "4", NEW: "" } });
    expect(JSON.parse(result.stdout)).toEqual({
      args: [],
      cwd,
      env: { PATH: process.env["PATH"], STAYS: "1", CHANGES: "4", NEW: "" },
    });
  });

  test("on Windows an added variable replaces the one whose name differs in case", () => {
    const environment = { Path: "a", PATH: "a", Other: "b" };
    expect(withAdded(environment, { path: "c", OTHER: undefined }, "win32")).toEqual({ path: "c" });
    expect(withAdded(environment, { path: "c" }, "linux")).toEqual({ Path: "a", PATH: "a", Other: "b", path: "c" });
  });

  test.for(["0", "3"])(
    "B32: a program that reads nothing of five megabytes and exits with %s has done just that",
    async (code) => {
      const { run } = realRunner();
      const stdin = Buffer.alloc(5 * 1024 * 1024, "x");
      const result = await run({ ...sh("both-streams.sh", code), stdin });
      expect(result).toMatchObject({
        outcome: "exited",
        exitCode: Number(code),
        stdout: "to stdout\n",
        stderr: "to stderr\n",
      });
    },
  );

  test("B32: a program that closes stdin and goes on working is not disturbed", async () => {
    const { run } = realRunner();
    const stdin = Buffer.alloc(1024 * 1024, "x");
    const result = await run({
      file: "sh",
      args: ["-c", "exec <&-; sleep 0.2; echo done"],
      about: "sh",
      timeoutMs: 9_000,
      stdin,
    });
    expect(result).toMatchObject({ outcome: "exited", exitCode: 0, stdout: "done\n", stderr: "" });
  });

  test("a program has its own session, so that the terminal's Ctrl-C does not reach it", async () => {
    const { run } = realRunner();
    const stop = new AbortController();
    let stat: string[] = [];
    const onLine = (line: string) => {
      stat = [line, ...statOf(Number(line)).slice(2, 4)];
      stop.abort();
    };
    await run({ ...node("waits.mjs"), signal: stop.signal, onLine });
    expect(stat).toEqual([stat[0], stat[0], stat[0]]);
  });
});

describe("what is told of a call", () => {
  test("one line, with time and outcome", async () => {
    const { run, calls } = realRunner();
    await run({ ...sh("both-streams.sh", "3"), about: "try it" });
    await run({ file: "no-such-tool", args: ["x"], about: "look for it", timeoutMs: 9_000 });
    expect(calls).toMatchObject([
      {
        about: "try it",
        file: "sh",
        args: [fixture("both-streams.sh"), "3"],
        outcome: "exited",
        exitCode: 3,
        truncated: false,
      },
      { about: "look for it", file: "no-such-tool", args: ["x"], outcome: "not-started", notStarted: "missing" },
    ]);
    expect(calls.every(({ ms }) => ms > 0)).toBe(true);
    expect(calls.every((call) => !("stdout" in call) && !("stderr" in call) && !("raw" in call))).toBe(true);
  });

  test("secrets appear in no result, no line and no log", async () => {
    const { run, calls, redactor } = realRunner();
    redactor.add("canary-7f3a");
    const lines: string[] = [];
    const script = 'echo "got $1"; echo "error: http://u:$1@proxy.example.com" >&2; printf "no newline $1"';
    const result = await run({
      file: "sh",
      args: ["-c", script, "canary-7f3a", "canary-7f3a", "--password", "hunter22"],
      about: "say canary-7f3a",
      timeoutMs: 9_000,
      onLine: (line) => lines.push(line),
    });
    expect(result.stdout).toBe("got <redacted>\nno newline <redacted>");
    expect(lines).toContain("got <redacted>");
    expect(lines).toContain("no newline <redacted>");
    expect(JSON.stringify([result, lines, calls])).not.toMatch(/canary-7f3a|hunter22/);
  });

  test("raw output is there where it was asked for, beside the redacted", async () => {
    const { run, calls, redactor } = realRunner();
    redactor.add("canary-7f3a");
    const command = { file: "cat", args: [], about: "read", timeoutMs: 9_000, stdin: "token: canary-7f3a\n" };
    expect(await run({ ...command, raw: true })).toMatchObject({
      stdout: "token: <redacted>\n",
      raw: "token: canary-7f3a\n",
    });
    expect(await run(command)).not.toHaveProperty("raw");
    expect(JSON.stringify(calls)).not.toContain("canary-7f3a");
  });

  test("children that change something are told with pid and start, and when they have ended", async () => {
    const { run, children } = realRunner();
    const stop = new AbortController();
    let before: unknown;
    const onLine = (line: string) => {
      before = { pid: Number(line), started: [...children.started], ended: [...children.ended] };
      stop.abort();
    };
    await run({ ...node("waits.mjs"), about: "change it", mutates: true, onLine, signal: stop.signal });
    await run(sh("both-streams.sh", "0"));
    const [child] = children.started;
    expect(child).toMatchObject({ file: process.execPath, about: "change it" });
    expect(child?.startedAt).toMatch(/^[0-9a-f-]{36}\/\d+$/);
    expect(before).toEqual({ pid: child?.pid, started: [child], ended: [] });
    expect(children).toEqual({ started: [child], ended: [child] });
  });
});
