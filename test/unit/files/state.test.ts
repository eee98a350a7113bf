import { dirname, relative } from "node:path";

import fc from "fast-check";
import { expect, test } from "vitest";

import { statePaths } from "../../../src/files/state.ts";

test("all of our state has its place below one folder", () => {
  const state = statePaths("/home/example/.local/state/tracebloc");
  const below = (path: string) => relative(state.root, path);
  expect({
    installation: below(state.installation),
    lock: below(state.lock),
    runs: below(state.runs),
    tools: below(state.tools),
    kubeconfig: below(state.kubeconfig("tracebloc")),
    values: below(state.values("tracebloc", "my-release")),
  }).toEqual({
    installation: "installation.json",
    lock: "lock",
    runs: "runs",
    tools: "tools",
    kubeconfig: "cluster-tracebloc/kubeconfig.yaml",
    values: "cluster-tracebloc/values-my-release.yaml",
  });
});

test("no name of a cluster or release leaves its folder, and no two share one", () => {
  const state = statePaths("/state");
  const name = fc.oneof(fc.constantFrom(".", "..", "../x", "a/b", "a\\b", "con", "%2e"), fc.string());
  fc.assert(
    fc.property(name, name, (one, other) => {
      const values = state.values(one, other);
      expect(dirname(dirname(values))).toBe("/state");
      expect(dirname(state.kubeconfig(one))).toBe(dirname(values));
      expect(state.kubeconfig(one) === state.kubeconfig(other)).toBe(one === other);
    }),
  );
});
