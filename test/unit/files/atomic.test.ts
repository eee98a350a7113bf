import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { renameOver, writeAtomically } from "../../../src/files/atomic.ts";
import { asUser, canMount, isRoot, smallDisk, temporaryFolder, textOf } from "./support.ts";

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("a file that is written", () => {
  test("is there as a whole, for its owner only, and nothing else is", () => {
    const folder = temporaryFolder();
    const path = join(folder, "values.yaml");
    writeAtomically(path, "a: 1\n");
    expect([textOf(path), modeOf(path), readdirSync(folder)]).toEqual(["a: 1\n", "600", ["values.yaml"]]);
    writeAtomically(path, Buffer.from("b: 2\n"), 0o644);
    expect([textOf(path), modeOf(path), readdirSync(folder)]).toEqual([
      "b: 2\n",
      (0o644 & ~process.umask()).toString(8),
      ["values.yaml"],
    ]);
  });

  test("has its mode before its first byte, whatever the one before had", () => {
    const path = join(temporaryFolder(), "values.yaml");
    writeFileSync(path, "old", { mode: 0o666 });
    chmodSync(path, 0o666);
    writeAtomically(path, "new");
    expect(modeOf(path)).toBe("600");
  });

  test("gets its folders, private ones", () => {
    const root = temporaryFolder();
    writeAtomically(join(root, "a", "b", "file"), "x");
    expect([modeOf(join(root, "a")), modeOf(join(root, "a", "b"))]).toEqual(["700", "700"]);
  });

  test("is the one that a symlink leads to, and the link stays", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "real"));
    writeFileSync(join(folder, "real", "config"), "old");
    symlinkSync(join("real", "config"), join(folder, "second"));
    symlinkSync(join(folder, "second"), join(folder, "first"));
    writeAtomically(join(folder, "first"), "new");
    expect(textOf(join(folder, "real", "config"))).toBe("new");
    expect([
      lstatSync(join(folder, "first")).isSymbolicLink(),
      lstatSync(join(folder, "second")).isSymbolicLink(),
    ]).toEqual([true, true]);
    expect(readdirSync(join(folder, "real"))).toEqual(["config"]);
  });

  test("is made where a symlink leads to nothing yet", () => {
    const folder = temporaryFolder();
    symlinkSync(join(folder, "real"), join(folder, "link"));
    writeAtomically(join(folder, "link"), "new");
    expect([lstatSync(join(folder, "link")).isSymbolicLink(), textOf(join(folder, "real"))]).toEqual([true, "new"]);
  });

  test.skipIf(!isRoot)("stays its owner's when root writes it under sudo", () => {
    const path = join(temporaryFolder(), "config");
    writeFileSync(path, "old");
    chownSync(path, 4711, 4712);
    writeAtomically(path, "new");
    expect([statSync(path).uid, statSync(path).gid]).toEqual([4711, 4712]);
  });
});

describe("a file that cannot be written", () => {
  test.skipIf(!canMount)("leaves the old one and no rest; the error names path and reason", () => {
    const disk = smallDisk(64);
    const path = join(disk, "values.yaml");
    writeAtomically(path, "old");
    const write = () => writeAtomically(path, Buffer.alloc(200_000));
    expect(write).toThrow(`cannot write ${path}: no space left on its file system`);
    expect(write).toThrow(expect.objectContaining({ code: "ENOSPC" }));
    expect([textOf(path), readdirSync(disk)]).toEqual(["old", ["values.yaml"]]);
  });

  test.skipIf(!isRoot)("is in a folder of somebody else", () => {
    const folder = temporaryFolder();
    const path = join(folder, "file");
    expect(() => asUser(4711, () => writeAtomically(path, "x"))).toThrow(`cannot write ${path}: permission denied`);
  });

  test("is a pipe or a device, in whose place a file would break the system: /dev/null in KUBECONFIG did", () => {
    const folder = temporaryFolder();
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    symlinkSync(pipe, join(folder, "link"));
    for (const path of [pipe, join(folder, "link")]) {
      expect(() => writeAtomically(path, "x")).toThrow(`cannot write ${path}: it is no regular file`);
    }
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });

  test("is a folder, or below a file, or a link to itself", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "folder"));
    writeFileSync(join(folder, "file"), "");
    symlinkSync(join(folder, "loop"), join(folder, "loop"));
    expect(() => writeAtomically(join(folder, "folder"), "x")).toThrow(
      `cannot write ${join(folder, "folder")}: it is a folder`,
    );
    expect(() => writeAtomically(join(folder, "file", "x"), "x")).toThrow(/a file is where a folder should be/);
    expect(() => writeAtomically(join(folder, "loop"), "x")).toThrow(/too many symbolic links/);
    expect(readdirSync(folder).sort()).toEqual(["file", "folder", "loop"]);
  });
});

describe("renaming over a file", () => {
  /** Refuses so many times, as Windows does while somebody has the file open. */
  const refusing = (times: number, code: string) => {
    let calls = 0;
    const attempt = () => {
      calls += 1;
      if (calls <= times) throw Object.assign(new Error(code), { code });
    };
    return { attempt, calls: () => calls };
  };

  test("is tried again on Windows while the file is open elsewhere, within a bound", () => {
    const passing = refusing(2, "EPERM");
    renameOver("a", "b", "win32", passing.attempt);
    expect(passing.calls()).toBe(3);
    const lasting = refusing(1_000, "EBUSY");
    expect(() => renameOver("a", "b", "win32", lasting.attempt)).toThrow("EBUSY");
    expect(lasting.calls()).toBeLessThan(30);
  });

  test("is tried once where a refusal is final", () => {
    for (const [code, os] of [
      ["ENOENT", "win32"],
      ["EPERM", "linux"],
    ] as const) {
      const refused = refusing(1, code);
      expect(() => renameOver("a", "b", os, refused.attempt)).toThrow(code);
      expect(refused.calls()).toBe(1);
    }
  });
});
