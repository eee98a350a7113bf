import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { readTree } from "../../../src/ingest/tree.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tracebloc-tree-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a tree is told by path, files with size and time", async () => {
  mkdirSync(join(root, "b", "c"), { recursive: true });
  writeFileSync(join(root, "b", "c", "x y.csv"), "12345");
  utimesSync(join(root, "b", "c", "x y.csv"), 1_700_000_000, 1_700_000_000.25);
  writeFileSync(join(root, "a"), "");
  const tree = await readTree(root);
  expect(tree?.unread).toEqual([]);
  expect(tree?.entries).toMatchObject([
    { path: "a", is: "file", bytes: 0 },
    { path: "b", is: "folder" },
    { path: "b/c", is: "folder" },
    { path: "b/c/x y.csv", is: "file", bytes: 5, modifiedMs: 1_700_000_000_250 },
  ]);
});

test("nothing is followed, and nothing but files and folders is taken for one", async () => {
  symlinkSync("/etc", join(root, "link"));
  symlinkSync("nowhere", join(root, "dangling"));
  execFileSync("mkfifo", [join(root, "pipe")]);
  const tree = await readTree(root);
  expect(tree).toEqual({
    entries: [
      { path: "dangling", is: "link" },
      { path: "link", is: "link" },
      { path: "pipe", is: "other" },
    ],
    unread: [],
  });
});

test("a root that is a link or a file is not looked into", async () => {
  symlinkSync("/etc", join(root, "link"));
  writeFileSync(join(root, "file"), "");
  expect(await readTree(join(root, "link"))).toEqual({
    entries: [],
    unread: [{ path: "", why: "is a symbolic link" }],
  });
  expect(await readTree(join(root, "file"))).toEqual({ entries: [], unread: [{ path: "", why: "is no folder" }] });
});

test("what is not there is no tree", async () => {
  expect(await readTree(join(root, "missing"))).toBeUndefined();
});

test.skipIf(process.platform !== "linux")("a name that is no text is not taken for another one's", async () => {
  writeFileSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff])]), "");
  expect((await readTree(root))?.entries).toEqual([{ path: "bad-\ufffd", is: "other" }]);
});

test.skipIf(process.getuid?.() === 0)("what this user may not see is told, and the rest is seen", async () => {
  mkdirSync(join(root, "closed"));
  writeFileSync(join(root, "open"), "");
  chmodSync(join(root, "closed"), 0);
  const tree = await readTree(root);
  chmodSync(join(root, "closed"), 0o700);
  expect(tree?.unread).toEqual([{ path: "closed", why: "may not be read by this user" }]);
  expect(tree?.entries.map(({ path }) => path)).toEqual(["closed", "open"]);
});

test("a person who interrupts is obeyed", async () => {
  await expect(readTree(root, AbortSignal.abort())).rejects.toThrow(/abort/i);
});
