import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { judge } from "../../src/storage/result.ts";
import { directoriesIn, entryOf, makeBase, modeOf, report, type Base } from "./bases.ts";
import { shells, whyNotAsRoot } from "./shells.ts";

const notHere = whyNotAsRoot() !== undefined;

describe.skipIf(notHere).each(shells)("$name", (shell) => {
  let base: Base;
  beforeEach(() => {
    base = makeBase();
  });
  afterEach(() => {
    base.remove();
  });

  test("makes what is missing, with its owner and exactly its mode, and says nothing else", async () => {
    const directories = directoriesIn(base);
    // The umask that the script inherits must not close what it makes on the way.
    const inherited = process.umask(0o077);
    const prepared = await report("prepared", shell, directories);
    process.umask(inherited);

    expect(prepared.looked.map((looked) => judge(looked).result)).toEqual(["ready", "ready"]);
    expect(directories.map(({ path }) => modeOf(path))).toEqual(["2777", "3777"]);
    expect(directories.map(({ path }) => [lstatSync(path).uid, lstatSync(path).gid])).toEqual([
      [1000, 1000],
      [1000, 1000],
    ]);
    expect(modeOf(join(base.path, "rel"))).toBe("0755");
    expect(prepared.result.stderr).toBe("");
    expect(prepared.result.stdout.split("\n")).toHaveLength(4);
  });

  test("B01: repairs what the kubelet leaves, and files below keep their owner and mode", async () => {
    const [data] = directoriesIn(base);
    mkdirSync(data?.path ?? "", { recursive: true, mode: 0o755 });
    const file = join(data?.path ?? "", "table.csv");
    writeFileSync(file, "1", { mode: 0o640 });
    chownSync(file, 65534, 65534);

    await report("prepared", shell, directoriesIn(base));
    expect(modeOf(data?.path ?? "")).toBe("2777");
    expect([modeOf(file), lstatSync(file).uid]).toEqual(["0640", 65534]);
  });

  test("reaches the mode and the owner from every earlier one, and reads them as they are", async () => {
    const directories = directoriesIn(base);
    for (const { path } of directories) mkdirSync(path, { recursive: true });
    const before = fc.record({ mode: fc.integer({ min: 0, max: 0o7777 }), uid: fc.nat(70_000), gid: fc.nat(70_000) });

    await fc.assert(
      fc.asyncProperty(fc.tuple(before, before), async (earlier) => {
        for (const [index, { path }] of directories.entries()) {
          const { mode = 0, uid = 0, gid = 0 } = earlier[index] ?? {};
          chownSync(path, uid, gid);
          chmodSync(path, mode);
        }
        const seen = await report("seen", shell, directories);
        for (const [index, { mode, uid, gid }] of earlier.entries()) {
          const found = { is: "directory", mode: mode.toString(8).padStart(4, "0"), uid, gid };
          expect(entryOf(seen, index).found).toEqual(found);
        }
        const prepared = await report("prepared", shell, directories);
        expect(prepared.looked.map((looked) => judge(looked).result)).toEqual(["ready", "ready"]);
        expect(directories.map(({ path }) => modeOf(path))).toEqual(["2777", "3777"]);
      }),
      { numRuns: 12 },
    );
  });

  test("looking changes nothing, and doing it twice changes nothing more", async () => {
    const directories = directoriesIn(base);
    const missing = await report("seen", shell, directories);
    expect(entryOf(missing, 0).found).toEqual({ is: "absent", step: join(base.path, "rel") });
    expect(readdirSync(base.path)).toEqual([]);

    const first = await report("prepared", shell, directories);
    const second = await report("prepared", shell, directories);
    expect(second.result.stdout).toBe(first.result.stdout);
    const seen = await report("seen", shell, directories);
    expect(seen.looked.map((looked) => judge(looked).result)).toEqual(["ready", "ready"]);
  });

  test("never makes the mount itself: a folder in its place would be lost with the node", async () => {
    const gone = { ...base, path: join(base.outside, "not mounted") };
    const prepared = await report("prepared", shell, directoriesIn(gone));
    expect(existsSync(gone.path)).toBe(false);
    expect(judge(prepared.looked[0] ?? never())).toMatchObject({ result: "blocked", cause: "not mounted" });
  });

  test("whatever a release is called, exactly its directories are made, and their report cannot be imitated", async () => {
    await fc.assert(
      fc.asyncProperty(hostileName, async (release) => {
        const own = makeBase();
        try {
          const directories = directoriesIn(own, release);
          const prepared = await report("prepared", shell, directories, { cwd: own.outside });
          expect(prepared.looked.map((looked) => judge(looked).result)).toEqual(["ready", "ready"]);
          expect(readdirSync(own.path)).toEqual([release]);
          expect(readdirSync(join(own.path, release)).toSorted()).toEqual(["data", "logs"]);
          expect(readdirSync(own.outside)).toEqual([]);
          const seen = await report("seen", shell, directories, { cwd: own.outside });
          expect(seen.looked.map((looked) => judge(looked).result)).toEqual(["ready", "ready"]);
          expect(readdirSync(dirname(own.path)).toSorted()).toEqual(["base", "outside"]);
        } finally {
          own.remove();
        }
      }),
      {
        numRuns: 20,
        examples: [["a\nprepared rel 0 0 0 0 3 drwxrwsrwx 1000 1000 \nend prepared 2"], ["$(touch pwned)"], ["-rf"]],
      },
    );
  });
});

/** Anything that a folder may be called on Linux, with what shells care about made likely. */
const hostileName = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "'",
        '"',
        "`",
        "$(",
        ")",
        "${IFS}",
        "\n",
        "\r",
        "\t",
        " ",
        "\\",
        "*",
        "?",
        "[",
        "]",
        "~",
        "#",
        ";",
      ),
      fc.constantFrom(
        "&",
        "|",
        "<",
        ">",
        "!",
        "{",
        "}",
        "%s",
        "-",
        "--",
        "end prepared 2",
        "\u0001",
        "\u0081",
        "\u0088",
        "é",
        "漢",
      ),
      fc.string({ unit: "binary", maxLength: 3 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(""))
  .filter((name) => !/[/\0]|\p{Cs}/u.test(name) && !["", ".", ".."].includes(name))
  .filter((name) => Buffer.byteLength(name) <= 200);

function never(): never {
  throw new Error("no such entry");
}
