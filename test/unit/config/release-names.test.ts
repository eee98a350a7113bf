import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  longestClusterName,
  longestReleaseName,
  objectionToCluster,
  objectionToRelease,
} from "../../../src/config/release-names.ts";
import { releaseSuffixes } from "../../../src/config/release-suffixes.ts";

// Kubernetes' rules for a label of RFC 1123 and for a subdomain, and Helm's and k3d's own, as those projects spell them.
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const helmRelease = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const k3dCluster =
  /^(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9])$/;

const nameLike = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc
    .array(fc.constantFrom("a", "z", "0", "-", ".", "_", "A", " ", "é", "kube-", "tracebloc"), { maxLength: 50 })
    .map((parts) => parts.join("")),
);

describe("the name of a release", () => {
  test("what is taken, Kubernetes, Helm and the chart's longest name take as well", () => {
    fc.assert(
      fc.property(nameLike, (name) => {
        if (objectionToRelease(name) !== undefined) return;
        expect(name).toMatch(label);
        expect(name).toMatch(helmRelease);
        expect(name.length).toBeLessThanOrEqual(53);
        const burst = releaseSuffixes.filter(({ suffix, longest }) => `${name}${suffix}`.length > longest);
        expect(burst).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  test("one more character than the longest is too many for some object of the chart", () => {
    const tooLong = "a".repeat(longestReleaseName + 1);
    expect(objectionToRelease("a".repeat(longestReleaseName))).toBeUndefined();
    expect(objectionToRelease(tooLong)?.why).toBe(`has ${tooLong.length} characters, 1 too many`);
    const burst = releaseSuffixes.filter(({ suffix, longest }) => `${tooLong}${suffix}`.length > longest);
    expect(burst.map(({ suffix }) => suffix)).toContain("-egress-reachability-check");
  });

  test.each(["logs", "data", "mysql", "bin", "lock", "default", "kube-system", "kube-x", "tracebloc-node-agents"])(
    "%s has another meaning",
    (name) => {
      expect(objectionToRelease(name)).toBeDefined();
    },
  );

  test.each(["tracebloc", "t", "7", "a-b", "data1", "my-logs", "kube", "kubernetes"])("%s will do", (name) => {
    expect(objectionToRelease(name)).toBeUndefined();
  });

  test("backend#2047: a name that the old installer would have rewritten is refused with the nearest that will do", () => {
    const instead = (name: string) => objectionToRelease(name)?.instead;
    expect(instead("My Edge")).toBe("my-edge");
    expect(instead("münchen_1")).toBe("munchen-1");
    expect(instead("--a--")).toBe("a");
    expect(instead("日本")).toBeUndefined();
  });

  test("a name that is offered instead will do", () => {
    fc.assert(
      fc.property(nameLike, (name) => {
        const instead = objectionToRelease(name)?.instead ?? "tracebloc";
        expect([undefined, "is a name with another meaning here"]).toContain(objectionToRelease(instead)?.why);
      }),
    );
  });
});

describe("the name of a cluster", () => {
  test("what is taken, k3d takes as well", () => {
    fc.assert(
      fc.property(nameLike, (name) => {
        if (objectionToCluster(name) !== undefined) return;
        expect(name).toMatch(k3dCluster);
        expect(name.length).toBeLessThanOrEqual(32);
        expect(name).toBe(name.toLowerCase());
      }),
      { numRuns: 2000 },
    );
  });

  // Tried on k3d 5.9.0: `cfg.bind` comes up, `Cfg-Bind` never does, since Kubernetes takes no capitals in a node's name.
  test.each(["tracebloc", "cfg.bind", "a.b-c.d", "c".repeat(longestClusterName)])("%s will do", (name) => {
    expect(objectionToCluster(name)).toBeUndefined();
  });

  test.each([
    "Cfg-Bind",
    "a..b",
    ".a",
    "a.",
    "a_b",
    "a-",
    "a.-b",
    "c".repeat(longestClusterName + 1),
    `a.${"c".repeat(31)}`,
  ])("bash 8B-1: %s is refused here, and not by k3d in raw words", (name) => {
    expect(objectionToCluster(name)).toBeDefined();
  });
});
