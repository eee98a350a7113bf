import { execFile } from "node:child_process";
import { chownSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { directoriesOf } from "../../src/storage/layout.ts";
import { removeScript, writeScript } from "../../src/storage/probe.ts";
import { inspectScript, prepareScript } from "../../src/storage/script.ts";
import { sharingScript } from "../../src/storage/sharing.ts";
import { directoriesIn, makeBase, type Base } from "./bases.ts";
import { shells } from "./shells.ts";

const run = promisify(execFile);

/**
 * Never as root: the beginning of a script may also be the beginning of a path, `/` among them, and this test is there for
 * the day on which a beginning is carried out.
 */
const nobody = 65534;
const asNobody =
  process.getuid?.() === 0 ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : [];

/** Feeds each file of a folder to a shell. One driver for all: a process per byte and shell is what this test costs anyway. */
const feedEach = 'said=$1; shift; for beginning in "$0"/*; do "$@" <"$beginning" >>"$said" 2>/dev/null; done; :';

describe.each(shells)("$name", (shell) => {
  let base: Base;
  beforeEach(() => {
    base = makeBase();
  });
  afterEach(() => {
    base.remove();
  });

  /** Runs the beginnings of these lengths in an empty folder. */
  async function outcomeOf(script: string, lengths: readonly number[]): Promise<{ said: string; made: string[] }> {
    const text = Buffer.from(script);
    const beginnings = join(base.outside, "beginnings");
    mkdirSync(beginnings);
    for (const length of lengths) writeFileSync(join(beginnings, String(length)), text.subarray(0, length));
    const said = join(base.outside, "said");
    if (asNobody.length > 0) for (const folder of [base.path, base.outside]) chownSync(folder, nobody, nobody);
    const [program = "", ...args] = [...asNobody, "/bin/sh", "-c", feedEach, beginnings, said, ...shell.command];
    await run(program, args, { cwd: base.path, env: { PATH: `${shell.path}:/usr/bin` } });
    return { said: readFileSync(said, "utf8"), made: readdirSync(base.path) };
  }

  const nothing = { said: "", made: [] };

  const every = (script: string) => Array.from({ length: Buffer.byteLength(script) }, (_, length) => length);

  test("cut off after any byte, the script that prepares changes nothing and says nothing", async () => {
    const script = prepareScript(directoriesIn(base));
    expect(await outcomeOf(script, every(script))).toEqual(nothing);
  });

  // What the scripts have in common is tried above: here it is the part of each that is its own.
  test.each([
    ["inspects", (path: string) => inspectScript(directoriesOf("rel", path, path))],
    ["writes as one uid", () => writeScript("probe")],
    ["removes as another", () => removeScript("probe")],
    ["proves a shared folder", (path: string) => sharingScript(path, "token", "abc")],
  ])("nor does the one that %s", async (_, scriptIn) => {
    const script = scriptIn(base.path);
    expect(await outcomeOf(script, every(script).slice(-250))).toEqual(nothing);
  });
});
