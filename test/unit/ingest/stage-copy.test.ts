import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { known } from "../../../src/engine/fact.ts";
import { Failure } from "../../../src/engine/finding.ts";
import { copyStaging } from "../../../src/ingest/stage-copy.ts";
import { partName, planStaging, type PlannedStaging, type Staging } from "../../../src/ingest/stage.ts";
import { readTree } from "../../../src/ingest/tree.ts";
import { platformOf } from "../platform/personalities.ts";

let root: string;
let from: string;
let to: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tracebloc-stage-"));
  [from, to] = [join(root, "from"), join(root, "to")];
  mkdirSync(from);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const space = known({ freeBytes: 1e12, totalBytes: 1e12, freeFiles: undefined, totalFiles: undefined }, "statfs");

async function planned(): Promise<PlannedStaging> {
  const [source, target] = await Promise.all([readTree(from), readTree(to)]);
  return planStaging({ from, source, to, target, space }, { folder: "d", parts: [] }, platformOf("linux"));
}

async function plan(): Promise<Staging> {
  const result = await planned();
  if ("findings" in result) throw new Error(JSON.stringify(result.findings));
  return result.staging;
}

function write(files: Readonly<Record<string, string>>, folder = from, modified = 1_700_000_000.5): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    utimesSync(join(folder, path), modified, modified);
  }
}

/** The files below a folder, with what is in them. */
function held(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => lstatSync(join(folder, path)).isFile());
  return Object.fromEntries(files.toSorted().map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

const modeOf = (path: string) => (lstatSync(path).mode & 0o7777).toString(8);

async function failure(of: Promise<void>): Promise<Failure> {
  const error: unknown = await of.catch((thrown: unknown) => thrown);
  if (!(error instanceof Failure)) throw new Error("it did not fail as it should");
  return error;
}

describe("a dataset that is staged", () => {
  test("lies there as it is, open to the uids that read and remove it, with nothing of ours beside it", async () => {
    write({ "labels.csv": "a,b", "images/1.png": "1", "images/deep/2 ä.png": "2", empty: "" });
    mkdirSync(join(from, "no files"));
    await copyStaging(await plan(), { from, to });
    expect(held(to)).toEqual(held(from));
    expect(existsSync(join(to, "no files"))).toBe(true);
    expect([modeOf(to), modeOf(join(to, "images", "deep")), modeOf(join(to, "labels.csv"))]).toEqual([
      "2777",
      "2777",
      "644",
    ]);
    expect(await plan()).toMatchObject({ folders: [], copies: [], kept: 4, foreign: 0 });
  });

  test("is whole after any number of runs that were cut off anywhere, and the last one copies only the rest", async () => {
    const name = fc.constantFrom("a", "b", "c d", "ä", "-x", "$y", ".z");
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `${names.join("/")}.csv`);
    const tree = fc.dictionary(path, fc.string({ maxLength: 5 }), { minKeys: 1, maxKeys: 6 });
    await fc.assert(
      fc.asyncProperty(tree, fc.array(fc.nat(5), { maxLength: 3 }), async (files, cuts) => {
        for (const folder of [from, to]) rmSync(folder, { recursive: true, force: true });
        mkdirSync(from);
        write(files);
        for (const cut of cuts) {
          const copied: string[] = [];
          const stop = new AbortController();
          const onCopied = ({ path: done }: { path: string }) => {
            copied.push(done);
            if (copied.length > cut) stop.abort();
          };
          if (cut === 0) stop.abort();
          await copyStaging(await plan(), { from, to }, { signal: stop.signal, onCopied }).catch(() => undefined);
          // What a run leaves that was killed within a file.
          if (existsSync(to)) writeFileSync(join(to, partName), "half of");
          expect(copied.every((done) => held(to)[done] === files[done])).toBe(true);
        }
        const last = await plan();
        expect(last.kept + last.copies.length).toBe(Object.keys(files).length);
        await copyStaging(last, { from, to });
        expect(held(to)).toEqual(held(from));
        expect((await plan()).copies).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test("takes a changed file and leaves those that only the target has", async () => {
    write({ a: "old", b: "b" });
    await copyStaging(await plan(), { from, to });
    write({ a: "new" }, from, 1_700_000_100);
    write({ theirs: "x" }, to);
    await copyStaging(await plan(), { from, to });
    expect(held(to)).toEqual({ a: "new", b: "b", theirs: "x" });
  });

  test("writes through no link, also where one was put since the plan was made", async () => {
    write({ "images/1.png": "1", a: "a" });
    const staging = await plan();
    mkdirSync(to);
    mkdirSync(join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), join(to, "images"));
    expect((await failure(copyStaging(staging, { from, to }))).finding).toMatchObject({ reason: "DATASET_IN_THE_WAY" });
    symlinkSync(join(root, "elsewhere", "x"), join(to, partName));
    expect(await planned()).toMatchObject({ findings: [{ reason: "DATASET_IN_THE_WAY" }] });
    expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
  });

  test("is not a file that changed meanwhile", async () => {
    write({ a: "1" });
    const staging = await plan();
    write({ a: "12" });
    const { finding } = await failure(copyStaging(staging, { from, to }));
    expect(finding).toMatchObject({ reason: "DATASET_INVALID", says: `${from}/a changes while it is copied` });
    expect(existsSync(join(to, "a"))).toBe(false);
  });

  test("needs the folder above it, which the release's storage prepares", async () => {
    write({ a: "1" });
    const { finding } = await failure(copyStaging(await plan(), { from, to: join(root, "missing", "to") }));
    expect(finding).toMatchObject({
      reason: "DATASET_IN_THE_WAY",
      says: `${root}/missing/to cannot be written (ENOENT)`,
    });
  });
});
