import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { execa } from "execa";
import { describe, expect, test } from "vitest";

import { endProcesses, makeFolder, removeFolder } from "../../../scripts/test/folder.mjs";

const isRoot = process.getuid?.() === 0;

describe("what an interrupted run of the tests leaves", () => {
  test("is ended where it still runs, by its environment or by what it was started with, and nothing else is", async () => {
    const folder = await makeFolder();
    const options = { reject: false, detached: true, stdio: "ignore" } as const;
    const [byEnvironment, byCommand, stubborn, foreign] = [
      execa("sleep", ["60"], { ...options, env: folder.environment }),
      execa("sh", ["-c", "while :; do sleep 0.1; done", `${folder.path}/x`], options),
      execa("sh", ["-c", "trap : TERM; while :; do sleep 0.1; done", `${folder.path}/x`], options),
      execa("sleep", ["60"], options),
    ];
    await endProcesses(folder);
    expect((await byEnvironment).signal).toBe("SIGTERM");
    expect((await byCommand).signal).toBe("SIGTERM");
    expect((await stubborn).signal).toBe("SIGKILL");
    expect(foreign.exitCode).toBeNull();
    foreign.kill("SIGINT");
    expect((await foreign).signal).toBe("SIGINT");
    await removeFolder(folder);
    expect(existsSync(folder.path)).toBe(false);
  });

  test.runIf(isRoot)("goes with its folder, and what is mounted there stays whole", async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "tracebloc-elsewhere-"));
    writeFileSync(join(elsewhere, "precious"), "");
    const folder = await makeFolder();
    const mount = join(folder.environment.TMPDIR, "mount");
    mkdirSync(mount);
    await execa("mount", ["--bind", elsewhere, mount]);
    await removeFolder(folder);
    expect(existsSync(folder.path)).toBe(false);
    expect(existsSync(join(elsewhere, "precious"))).toBe(true);
    rmSync(elsewhere, { recursive: true });
  });
});
