import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { faultsOfOutput } from "../output.ts";
import { pack, type Packed } from "./packed.ts";

let packed: Packed;
let bin: string;
let home: string;

beforeAll(async () => {
  packed = await pack();
  bin = join(packed.unpacked, "dist", "bin.cjs");
  home = join(packed.directory, "home");
  mkdirSync(home);
});
afterAll(() => packed.remove());

/** On a machine whose engine is not there, so that no command depends on this one's. */
const environment = () => ({
  PATH: process.env["PATH"],
  HOME: home,
  DOCKER_HOST: `unix://${join(home, "no-engine.sock")}`,
  TRACEBLOC_CLIENT_ID: "lab-client",
  TRACEBLOC_CLIENT_PASSWORD: "canary-4711",
  TB_PLAIN: "1",
});

type Ran = { exit: number; stdout: string; stderr: string };

async function tracebloc(...args: string[]): Promise<Ran> {
  const {
    exitCode = 1,
    stdout,
    stderr,
  } = await execa(process.execPath, [bin, ...args], {
    cwd: home,
    env: environment(),
    extendEnv: false,
    reject: false,
  });
  return { exit: exitCode, stdout, stderr };
}

describe("--json", () => {
  test.each([
    ["install", 3],
    ["plan", 3],
    ["status", 4],
    ["doctor", 3],
    ["uninstall", 3],
    ["kubeconfig", 3],
    ["config show", 0],
    ["config schema", 0],
    ["config init", 0],
    // The file is there now.
    ["config init", 2],
    ["install --cluster A_B", 2],
    ["install --no-such-flag", 2],
    ["instal", 2],
  ])("of `%s` is as the schema says, and ends in a result with exit code %i", async (command, exit) => {
    const ran = await tracebloc(...command.split(" "), "--json");
    const lines = ran.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; exit?: number });
    expect(faultsOfOutput(lines)).toEqual([]);
    expect(ran.exit).toBe(exit);
    expect(lines.at(-1)).toMatchObject({ type: "result", exit, ok: exit === 0 });
    expect(lines.filter(({ type }) => type === "result")).toHaveLength(1);
    expect(ran.stdout + ran.stderr).not.toContain("canary");
  });
});

describe("a person's lines", () => {
  test("go to standard error, and standard output holds what was asked for alone", async () => {
    const status = await tracebloc("status");
    expect(status.stdout).toMatch(/ENGINE_.*· unknown \(/s);
    expect(status.stderr).toMatch(/^[^\n]*TB_PLAIN has no effect[^\n]*(?:\n +[^\n]*)*$/);
    const { stdout, stderr } = await tracebloc("config", "show");
    expect(stdout).toMatch(/^clientPassword +\S+ +\(hidden\)$/m);
    expect(stderr).toContain("TB_PLAIN has no effect");
  });

  test("are no more than what needs attention with --quiet", async () => {
    const { stdout, stderr } = await tracebloc("status", "--quiet");
    expect(stderr).toBe("");
    expect(stdout).toContain("ENGINE_");
  });

  test("need no reader: a run is not ended by one that has gone", async () => {
    const file = join(home, "reader.sh");
    // The reader ends before node has started; what is written then has nobody to go to.
    writeFileSync(file, `{ "$1" "$2" config schema; echo "$?" >"$3"; } | true; cat "$3"\n`);
    const { stdout } = await execa("sh", [file, process.execPath, bin, join(home, "exit")], { env: environment() });
    expect(stdout).toBe("0");
  });
});
