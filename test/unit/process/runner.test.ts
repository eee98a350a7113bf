import { describe, expect, test } from "vitest";

import { firstComplaint, succeeded, type RunResult } from "../../../src/process/runner.ts";

const result = (more: Partial<RunResult>): RunResult => ({
  outcome: "exited",
  stdout: "",
  stderr: "",
  truncated: false,
  ms: 30_400,
  ...more,
});

/** What k3d 5.9.0 says into a pipe where no engine answers. */
const k3dWithoutEngine = [
  "\x1b[31mERRO\x1b[0m[0000] Failed to get nodes for cluster 'none': docker failed to get containers with labels 'map[k3d.cluster:none]': failed to list containers: Cannot connect to the Docker daemon at unix:///nonexistent.sock. Is the docker daemon running? ",
  "\x1b[36mINFO\x1b[0m[0000] Prep: Network                                ",
  "\x1b[31mERRO\x1b[0m[0000] Failed to create cluster >>> Rolling Back    ",
  "\x1b[31mFATA\x1b[0m[0000] Cluster creation FAILED, also FAILED to rollback changes! ",
  "",
].join("\n");

test("only exit code 0 is success", () => {
  expect(succeeded(result({ exitCode: 0 }))).toBe(true);
  for (const more of [
    { exitCode: 1 },
    { signal: "SIGKILL" },
    {},
    { outcome: "timed-out" as const },
    { outcome: "cancelled" as const },
  ]) {
    expect(succeeded(result(more))).toBe(false);
  }
});

describe("the line a person should see", () => {
  test.for<[string, Partial<RunResult>, string]>([
    [
      "the tool's error, not the warnings before it",
      { exitCode: 1, stderr: "WARNING: group-readable\nError: release: not found\n" },
      "Error: release: not found",
    ],
    [
      "the first of several errors, without colours: the last only says that all is lost",
      { exitCode: 1, stderr: k3dWithoutEngine },
      "ERRO[0000] Failed to get nodes for cluster 'none': docker failed to get containers with labels 'map[k3d.cluster:none]': failed to list containers: Cannot connect to the Docker daemon at unix:///nonexistent.sock. Is the docker daemon running?",
    ],
    [
      "stderr before stdout",
      { exitCode: 1, stdout: "error in data\n", stderr: "permission denied\n" },
      "permission denied",
    ],
    ["what there is, where nothing sounds like an error", { exitCode: 4, stderr: "\n  note \r\n" }, "note"],
    ["the exit code of a program that said nothing", { exitCode: 3 }, "exit code 3"],
    ["the signal that ended it", { signal: "SIGKILL" }, "ended by SIGKILL"],
    ["that time was over", { outcome: "timed-out", stderr: "Error: x" }, "no answer within 30 s"],
    ["that it was interrupted", { outcome: "cancelled" }, "interrupted"],
    [
      "why it did not start",
      { outcome: "not-started", notStarted: "missing", why: "there is no k3d on PATH" },
      "could not be started: there is no k3d on PATH",
    ],
    ["that it did not start", { outcome: "not-started", notStarted: "missing" }, "could not be started: missing"],
  ])("is %s", ([, more, line]) => {
    expect(firstComplaint(result(more))).toBe(line);
  });

  test("is one line that a person can read, whatever the tool printed", () => {
    expect(firstComplaint(result({ exitCode: 1, stderr: `error: ${"x".repeat(1_000_000)}` }))).toHaveLength(500);
    expect(firstComplaint(result({ exitCode: 1, stderr: "pulling 50 %\rerror: \u009b31mgone\u202e" }))).toBe(
      "error: gone?",
    );
  });
});
