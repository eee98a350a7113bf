import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { makePrivateFolder } from "../../../src/files/folder.ts";
import { asUser, isRoot, platformOf, temporaryFolder } from "./support.ts";

const linux = platformOf("linux");
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const elsewhere = {
  says: expect.stringContaining("another folder") as string,
  command: "export TRACEBLOC_STATE_DIR=tracebloc-state",
};

test("a folder is made, closed to others with all that is made above it", () => {
  const root = temporaryFolder();
  const path = join(root, "state", "tracebloc");
  expect(makePrivateFolder(path, linux)).toBeUndefined();
  expect([modeOf(path), modeOf(join(root, "state"))]).toEqual(["700", "700"]);
});

test("one that others may read is closed, and what it holds stays", () => {
  const path = join(temporaryFolder(), "state");
  mkdirSync(path);
  chmodSync(path, 0o755);
  writeFileSync(join(path, "tracebloc.yaml"), "x");
  writeFileSync(join(path, "file"), "x");
  expect(makePrivateFolder(path, linux)).toBeUndefined();
  expect(modeOf(path)).toBe("700");
});

test("one that holds other things is not closed: a slip in a variable must shut nobody out of /srv", () => {
  const path = join(temporaryFolder(), "www");
  mkdirSync(path);
  chmodSync(path, 0o755);
  writeFileSync(join(path, "index.html"), "x");
  const link = join(temporaryFolder(), "link");
  symlinkSync(path, link);
  for (const name of [path, link]) {
    expect(makePrivateFolder(name, linux)?.says).toBe(
      `${name} holds other things, which other users may read: made private, it would shut them out`,
    );
  }
  expect(modeOf(path)).toBe("755");
  chmodSync(path, 0o700);
  expect(makePrivateFolder(path, linux)).toBeUndefined();
});

test("one that everybody may write into is refused, since what it holds may be anybody's", () => {
  const path = join(temporaryFolder(), "it's open");
  mkdirSync(path);
  chmodSync(path, 0o777);
  expect(makePrivateFolder(path, linux)).toEqual({
    says: `every user of this machine can write into ${path}`,
    remedies: [{ says: "close it", command: `chmod 700 '${path.replace("'", "'\\''")}'` }, elsewhere],
  });
  expect(modeOf(path)).toBe("777");
});

test("a link to a folder of one's own is as good as the folder", () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "real"));
  symlinkSync(join(root, "real"), join(root, "link"));
  expect(makePrivateFolder(join(root, "link"), linux)).toBeUndefined();
});

test("a file of that name is told", () => {
  const path = join(temporaryFolder(), "file");
  writeFileSync(path, "");
  expect(makePrivateFolder(path, linux)?.says).toContain(path);
  expect(makePrivateFolder(join(path, "below"), linux)).toEqual({
    says: `cannot use the folder ${join(path, "below")}: a part of the path is not a folder`,
    remedies: [elsewhere],
  });
});

test.skipIf(!isRoot)("a user's folder is left alone by root", () => {
  const path = join(temporaryFolder(), "state");
  mkdirSync(path);
  chownSync(path, 4711, 4711);
  expect(makePrivateFolder(path, linux)).toMatchObject({
    says: expect.stringContaining("belongs to user 4711, and this is root") as string,
  });
});

test.skipIf(!isRoot)("what a run under sudo has left is told, with the command that takes it back", () => {
  const root = temporaryFolder();
  chmodSync(root, 0o755);
  const path = join(root, "state");
  mkdirSync(path);
  expect(asUser(4711, () => makePrivateFolder(path, linux))).toEqual({
    says: `${path} belongs to root`,
    remedies: [{ says: "make it yours", command: `sudo chown -R 4711 ${path}` }, elsewhere],
  });
  chownSync(path, 4711, 4711);
  expect(asUser(4711, () => makePrivateFolder(path, linux))).toBeUndefined();
  writeFileSync(join(path, "lock"), "");
  expect(asUser(4711, () => makePrivateFolder(path, linux))).toEqual({
    says: `${join(path, "lock")} belongs to another user: a run under sudo has left it`,
    remedies: [{ says: "make it yours", command: `sudo chown -R 4711 ${path}` }],
  });
});

test("where modes mean nothing, none is asked for", () => {
  const path = join(temporaryFolder(), "state");
  mkdirSync(path);
  chmodSync(path, 0o777);
  expect(makePrivateFolder(path, platformOf("win32"))).toBeUndefined();
  expect(modeOf(path)).toBe("777");
});
