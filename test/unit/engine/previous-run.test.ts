import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { createJournal, type RunJournal } from "../../../src/engine/journal.ts";
import { previousRun, readRun, type PreviousRun } from "../../../src/engine/previous-run.ts";
import { ownProcess, type Child } from "../../../src/process/processes.ts";
import { asUser, isRoot } from "../files/support.ts";
import { temporaryFolder } from "./support.ts";

const create = { do: "cluster.create", because: "there is none" };
const apply = { do: "release.apply", because: "there is none" };
const helm: Child = { pid: 4711, startedAt: "boot/1", file: "helm", about: "helm upgrade" };
const k3d: Child = { pid: 4712, startedAt: "boot/2", file: "k3d", about: "k3d cluster create" };

let second = 0;

/** Runs that follow one another in one folder. */
function runsIn(folder: string) {
  return (command: string, happens: (journal: RunJournal) => void) => {
    const now = () => new Date(Date.UTC(2026, 10, 30, 12, 3, (second += 1)));
    const journal = createJournal({ command, redact: (text) => text, warn: () => {}, now });
    journal.open(folder);
    happens(journal);
    return journal.file() ?? "";
  };
}

function read(folder: string): PreviousRun {
  const seen = previousRun(folder);
  if (seen.state === "unknown" || seen.value === undefined) throw new Error(JSON.stringify(seen));
  return seen.value;
}

describe("the run before", () => {
  test("is none on a fresh machine", () => {
    expect(previousRun(join(temporaryFolder(), "runs"))).toMatchObject({ state: "known", value: undefined });
    expect(previousRun(temporaryFolder())).toMatchObject({ state: "known", value: undefined });
  });

  test("that came to its end tells how, and what it had done", () => {
    const folder = temporaryFolder();
    const run = runsIn(folder);
    run("tracebloc install", (journal) => journal.end(5));
    const file = run("tracebloc upgrade", (journal) => {
      journal.before(create);
      journal.after(create);
      journal.before(apply);
      journal.failed(apply, new Error("x"));
      journal.end(4, "HELM_FAILED");
    });
    const { ended, ...before } = read(folder);
    expect(ended).toMatchObject({ exit: 4, reason: "HELM_FAILED" });
    expect(before).toMatchObject({
      file,
      command: "tracebloc upgrade",
      process: ownProcess(),
      done: [create],
      children: [],
    });
    expect(before).not.toHaveProperty("during");
  });

  test("that was killed tells during what, in the words a person has seen", () => {
    const folder = temporaryFolder();
    runsIn(folder)("tracebloc install", (journal) => {
      journal.before(create);
      journal.after(create);
      journal.before(apply);
      journal.event({
        type: "action",
        phase: "begin",
        room: "release",
        action: apply,
        says: "installing release tracebloc",
        ms: 0,
      });
    });
    const before = read(folder);
    expect(before.ended).toBeUndefined();
    expect(before).toMatchObject({ done: [create], during: { action: apply, says: "installing release tracebloc" } });
  });

  test("names the children that are not known to have ended", () => {
    const folder = temporaryFolder();
    runsIn(folder)("tracebloc install", (journal) => {
      journal.children.started(k3d);
      journal.children.started(helm);
      journal.children.ended(k3d);
    });
    expect(read(folder).children).toEqual([helm]);
  });

  test("hands on the children of runs before it, until one is known to have ended", () => {
    const folder = temporaryFolder();
    const run = runsIn(folder);
    run("tracebloc install", (journal) => journal.children.started(helm));
    run("tracebloc install", (journal) => journal.end(7, "CHILD_STILL_RUNS"));
    expect(read(folder).children).toEqual([helm]);
    run("tracebloc install", (journal) => {
      journal.children.ended(helm);
      // The same pid at another time is another process.
      journal.children.started({ ...helm, startedAt: "boot/9" });
    });
    run("tracebloc install", (journal) => journal.children.ended(helm));
    expect(read(folder).children).toEqual([{ ...helm, startedAt: "boot/9" }]);
  });

  test("is told by a run that opens its journal", () => {
    const folder = temporaryFolder();
    runsIn(folder)("tracebloc install", (journal) => journal.before(create));
    const journal = createJournal({
      command: "tracebloc install",
      redact: (text) => text,
      warn: () => {},
      now: () => new Date("2027-01-01"),
    });
    expect(journal.open(folder)).toMatchObject({ state: "known", value: { during: { action: create } } });
    // And is not that run itself.
    expect(read(folder).during).toBeUndefined();
  });

  test("of a newer version cannot be told: unknown, not none", () => {
    const folder = temporaryFolder();
    const file = runsIn(folder)("tracebloc install", () => {});
    writeFileSync(file, readFileSync(file, "utf8").replace('"format":1', '"format":2'));
    expect(previousRun(folder)).toMatchObject({ state: "unknown", why: `${file} was written by a newer version` });
  });

  test.skipIf(!isRoot)("that cannot be read is unknown, not none", () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    runsIn(folder)("tracebloc install", () => {});
    expect(asUser(4711, () => previousRun(folder))).toMatchObject({
      state: "unknown",
      why: expect.stringContaining("EACCES") as string,
    });
  });
});

describe("a journal that was damaged", () => {
  const first = (more: object = {}) => ({
    is: "run",
    format: 1,
    id: "1",
    at: "2026-11-30T12:03:04.567Z",
    version: "1.0.0",
    command: "tracebloc install",
    host: "box",
    pid: 1,
    startedAt: "boot/1",
    children: [],
    ...more,
  });
  const journalOf = (...lines: readonly unknown[]) => lines.map((line) => JSON.stringify(line)).join("\n");

  test.each([[{ at: 5 }], [{ children: undefined }], [{ children: 5 }], [{ children: [null] }], [{ pid: "1" }]])(
    "in its first line is no run: %j",
    (damage) => {
      expect(readRun(journalOf(first(damage)), "x")).toBe("empty");
    },
  );

  test.each([
    [{ is: "child", phase: "started", pid: null }],
    [{ is: "action", phase: "before", at: "x" }],
    [{ is: "action", phase: "before", at: "x", action: null }],
    [{ is: "event", event: null }],
    [null],
    [5],
  ])("in another one goes on without that: %j", (damage) => {
    const line = { is: "child", at: "x", phase: "started", ...helm };
    expect(readRun(journalOf(first(), damage, line), "x")).toMatchObject({ children: [helm] });
  });

  test("keeps no later run from starting", () => {
    const runs = temporaryFolder();
    writeFileSync(join(runs, "20261130T120304567Z-abcdef.ndjson"), journalOf(first({ children: [null] })));
    expect(previousRun(runs)).toMatchObject({ state: "known", value: undefined });
  });
});

describe("a journal that was cut off", () => {
  const whole = () => {
    const folder = temporaryFolder();
    const file = runsIn(folder)("tracebloc install", (journal) => {
      journal.before(create);
      journal.children.started(k3d);
      journal.children.ended(k3d);
      journal.after(create);
      journal.before(apply);
      journal.children.started(helm);
      journal.failed(apply, new Error("ä"));
      journal.end(4, "HELM_FAILED");
    });
    return { folder, file, text: readFileSync(file) };
  };

  test("at any byte tells what its whole lines tell", () => {
    const { file, text } = whole();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: text.length }), (length) => {
        const cut = text.subarray(0, length);
        const lines = cut.subarray(0, cut.lastIndexOf("\n") + 1);
        // A line that is whole but for its newline counts as well.
        const next = text.indexOf("\n", lines.length);
        const known = length === next ? text.subarray(0, next + 1) : lines;
        expect(readRun(cut.toString(), file)).toEqual(readRun(known.toString(), file));
      }),
    );
  });

  test("in its first line is no run yet: the one before it is looked at", () => {
    const { folder, text } = whole();
    writeFileSync(join(folder, "20991231T000000000Z-aaaaaa.ndjson"), text.subarray(0, 40));
    writeFileSync(join(folder, "20991231T000000001Z-aaaaaa.ndjson"), "");
    expect(read(folder)).toMatchObject({ ended: { exit: 4 }, children: [helm] });
  });

  test("in the middle by a full disk loses that line only", () => {
    const { file, text } = whole();
    const lines = text.toString().split("\n");
    lines[3] = lines[3]?.slice(0, 30) ?? "";
    // It was the end of k3d: for safety it counts as living.
    expect(readRun(lines.join("\n"), file)).toMatchObject({
      ended: { exit: 4 },
      done: [create],
      children: [k3d, helm],
    });
  });
});
