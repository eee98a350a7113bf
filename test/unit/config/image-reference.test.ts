import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { mirrorOf, parseReference, rehome } from "../../../src/config/image-reference.ts";
import { digest, images, mirrors } from "../images/arbitraries.ts";

describe("a reference", () => {
  test.each([
    ["busybox", "docker.io", "library/busybox", ":latest"],
    ["busybox:1.35", "docker.io", "library/busybox", ":1.35"],
    ["docker.io/busybox:1.35", "docker.io", "library/busybox", ":1.35"],
    ["tracebloc/jobs-manager:prod", "docker.io", "tracebloc/jobs-manager", ":prod"],
    ["localhost/team/x:1", "localhost", "team/x", ":1"],
    ["registry:5000/x", "registry:5000", "x", ":latest"],
    ["[2001:db8::1]:5000/team/x:1", "[2001:db8::1]:5000", "team/x", ":1"],
    [`ghcr.io/tracebloc/ingestor@${digest}`, "ghcr.io", "tracebloc/ingestor", `@${digest}`],
    [`registry.example.com:5000/a/b/c:v1@${digest}`, "registry.example.com:5000", "a/b/c", `:v1@${digest}`],
  ])("%s is taken apart as engines do", (text, registry, repository, pin) => {
    expect(parseReference(text)).toEqual({ registry, repository, pin });
  });

  test.each(["", ":1", "a b", "a//b", "/a", "a/", "Team/x", "x:", "x@sha256:12", "https://x/y", "${IMAGE}", "x\ny"])(
    "%j is none",
    (text) => {
      expect(parseReference(text)).toBeUndefined();
    },
  );

  test("is put together again from its parts, whatever its registry, path, tag and digest are", () => {
    fc.assert(
      fc.property(images, (image) => {
        const parsed = parseReference(image);
        expect(`${parsed?.registry}/${parsed?.repository}${parsed?.pin}`).toBe(image);
      }),
    );
  });
});

describe("a mirror", () => {
  test.each([
    ["mirror.example.com", "mirror.example.com"],
    [" https://mirror.example.com:5000/ ", "mirror.example.com:5000"],
    ["oci://mirror.example.com/team//", "mirror.example.com/team"],
  ])("is read as people paste it: %j", (text, mirror) => {
    expect(mirrorOf(text)).toBe(mirror);
  });

  test.each(["", "/", "https://", "a b", "mirror.example.com?x=1", "user:word@mirror.example.com"])(
    "is not %j",
    (text) => {
      expect(mirrorOf(text)).toBeUndefined();
    },
  );

  test("has every image under its own path with its own tag and digest, and what it has it keeps", () => {
    fc.assert(
      fc.property(images, mirrors, (image, mirror) => {
        const there = rehome(image, mirror);
        const { repository, pin } = parseReference(image) ?? { repository: "", pin: "" };
        expect(there).toBe(`${mirror}/${repository}${pin}`);
        expect(rehome(there, mirror)).toBe(there);
      }),
    );
  });
});
