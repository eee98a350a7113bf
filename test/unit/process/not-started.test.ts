import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { firstComplaint } from "../../../src/process/runner.ts";
import { program, realRunner, temporaryFolder } from "./support.ts";

describe("a program that cannot be started", () => {
  test("is missing", async () => {
    const { run } = realRunner();
    const result = await run({ file: "no-such-tool", args: [], about: "x", timeoutMs: 9_000 });
    expect(result).toMatchObject({
      outcome: "not-started",
      notStarted: "missing",
      why: "there is no no-such-tool on PATH",
    });
    expect(firstComplaint(result)).toBe("could not be started: there is no no-such-tool on PATH");
    expect(await run({ file: "/no/such/tool", args: [], about: "x", timeoutMs: 9_000 })).toMatchObject({
      notStarted: "missing",
    });
  });

  test("is there, but its folder is not: that is not a missing program", async () => {
    const { run } = realRunner();
    const result = await run({ file: "sh", args: [], cwd: "/no/such/folder", about: "x", timeoutMs: 9_000 });
    expect(result).toMatchObject({
      outcome: "not-started",
      notStarted: "other",
      why: "the folder /no/such/folder does not exist",
    });
  });

  test("is not executable; one further down PATH is taken instead", async () => {
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    const path = program(first, "tool", "#!/bin/sh\necho first\n", 0o644);
    const { run } = realRunner({ environment: { PATH: `${first}:${second}` } });
    const command = { file: "tool", args: [], about: "x", timeoutMs: 9_000 };
    expect(await run(command)).toMatchObject({
      notStarted: "not-executable",
      why: `${path} is not executable for this user`,
    });
    program(second, "tool", "#!/bin/sh\necho second\n");
    expect(await run(command)).toMatchObject({ outcome: "exited", stdout: "second\n" });
  });

  test("is of another architecture", async () => {
    const header = readFileSync(process.execPath).subarray(0, 4096);
    header.writeUInt16LE(process.arch === "arm64" ? 62 : 183, 18);
    const path = program(temporaryFolder(), "foreign", header);
    const { run } = realRunner();
    const result = await run({ file: path, args: [], about: "x", timeoutMs: 9_000 });
    expect(result).toMatchObject({ outcome: "not-started", notStarted: "wrong-architecture", stdout: "", stderr: "" });
    expect(result.why).toContain("built for another kind of machine");
  });

  test("B02: is empty, and does not count as a program that succeeded", async () => {
    const path = program(temporaryFolder(), "empty", "");
    const { run } = realRunner();
    const result = await run({ file: path, args: [], about: "x", timeoutMs: 9_000 });
    expect(result).toMatchObject({ outcome: "not-started", notStarted: "not-executable", why: `${path} is empty` });
  });

  test("is text without #!, which no shell gets to read", async () => {
    const folder = temporaryFolder();
    const path = program(folder, "text", `touch ${folder}/made\n`);
    const { run } = realRunner();
    expect(await run({ file: path, args: [], about: "x", timeoutMs: 9_000 })).toMatchObject({
      notStarted: "not-executable",
    });
    expect(existsSync(join(folder, "made"))).toBe(false);
  });

  test("wants an interpreter that is missing", async () => {
    const path = program(temporaryFolder(), "script", "#!/no/such/interpreter\n");
    const { run } = realRunner();
    const result = await run({ file: path, args: [], about: "x", timeoutMs: 9_000 });
    expect(result).toMatchObject({
      notStarted: "other",
      why: `${path} needs /no/such/interpreter, which does not exist`,
    });
  });

  test("has an argument that no system takes", async () => {
    const { run, calls } = realRunner();
    expect(await run({ file: "sh", args: ["a\0b"], about: "x", timeoutMs: 9_000 })).toMatchObject({
      outcome: "not-started",
      notStarted: "other",
    });
    expect(calls).toHaveLength(1);
  });
});
