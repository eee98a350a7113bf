import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { lookAtDirectory } from "../../../src/host/directory.ts";
import { spaceAt, usedPart } from "../../../src/host/disk.ts";
import { platformNamed } from "./answers.ts";

const linux = platformNamed("linux");

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "directory-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("looking at a directory", () => {
  test("one that is there", async () => {
    const path = folder();
    expect(await lookAtDirectory(path, linux)).toEqual({
      path,
      exists: true,
      standsOn: path,
      hindrance: undefined,
      owner: process.getuid?.(),
    });
  });

  test("one that would be made, some levels below what is there", async () => {
    const root = folder();
    const path = join(root, "a b", "c", "d");
    expect(await lookAtDirectory(path, linux)).toMatchObject({
      path,
      exists: false,
      standsOn: root,
      hindrance: undefined,
    });
  });

  test("a file in its place, and a file on the way", async () => {
    const root = folder();
    const file = join(root, "file");
    writeFileSync(file, "");
    expect(await lookAtDirectory(file, linux)).toMatchObject({
      exists: false,
      standsOn: file,
      hindrance: "not a directory",
    });
    expect(await lookAtDirectory(join(file, "x", "y"), linux)).toMatchObject({
      standsOn: file,
      hindrance: "not a directory",
    });
  });

  test("a link is followed; one that leads nowhere is in the way", async () => {
    const root = folder();
    mkdirSync(join(root, "real"));
    symlinkSync(join(root, "real"), join(root, "link"));
    symlinkSync(join(root, "gone"), join(root, "dangling"));
    expect(await lookAtDirectory(join(root, "link"), linux)).toMatchObject({ exists: true, hindrance: undefined });
    expect(await lookAtDirectory(join(root, "dangling"), linux)).toMatchObject({
      exists: false,
      hindrance: "not a directory",
    });
    expect(await lookAtDirectory(join(root, "dangling", "x"), linux)).toMatchObject({ hindrance: "not a directory" });
  });

  test.runIf(process.getuid?.() !== 0)("one that is not ours, and one below it", async () => {
    const root = folder();
    chmodSync(root, 0o500);
    expect(await lookAtDirectory(join(root, "x"), linux)).toMatchObject({ standsOn: root, hindrance: "not yours" });
    chmodSync(root, 0o000);
    expect(await lookAtDirectory(join(root, "x", "y"), linux)).toMatchObject({
      standsOn: root,
      hindrance: "not yours",
    });
    chmodSync(root, 0o700);
  });

  test.runIf(process.getuid?.() === 0 && process.platform === "linux")(
    "one that even root may not write to",
    async (context) => {
      const root = folder();
      try {
        execFileSync("chattr", ["+i", root], { stdio: "ignore" });
      } catch {
        context.skip("this file system knows no immutable directories");
      }
      onTestFinished(() => void execFileSync("chattr", ["-i", root]));
      expect(await lookAtDirectory(join(root, "x"), linux)).toMatchObject({ standsOn: root, hindrance: "not yours" });
    },
  );

  test("a drive that is not there cannot be told about", async () => {
    await expect(lookAtDirectory("Q:\\data\\tracebloc", platformNamed("windows"))).rejects.toThrow(
      "Q:\\ does not exist",
    );
  });

  test("nothing is made by looking", async () => {
    const root = folder();
    await lookAtDirectory(join(root, "x"), linux);
    expect((await lookAtDirectory(join(root, "x"), linux)).exists).toBe(false);
  });
});

test("the space of this machine's own disk is plausible", async () => {
  const space = await spaceAt(tmpdir());
  expect(space.totalBytes).toBeGreaterThan(space.freeBytes);
  expect(space.freeBytes).toBeGreaterThan(0);
  expect(usedPart(space)).toBeGreaterThan(0);
  expect(usedPart(space)).toBeLessThan(1);
});

test("a file system of no size is not full", () => {
  expect(usedPart({ freeBytes: 0, totalBytes: 0, freeFiles: undefined, totalFiles: undefined })).toBe(0);
});
