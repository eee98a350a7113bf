import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { Directory } from "../../src/storage/layout.ts";
import { judge } from "../../src/storage/result.ts";
import { directoriesIn, entryOf, makeBase, modeOf, report, type Base } from "./bases.ts";
import { shells, whyNotAsRoot } from "./shells.ts";

const notHere = whyNotAsRoot() !== undefined;

describe.skipIf(notHere).each(shells)("$name", (shell) => {
  let base: Base;
  let data: Directory;
  let logs: Directory;
  beforeEach(() => {
    base = makeBase();
    [data, logs] = directoriesIn(base) as [Directory, Directory];
    mkdirSync(dirname(data.path));
    mkdirSync(join(base.outside, "theirs"), { mode: 0o700 });
  });
  afterEach(() => {
    base.remove();
  });

  /** What both scripts say of data, and how the folder outside is afterwards. */
  async function answers() {
    const [seen, prepared] = [await report("seen", shell, [data, logs]), await report("prepared", shell, [data, logs])];
    const theirs = join(base.outside, "theirs");
    return {
      found: [entryOf(seen, 0).found, entryOf(prepared, 0).found],
      result: judge(prepared.looked[0] ?? never()).result,
      outside: [modeOf(theirs), lstatSync(theirs).uid, ...readdirSync(theirs)],
    };
  }

  function refused(kind: string, step: string) {
    const found = { is: "in the way", step, kind };
    return { found: [found, found], result: "blocked", outside: ["0700", 0] };
  }

  test("a symlink in the directory's place is refused, wherever it leads", async () => {
    for (const target of [join(base.outside, "theirs"), join(base.outside, "nowhere"), data.path]) {
      symlinkSync(target, data.path);
      expect(await answers()).toEqual(refused("a symlink", data.path));
      expect(modeOf(logs.path)).toBe("3777");
      execFileSync("rm", ["-rf", data.path, logs.path]);
    }
    expect(readdirSync(base.outside)).toEqual(["theirs"]);
  });

  test("a symlink on the way is refused", async () => {
    execFileSync("rmdir", [dirname(data.path)]);
    symlinkSync(join(base.outside, "theirs"), dirname(data.path));
    expect(await answers()).toEqual(refused("a symlink", dirname(data.path)));
  });

  test("a symlink in the mount's place is refused", async () => {
    const link = join(base.outside, "link");
    symlinkSync(base.path, link);
    const prepared = await report("prepared", shell, directoriesIn({ ...base, path: link }));
    expect(entryOf(prepared, 0).found).toEqual({ is: "in the way", step: link, kind: "a symlink" });
    expect(readdirSync(dirname(data.path))).toEqual([]);
  });

  test("B46: a file in the directory's place keeps its mode, owner and content", async () => {
    writeFileSync(data.path, "theirs", { mode: 0o604 });
    chownSync(data.path, 1234, 1234);
    expect(await answers()).toEqual(refused("no directory", data.path));
    expect([modeOf(data.path), lstatSync(data.path).uid, readFileSync(data.path, "utf8")]).toEqual([
      "0604",
      1234,
      "theirs",
    ]);
    expect(modeOf(logs.path)).toBe("3777");
  });

  test("B46: so does a file on the way", async () => {
    execFileSync("rmdir", [dirname(data.path)]);
    writeFileSync(dirname(data.path), "theirs", { mode: 0o604 });
    expect(await answers()).toEqual(refused("no directory", dirname(data.path)));
    expect([modeOf(dirname(data.path)), readFileSync(dirname(data.path), "utf8")]).toEqual(["0604", "theirs"]);
  });

  test("a pipe in the directory's place holds nothing up", async () => {
    execFileSync("mkfifo", ["-m", "600", data.path]);
    expect(await answers()).toEqual(refused("no directory", data.path));
    expect(modeOf(data.path)).toBe("0600");
  });

  test("B29: who may not change the mode is blocked by it, unless it is exact already", async () => {
    mkdirSync(data.path, { mode: 0o755 });
    mkdirSync(logs.path);
    chmodSync(logs.path, 0o3777);
    const prepared = await report("prepared", shell, [data, logs], { as: 1234 });
    expect(entryOf(prepared, 0)).toMatchObject({ found: { mode: "0755", uid: 0 }, cause: "permission" });
    expect(judge(prepared.looked[1] ?? never()).result).toBe("ready");
  });

  test("what may not be made is missing, with the command's own words", async () => {
    const prepared = await report("prepared", shell, [data], { as: 1234 });
    expect(entryOf(prepared, 0)).toMatchObject({ found: { is: "absent", step: data.path }, cause: "permission" });
    expect(entryOf(prepared, 0).said).toMatch(/mkdir.*Permission denied/);
  });

  test("what may not be looked at is unreadable, not absent", async () => {
    mkdirSync(data.path);
    chmodSync(dirname(data.path), 0o700);
    const seen = await report("seen", shell, [data], { as: 1234 });
    expect(entryOf(seen, 0)).toMatchObject({ found: { is: "unreadable" }, cause: "permission" });
  });

  test("a closed parent is no obstacle to root, and stays closed", async () => {
    chmodSync(dirname(data.path), 0o700);
    const prepared = await report("prepared", shell, [data, logs]);
    expect(prepared.looked.map((looked) => judge(looked).result)).toEqual(["ready", "ready"]);
    expect(modeOf(dirname(data.path))).toBe("0700");
  });
});

function never(): never {
  throw new Error("no such entry");
}
