import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { tarMember } from "../../../src/tools/tar.ts";
import { zipMember } from "../../../src/tools/zip.ts";

const limit = 1_000_000;
const helm = "linux-amd64/helm";

describe("one file out of a .tar.gz", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tar-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Packs with the system's tar, as releases are. */
  function packed(files: Record<string, string>, ...options: readonly string[]): Buffer {
    const root = mkdtempSync(join(folder, "x-"));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    return execFileSync("tar", ["-C", root, ...options, "-czf", "-", ...Object.keys(files)], { maxBuffer: 10 * limit });
  }

  const files = {
    "linux-amd64/LICENSE": "free",
    [helm]: "#!/bin/sh\necho v4.2.3\n",
    "linux-amd64/README.md": "x".repeat(1500),
  };

  test.each(["ustar", "gnu", "pax"])("tar --format=%s", async (format) => {
    const archive = packed(files, `--format=${format}`);
    expect(Buffer.from(await tarMember(archive, helm, limit)).toString()).toBe(files[helm]);
    expect(await tarMember(archive, "linux-amd64/README.md", limit)).toHaveLength(1500);
  });

  test("an archive without it names what is missing", async () => {
    await expect(tarMember(packed({ "linux-amd64/other": "x" }), helm, limit)).rejects.toThrow(`it holds no ${helm}`);
  });

  test("names that climb or are absolute are other names", async () => {
    const archive = packed(files, "-P", "--transform=s|^linux-amd64/helm$|../../linux-amd64/helm|");
    await expect(tarMember(archive, helm, limit)).rejects.toThrow("it holds no");
  });

  test("a link in its place is not followed", async () => {
    const root = mkdtempSync(join(folder, "link-"));
    mkdirSync(join(root, "linux-amd64"));
    symlinkSync("/etc/passwd", join(root, helm));
    const archive = execFileSync("tar", ["-C", root, "-czf", "-", helm]);
    await expect(tarMember(archive, helm, limit)).rejects.toThrow("is no regular file");
  });

  test("a bomb is stopped at the limit", async () => {
    const archive = gzipSync(Buffer.alloc(50 * limit));
    await expect(tarMember(archive, helm, limit)).rejects.toThrow("it does not unpack");
  });

  test("cut off at every byte it gives an error or the whole file, and never half of it", async () => {
    const tar = gunzipSync(packed(files));
    const end = tar.indexOf("linux-amd64/README.md");
    const found = await Promise.all(
      Array.from({ length: end }, async (_, length) =>
        tarMember(gzipSync(tar.subarray(0, length), { level: 1 }), helm, limit).then(
          (bytes) => Buffer.from(bytes).toString(),
          () => "an error",
        ),
      ),
    );
    expect(new Set(found)).toEqual(new Set(["an error", files[helm]]));
  });

  test("a changed header is damage, not another size", async () => {
    const tar = gunzipSync(packed({ [helm]: "x".repeat(600) }, "--format=ustar"));
    tar.write("0000777", 124, "latin1");
    await expect(tarMember(gzipSync(tar), helm, limit)).rejects.toThrow("it is damaged");
  });

  test("any bytes give an error", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        await expect(tarMember(bytes, helm, limit)).rejects.toThrow(Error);
        await expect(tarMember(gzipSync(bytes), helm, limit)).rejects.toThrow(Error);
      }),
    );
  });
});

describe("one file out of a .zip", () => {
  const archive = readFileSync(new URL("../../fixtures/tools/helm-windows.zip", import.meta.url));
  const exe = "windows-amd64/helm.exe";
  const whole = "MZ not really a program ".repeat(30);

  test("packed, stored, and behind a comment (Python's zipfile)", async () => {
    expect(Buffer.from(await zipMember(archive, exe, limit)).toString()).toBe(whole);
    expect(Buffer.from(await zipMember(archive, "windows-amd64/README.md", limit)).toString()).toBe("# helm\n");
  });

  test("an archive without it names what is missing", async () => {
    await expect(zipMember(archive, "helm.exe", limit)).rejects.toThrow("it holds no helm.exe");
  });

  test("a file that is said to be larger than the limit is not unpacked", async () => {
    await expect(zipMember(archive, exe, 100)).rejects.toThrow("larger than 100 bytes");
  });

  test("a file that is larger than said, or encrypted, is refused", async () => {
    const entry = archive.indexOf(Buffer.from("PK\u0001\u0002"), archive.indexOf(Buffer.from("PK\u0001\u0002")) + 1);
    const name = archive.indexOf(exe, entry) - 46;
    const changed = (offset: number, value: number) => {
      const copy = Buffer.from(archive);
      copy.writeUInt32LE(value, name + offset);
      return copy;
    };
    await expect(zipMember(changed(24, 10), exe, limit)).rejects.toThrow("it is damaged");
    await expect(zipMember(changed(16, 1), exe, limit)).rejects.toThrow("it is damaged");
    await expect(zipMember(changed(8, 0x0008_0001), exe, limit)).rejects.toThrow("it is encrypted");
    await expect(zipMember(changed(42, 0xffff_fff0), exe, limit)).rejects.toThrow("it is damaged");
  });

  test("cut off at any place, or with any byte changed, it gives an error or the whole file", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(archive.length - 1), fc.nat(255), fc.boolean(), async (at, byte, cut) => {
        const copy = Buffer.from(cut ? archive.subarray(0, at) : archive);
        if (!cut) copy[at] = byte;
        const found = await zipMember(copy, exe, limit).catch((error: unknown) => error);
        if (found instanceof Error) return;
        expect(Buffer.from(found as Uint8Array).toString()).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });
});
