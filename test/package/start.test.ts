import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { parse } from "acorn";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";

import { interleaved, ratio } from "../../scripts/bench/measure.mjs";
import { pack, type Packed } from "./packed.ts";

let packed: Packed;
let bin: string;
const version = () =>
  z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(packed.unpacked, "package.json"), "utf8")))
    .version;

beforeAll(async () => {
  packed = await pack();
  bin = join(packed.unpacked, "dist", "bin.cjs");
});
afterAll(() => packed.remove());

describe("npx", () => {
  test("runs the packed program with an empty cache and no network", () => {
    const output = execFileSync("npx", ["--yes", "--package", packed.tarball, "tracebloc", "--version"], {
      cwd: packed.directory,
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        HOME: packed.directory,
        npm_config_cache: join(packed.directory, "cache"),
        npm_config_offline: "true",
        npm_config_update_notifier: "false",
      },
    });
    expect(output).toBe(`${version()}\n`);
  });
});

/** Runs the entry under a pretended Node version, with nothing to load: what it needs must be in it. */
function runUnder(node: string) {
  const written: string[] = [];
  const process = {
    argv: ["node", "tracebloc", "install"],
    versions: { node },
    stdout: { write: () => expect.unreachable("nothing belongs on stdout") },
    stderr: { write: (line: string) => written.push(line) },
    exitCode: undefined,
  };
  const loaded: string[] = [];
  runInNewContext(readFileSync(bin, "utf8").replace(/^#!.*/, ""), {
    process,
    require: (name: string) => {
      loaded.push(name);
      return { main: () => Promise.resolve(0), watchForDefects: () => undefined };
    },
    setTimeout: () => ({ unref: () => undefined }),
  });
  return { written, exitCode: process.exitCode, loaded };
}

describe("an old Node", () => {
  test("can parse the entry, which keeps to the syntax of 2015", () => {
    expect(() =>
      parse(readFileSync(bin, "utf8"), { ecmaVersion: 2015, sourceType: "script", allowHashBang: true }),
    ).not.toThrow();
  });

  test.each(["6.17.1", "12.22.12", "18.20.8", "20.18.3"])(
    "%s gets one line that says what to do, and nothing runs",
    (node) => {
      const { written, exitCode, loaded } = runUnder(node);
      expect(written.join("")).toMatch(
        /^tracebloc \S+ needs Node\.js 20\.19 or newer, and this is [\d.]+: .*https:\S+ .*\n$/,
      );
      expect(written.join("")).toContain(node);
      expect(exitCode).toBe(3);
      expect(loaded).toEqual([]);
    },
  );

  test.each(["20.19.0", "21.7.3", "22.0.0", "26.1.0"])("%s is not old", async (node) => {
    const { written, exitCode, loaded } = runUnder(node);
    expect({ written, exitCode }).toEqual({ written: [], exitCode: undefined });
    await expect.poll(() => loaded).toEqual(["./program.cjs"]);
  });
});

describe("the start-up time", () => {
  const node = process.execPath;
  const most = 1.35;

  // Other work on the machine can spoil one measurement, hardly two.
  test.each(["--version", "--help"])(
    `of %s is at most ${most} times that of an empty program`,
    { retry: 3 },
    (flag) => {
      const times = interleaved({ empty: [node, "-e", "0"], ours: [node, bin, flag] }, 21);
      expect(ratio(times["ours"] ?? [], times["empty"] ?? [])).toBeLessThanOrEqual(most);
    },
  );
});
