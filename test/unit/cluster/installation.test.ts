import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import {
  isUnfinished,
  noteBirth,
  noteGone,
  noteReady,
  readInstallation,
  store,
  type Installation,
} from "../../../src/cluster/installation.ts";
import { statePaths, type StatePaths } from "../../../src/files/state.ts";
import { version } from "../../../src/platform/version.ts";

const morning = new Date("2026-11-30T08:00:00Z");
const noon = new Date("2026-11-30T12:00:00Z");

let state: StatePaths;
beforeEach(() => {
  state = statePaths(mkdtempSync(join(tmpdir(), "tracebloc-state-")));
});
afterEach(() => rmSync(state.root, { recursive: true }));

const write = (text: string) => writeFileSync(state.installation, text);
function here(): Installation {
  const seen = readInstallation(state);
  if (seen.state === "unknown" || seen.value.is !== "here") throw new Error("there is no installation");
  return seen.value.installation;
}

describe("installation.json", () => {
  test("tells whose a cluster is, from before it is made until it is gone", () => {
    const id = noteBirth(state, "tracebloc", morning);
    expect(here()).toEqual({
      format: 1,
      id,
      createdAt: morning.toISOString(),
      version,
      clusters: { tracebloc: { createdAt: morning.toISOString() } },
    });
    expect(isUnfinished(here(), "tracebloc")).toBe(true);

    noteReady(state, "tracebloc", noon);
    expect(here().clusters).toEqual({ tracebloc: { createdAt: morning.toISOString(), readyAt: noon.toISOString() } });
    expect(isUnfinished(here(), "tracebloc")).toBe(false);

    noteGone(state, "tracebloc", noon);
    expect(here()).toMatchObject({ id, createdAt: morning.toISOString(), clusters: {} });
  });

  test("keeps its id for every further cluster, and what is noted of the others", () => {
    const id = noteBirth(state, "one", morning);
    noteReady(state, "one", noon);
    expect(noteBirth(state, "two", noon)).toBe(id);
    expect(isUnfinished(here(), "one")).toBe(false);
  });

  test("a cluster that is made again is unfinished again", () => {
    noteBirth(state, "tracebloc", morning);
    noteReady(state, "tracebloc", morning);
    noteBirth(state, "tracebloc", noon);
    expect(isUnfinished(here(), "tracebloc")).toBe(true);
  });

  test("a cluster may be called as something that JavaScript gives every object", () => {
    noteBirth(state, "tracebloc", morning);
    expect(isUnfinished(here(), "constructor")).toBe(false);
    expect("constructor" in here().clusters).toBe(false);
    noteBirth(state, "constructor", noon);
    expect(isUnfinished(here(), "constructor")).toBe(true);
  });

  test("an adopted cluster is not noted as if we had made it", () => {
    noteReady(state, "tracebloc", noon);
    expect(readInstallation(state)).toMatchObject({ value: { is: "none" } });
    noteBirth(state, "other", morning);
    noteReady(state, "tracebloc", noon);
    expect(isUnfinished(here(), "tracebloc")).toBe(false);
    expect(Object.keys(here().clusters)).toEqual(["other"]);
  });

  test("the first answer counts, not the newest", () => {
    noteBirth(state, "tracebloc", morning);
    noteReady(state, "tracebloc", morning);
    noteReady(state, "tracebloc", noon);
    expect(here().clusters["tracebloc"]?.readyAt).toBe(morning.toISOString());
  });

  test("none is none", () => {
    expect(readInstallation(state)).toMatchObject({ state: "known", value: { is: "none" } });
  });

  const withClusters = (clusters: unknown) =>
    JSON.stringify({ format: 1, version: "1.0.0", id: "id-1", createdAt: "2026-11-30T08:00:00Z", clusters });

  test.each([
    "",
    "{",
    "null",
    "[]",
    "{}",
    '{"format":1,"version":"1.0.0"}',
    '{"format":1,"version":"1.0.0","id":""}',
    withClusters(5),
    withClusters({ tracebloc: null }),
    withClusters({ tracebloc: {} }),
  ])("%j is unknown, never none, and is left as it is", (text) => {
    write(text);
    expect(readInstallation(state).state).toBe("unknown");
    expect(() => noteBirth(state, "tracebloc", noon)).toThrow("our own state cannot be read");
    expect(readFileSync(state.installation, "utf8")).toBe(text);
  });

  test("what is there and cannot be read is unknown", () => {
    mkdirSync(state.installation);
    expect(readInstallation(state).state).toBe("unknown");
  });

  test("what cannot be written is told with its path, and as no defect of ours", () => {
    const within = statePaths(join(state.installation, "below-a-file"));
    write("{}");
    expect(() => store(within.installation, "")).toThrow(
      expect.objectContaining({ finding: expect.objectContaining({ reason: "STATE_UNUSABLE" }) as unknown }),
    );
  });

  test("one of a newer version is told by its version, and left as it is", () => {
    write('{"format":2,"version":"2.0.0","whatever":true}');
    expect(readInstallation(state)).toMatchObject({ value: { is: "newer", version: "2.0.0" } });
    expect(() => noteBirth(state, "tracebloc", noon)).toThrow("tracebloc 2.0.0");
    noteReady(state, "tracebloc", noon);
    expect(readFileSync(state.installation, "utf8")).toContain("whatever");
  });
});
