import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { decodeText, diskFiles } from "../../../src/config/disk.ts";

const folder = mkdtempSync(join(tmpdir(), "tracebloc-disk-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);
const codeOf = async (path: string) =>
  diskFiles.readText(path).then(
    () => "read",
    (error: unknown) => (error as NodeJS.ErrnoException).code,
  );

describe("text as editors and shells write it", () => {
  const text = "namespace: münchen\n";
  test.each([
    ["UTF-8", Buffer.from(text)],
    ["UTF-8 with a mark", Buffer.from(`\ufeff${text}`)],
    ["UTF-16LE, as `>` of Windows PowerShell writes it", Buffer.from(`\ufeff${text}`, "utf16le")],
    ["UTF-16BE", Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
  ])("%s", (_, bytes) => {
    expect(decodeText(bytes)).toBe(text);
  });

  test.each([
    ["Latin-1", Buffer.from(text, "latin1")],
    ["UTF-16 without a mark", Buffer.from(text, "utf16le")],
    ["an archive", Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00])],
  ])("%s is no text", (_, bytes) => {
    expect(() => decodeText(bytes)).toThrow("EILSEQ");
  });
});

describe("reading", () => {
  test("a file, a folder, a pipe and nothing are told apart", async () => {
    writeFileSync(at("file"), "a: 1\n");
    mkdirSync(at("dir"));
    spawnSync("mkfifo", [at("pipe")]);
    expect(await diskFiles.readText(at("file"))).toBe("a: 1\n");
    expect(await codeOf(at("dir"))).toBe("EISDIR");
    expect(await codeOf(at("pipe"))).toBe("ENOTSUP");
    expect(await codeOf("/dev/zero")).toBe("ENOTSUP");
    expect(await codeOf(at("none"))).toBe("ENOENT");
    expect(await codeOf(join(at("file"), "x"))).toBe("ENOTDIR");
  });
});

describe("where a path leads", () => {
  test("links are followed as far as the path exists, and the rest is kept", async () => {
    mkdirSync(at("real"));
    symlinkSync(at("real"), at("link"));
    symlinkSync(at("loop"), at("loop"));
    expect(await diskFiles.realPath(at("link"))).toBe(at("real"));
    expect(await diskFiles.realPath(join(at("link"), "a/b"))).toBe(join(at("real"), "a/b"));
    expect(await diskFiles.realPath(join(at("none"), "a"))).toBe(join(at("none"), "a"));
    expect(await diskFiles.realPath(at("loop"))).toBe(at("loop"));
  });
});
