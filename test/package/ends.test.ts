import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { pack, type Packed } from "./packed.ts";

let packed: Packed;
let bin: string;

beforeAll(async () => {
  packed = await pack();
  bin = join(packed.unpacked, "dist", "bin.cjs");
});
afterAll(() => packed.remove());

const environment = (added: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env["PATH"],
  HOME: packed.directory,
  DOCKER_HOST: `unix://${join(packed.directory, "no-engine.sock")}`,
  ...added,
});

/** Code that runs in the process before the product's own. */
function beforehand(name: string, code: string): { NODE_OPTIONS: string } {
  const file = join(packed.directory, `${name}.cjs`);
  writeFileSync(file, code);
  return { NODE_OPTIONS: `--require ${file}` };
}

const options = { extendEnv: false, reject: false } as const;

describe("a process comes to its end", () => {
  test("where a question is never answered, as by a file server that is gone: all is said first", async () => {
    const pipe = join(packed.directory, "pipe");
    await execa("mkfifo", [pipe]);
    const held = beforehand("held", `require("node:fs").readFile(${JSON.stringify(pipe)}, () => {});`);
    const ran = await execa(process.execPath, [bin, "config", "show"], { ...options, env: environment(held) });
    expect(ran.stdout.split("\n").at(-1)).toMatch(/^apiPort /);
    expect(ran.signal).toBe("SIGKILL");
    expect(ran.durationMs).toBeLessThan(20_000);
  });

  test.each([["config show"], ["config show --json"], ["--version"], ["--help"]])(
    "with exit code 4 where the result cannot be written: %s > /dev/full",
    async (line) => {
      const args = ["-c", '"$0" "$@" >/dev/full', process.execPath, bin, ...line.split(" ")];
      const ran = await execa("sh", args, { ...options, env: environment() });
      expect({ exit: ran.exitCode, stderr: ran.stderr }).toEqual({
        exit: 4,
        stderr: "Standard output cannot be written: ENOSPC: no space left on device, write",
      });
    },
  );

  test("and says so in words where something is thrown that nobody waits for", async () => {
    const thrown = beforehand("thrown", `setTimeout(() => { throw new Error("the moon") }, 1).unref();`);
    const ran = await execa(process.execPath, [bin, "status"], { ...options, env: environment(thrown) });
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toMatch(/✗ Run {12}the moon {3}DEFECT/);
    expect(ran.stderr).not.toMatch(/^ *throw /m);
  });

  test("with a word about it where the current folder is gone", async () => {
    const folder = join(packed.directory, "gone");
    mkdirSync(folder);
    const script = 'rmdir "$PWD"; exec "$0" "$@"';
    const args = ["-c", script, process.execPath, bin, "config", "init"];
    const ran = await execa("sh", args, { ...options, cwd: folder, env: environment() });
    rmSync(folder, { force: true, recursive: true });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain("the current folder does not exist any more   CONFIG_INVALID");
  });
});
