import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { judge } from "../../src/storage/result.ts";
import { directoriesIn, entryOf, makeBase, modeOf, report, type Base } from "./bases.ts";
import { shells, whyNotAsRoot } from "./shells.ts";

const notHere = whyNotAsRoot() !== undefined;

/** A time to sleep that no other process sleeps, so that one of ours is recognised. */
function longTime(): string {
  return `${900_000 + Math.floor(Math.random() * 90_000)}`;
}

/** Debian's busybox ash runs its own applets and looks for no programs; `mounts.test.ts` has a real hang for it. */
const looksForPrograms = shells.filter(({ name }) => name !== "busybox ash");

describe.skipIf(notHere).each(looksForPrograms)("$name", (shell) => {
  let base: Base;
  let before: string;
  beforeEach(() => {
    base = makeBase();
    before = join(base.outside, "bin");
    mkdirSync(before);
  });
  afterEach(() => {
    base.remove();
  });

  /** A program found before the real one. */
  function standIn(name: string, script: string): void {
    writeFileSync(join(before, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(before, name), 0o755);
  }

  test("a command that hangs for one directory is killed, and the other one is prepared", async () => {
    const long = longTime();
    standIn("mkdir", `case $* in */data) exec sleep ${long} ;; *) exec /bin/mkdir "$@" ;; esac`);
    const prepared = await report("prepared", shell, directoriesIn(base), { before, seconds: 1 });

    expect(judge(prepared.looked[0] ?? never())).toMatchObject({ result: "unknown", cause: "no answer" });
    expect(judge(prepared.looked[1] ?? never()).result).toBe("ready");
    expect(prepared.result.ms).toBeLessThan(10_000);
    expect(existsSync(join(base.path, "rel", "data"))).toBe(false);
    expect(running(`sleep ${long}`)).toEqual([]);
  });

  test("a look that hangs is unknown, and one that fails gates nothing", async () => {
    standIn("ls", `case $* in */data) exec sleep ${longTime()} ;; *) exec /bin/ls "$@" ;; esac`);
    standIn("chown", "echo chown: nonsense >&2; exit 1");
    const prepared = await report("prepared", shell, directoriesIn(base), { before, seconds: 1 });

    expect(prepared.looked.map((looked) => judge(looked).result)).toEqual(["unknown", "ready"]);
    expect(modeOf(join(base.path, "rel", "data"))).toBe("2777");
    expect(entryOf(prepared, 1)).toMatchObject({ found: { uid: 0 }, said: "chown: nonsense" });
  });

  test("no program reads the script's stdin, and none gets a terminal", async () => {
    for (const name of ["ls", "mkdir", "chown", "chmod"]) {
      standIn(name, `{ /bin/cat; /usr/bin/tty; } >>${join(base.outside, "read")}\nexec /bin/${name} "$@"`);
    }
    const prepared = await report("prepared", shell, directoriesIn(base), { before });
    expect(prepared.looked.map((looked) => judge(looked).result)).toEqual(["ready", "ready"]);
    expect(readFileSync(join(base.outside, "read"), "utf8")).toMatch(/^(not a tty\n){8}$/);
  });

  test("a shell that finds no sleep kills nothing before its time", async () => {
    standIn("sleep", "exit 127");
    const prepared = await report("prepared", shell, directoriesIn(base), { before });
    expect(prepared.looked.map((looked) => judge(looked).result)).toEqual(["ready", "ready"]);
  });
});

test.skipIf(notHere).each(shells)("$name leaves nothing behind when all goes well", async (shell) => {
  const [base, long] = [makeBase(), longTime()];
  const eight = Array.from({ length: 8 }, () =>
    report("prepared", shell, directoriesIn(base), { seconds: Number(long) }),
  );
  await Promise.all(eight);
  base.remove();
  expect(running(`sleep ${long}`)).toEqual([]);
});

/** Command lines of the processes of this machine that end so. */
function running(command: string): string[] {
  const lines = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.endsWith(command));
}

function never(): never {
  throw new Error("no such entry");
}
