import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { versionOf, wrongVersion } from "../../../src/tools/rules.ts";
import { compareVersions, findVersion, type Version } from "../../../src/tools/versions.ts";

function versionIn(text: string): Version {
  const version = findVersion(text);
  if (version === undefined) throw new Error(`no version in ${text}`);
  return version;
}

describe("B34: what tools print for a version", () => {
  test.each([
    // Recorded.
    ["k3d", "k3d version v5.9.0\nk3s version v1.35.5-k3s1 (default)\n", "5.9.0"],
    ["helm", "v4.2.3", "4.2.3"],
    ["helm", "v4.2", "4.2"],
    ["kubectl", '{\n  "clientVersion": {\n    "major": "1",\n    "gitVersion": "v1.35.4"\n  }\n}\n', "1.35.4"],
    // From B34's sources.
    ["helm", "v3.16.1+g5a5449d", "3.16.1+g5a5449d"],
    ["helm", "v4.0.0-rc.1", "4.0.0-rc.1"],
    ["helm", "v3.14.2+vendor1", "3.14.2+vendor1"],
    ["helm", 'version.BuildInfo{Version:"v3.12.3", GitCommit:"3a31588ad33fe3b89af5a2a54ee1d25bfe6eaa5e"}', "3.12.3"],
    [
      "helm",
      'Client: &version.Version{SemVer:"v2.16.1", GitCommit:"bbdfe5e7803a12bbdf97e94cd847859890cf4050"}',
      "2.16.1",
    ],
    ["helm", "v3.9+unreleased", "3.9+unreleased"],
    ["helm", "<no value>", undefined],
    ["k3d", "k3d version v5-dev\nk3s version latest (default)\n", undefined],
    ["kubectl", "Client Version: v1.28.0\n", undefined],
    ["helm", "", undefined],
  ] as const)("%s: %j", (tool, printed, text) => {
    expect(versionOf(tool, printed)?.text).toBe(text);
  });

  test.each([
    ["helm", "v3.9.4", true],
    ["helm", "v3.10.0", true],
    ["helm", "v3.13.3", true],
    ["helm", "v3.14.0-rc.1", true],
    ["helm", "v3.14.0", false],
    ["helm", "v3.14.2-vendor1", false],
    ["helm", "v3.18.4", false],
    ["helm", "v4.0.0-rc.1", false],
    ["helm", "v4.2", false],
    ["helm", "v4.3.0", false],
    ["helm", "v5.0.0", true],
    ["helm", "v2.16.1", true],
    ["k3d", "v5.6.0", true],
    ["k3d", "v5.6.3", false],
    ["k3d", "v5.10.0", false],
    ["k3d", "v4.4.8", true],
    ["k3d", "v6.0.0", true],
  ] as const)("%s %s is refused: %s", (tool, version, refused) => {
    expect(wrongVersion(tool, versionIn(version)) !== undefined).toBe(refused);
  });

  test("B04: a k3d that cannot talk to Docker 29 is too old, and says so", () => {
    expect(wrongVersion("k3d", versionIn("v5.6.0"))).toBe("is older than 5.6.3: older ones cannot talk to Docker 29");
  });
});

describe("versions in order", () => {
  const number = fc.integer({ min: 0, max: 999_999 });
  const numbers = fc.tuple(number, number, number);
  const write = ([major, minor, patch]: readonly number[]) => `v${major}.${minor}.${patch}`;

  test("what was written is read back, whatever stands around it", () => {
    fc.assert(
      fc.property(
        numbers,
        fc.constantFrom("", "k3d version ", "x\n", '{"v":"'),
        fc.constantFrom("", "\n", '"', " (default)"),
        (parts, before, after) => {
          expect(findVersion(`${before}${write(parts)}${after}`)?.numbers).toEqual(parts);
        },
      ),
    );
  });

  test("are compared as numbers, place by place", () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const place = a.findIndex((part, index) => part !== b[index]);
        const expected = place === -1 ? 0 : Math.sign((a[place] ?? 0) - (b[place] ?? 0));
        expect(Math.sign(compareVersions(versionIn(write(a)), versionIn(write(b))))).toBe(expected);
      }),
    );
  });

  test("a release comes after what comes before it, and build data orders nothing", () => {
    expect(compareVersions(versionIn("4.0.0-rc.1"), versionIn("4.0.0"))).toBeLessThan(0);
    expect(compareVersions(versionIn("4.0.0-beta"), versionIn("3.99.0"))).toBeGreaterThan(0);
    expect(compareVersions(versionIn("4.0.0+a"), versionIn("4.0.0+b"))).toBe(0);
  });

  test("no text makes it throw", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const found = findVersion(text);
        expect(found === undefined || found.numbers.every((part) => Number.isSafeInteger(part))).toBe(true);
      }),
    );
  });
});
