import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { bindSource, k3dBindSource } from "../../../src/platform/mounts.ts";
import { platformOf } from "./personalities.ts";

const linux = platformOf("linux");
const windows = platformOf("windows");

describe("B25: a folder never becomes a named volume", () => {
  test.each([
    ["C:\\Users\\mia\\.tracebloc", "C:\\Users\\mia\\.tracebloc"],
    ["c:\\data", "C:\\data"],
    ["D:/data/x", "D:\\data\\x"],
    ["C:\\data\\", "C:\\data"],
    ["C:\\a b\\ü", "C:\\a b\\ü"],
    ["C:\\a\\..\\b", "C:\\b"],
  ])("on Windows %s is mounted as %s", (folder, source) => {
    expect(bindSource(windows, folder)).toEqual({ mountable: true, source });
  });

  test.each([
    ["data", /drive letter/],
    ["/data", /drive letter/],
    ["\\data", /drive letter/],
    ["C:data", /drive letter/],
    ["\\\\nas\\share", /network/],
    ["//nas/share", /network/],
    ["\\\\?\\C:\\data", /device/],
    ["\\\\wsl$\\Ubuntu\\home", /network/],
    ["C:\\data:stream", /:/],
    ["C:\\a|b", /\|/],
    ["C:\\a\\con", /device/],
    ["C:\\nul.txt\\x", /device/],
    ["C:\\dot.\\x", /dot/],
    ["C:\\blank \\x", /blank/],
    ["C:\\a\nb", /control/],
  ])("on Windows %j is refused", (folder, why) => {
    expect(bindSource(windows, folder)).toEqual({ mountable: false, why: expect.stringMatching(why) as string });
  });
});

describe("bind mounts on POSIX", () => {
  // Each of these was mounted by Docker 20.10 and by k3d 5.9.0, and found again in `docker inspect`.
  test.each([
    "/srv/a,b",
    '/srv/q"x',
    "/srv/sp ace",
    "/srv/ünï",
    "/srv/a'b",
    "/srv/$HOME",
    "/srv/back\\slash",
    "/srv/x;y",
  ])("%s is mounted as it is", (folder) => {
    expect(bindSource(linux, folder)).toEqual({ mountable: true, source: folder });
    expect(k3dBindSource(linux, folder)).toEqual({ mountable: true, source: folder });
  });

  test.each([
    ["/srv/co:lon", /colon/],
    ["data", /absolute/],
    ["C:\\data", /drive letter/],
    ["C:/data", /drive letter/],
    ["\\\\nas\\share", /network/],
    ["//nas/share", /network/],
    ["/srv/a\nb", /control/],
    ["/srv/a\u0000b", /control/],
    ["/srv/\u001b[31m", /control/],
  ])("%j is refused", (folder, why) => {
    expect(bindSource(linux, folder)).toEqual({ mountable: false, why: expect.stringMatching(why) as string });
  });

  test("a trailing slash goes", () => {
    expect(bindSource(linux, "/srv/x/")).toEqual({ mountable: true, source: "/srv/x" });
  });
});

/** How k3d 5.9.0 takes a volume flag apart (cmd/util/filter.go, read there): at each @ that has no backslash before it. */
function splitAsK3dDoes(flag: string): { volume: string; filters: string } | undefined {
  const parts: string[] = [];
  let buffer = "";
  const pieces = flag.split("@");
  for (const [index, piece] of pieces.entries()) {
    const escaped = piece.endsWith("\\") && index !== pieces.length - 1;
    if (escaped && !piece.endsWith("\\\\")) {
      buffer += `${piece.slice(0, -1)}@`;
      continue;
    }
    parts.push(buffer + (escaped ? piece.slice(0, -1) : piece));
    buffer = "";
  }
  const [volume, filters] = parts;
  return parts.length === 2 && volume !== undefined && filters !== undefined ? { volume, filters } : undefined;
}

describe("what k3d makes of the source", () => {
  const name = fc
    .array(fc.constantFrom(..."ab@\\ ,;.'\"$é".split("")), { minLength: 1, maxLength: 8 })
    .map((parts) => parts.join(""));
  const names = fc.array(name, { minLength: 1, maxLength: 4 });

  test.each([
    [linux, (parts: string[]) => `/${parts.join("/")}`],
    [windows, (parts: string[]) => `C:\\${parts.join("\\")}`],
  ] as const)("is the folder itself, or it is refused beforehand (%#)", (platform, folderOf) => {
    fc.assert(
      fc.property(names, (parts) => {
        const bind = bindSource(platform, folderOf(parts));
        const forK3d = k3dBindSource(platform, folderOf(parts));
        if (!bind.mountable || !forK3d.mountable) return;
        expect(splitAsK3dDoes(`${forK3d.source}:/tracebloc@all`)).toEqual({
          volume: `${bind.source}:/tracebloc`,
          filters: "all",
        });
      }),
    );
  });

  test("an @ after a backslash cannot be told to k3d, and is refused", () => {
    expect(k3dBindSource(linux, "/srv/bs\\@at")).toMatchObject({ mountable: false });
    expect(k3dBindSource(windows, "C:\\data\\@x")).toMatchObject({ mountable: false });
  });
});
