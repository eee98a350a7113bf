import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { readStateFile } from "../../../src/files/read-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tracebloc-read-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("a file of our own state", () => {
  test("is read, also through a link", () => {
    writeFileSync(join(folder, "file"), "text");
    symlinkSync(join(folder, "file"), join(folder, "link"));
    expect(readStateFile(join(folder, "link"))).toBe("text");
  });

  test.skipIf(process.platform === "win32")("that is a pipe or a device is refused at once, and not waited for", () => {
    execFileSync("mkfifo", [join(folder, "pipe")]);
    symlinkSync("/dev/zero", join(folder, "zero"));
    for (const name of ["pipe", "zero"]) {
      expect(() => readStateFile(join(folder, name))).toThrow(expect.objectContaining({ code: "ENOTSUP" }) as Error);
    }
  });

  test("that is missing, or a folder, is told as Node tells it", () => {
    expect(() => readStateFile(join(folder, "none"))).toThrow(/^ENOENT/);
    expect(() => readStateFile(folder)).toThrow(/^EISDIR/);
  });
});
