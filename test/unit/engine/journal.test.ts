import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";

import { describe, expect, test } from "vitest";

import { createJournal, prune, type JournalOptions } from "../../../src/engine/journal.ts";
import type { Line } from "../../../src/engine/journal-line.ts";
import { version } from "../../../src/platform/version.ts";
import { ownProcess, type Child } from "../../../src/process/processes.ts";
import { createRedactor } from "../../../src/process/redact.ts";
import type { Call } from "../../../src/process/runner.ts";
import { canMount, smallDisk } from "../files/support.ts";
import { temporaryFolder } from "./support.ts";

const call: Call = {
  about: "list clusters",
  file: "k3d",
  args: ["cluster", "list"],
  outcome: "exited",
  exitCode: 0,
  truncated: false,
  ms: 12,
};
const child: Child = { pid: 4711, startedAt: "boot/1", file: "helm", about: "helm upgrade" };
const action = { do: "cluster.create", because: "there is none" };

function newJournal(more: Partial<JournalOptions> = {}) {
  const redactor = createRedactor();
  const warnings: string[] = [];
  const journal = createJournal({
    command: "tracebloc install",
    redact: redactor.redact,
    warn: (says) => warnings.push(says),
    now: () => new Date("2026-11-30T12:03:04.567Z"),
    ...more,
  });
  return { journal, redactor, warnings };
}

const linesOf = (path: string | undefined) =>
  readFileSync(path ?? "", "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

describe("the journal of a run", () => {
  test("begins with who runs, goes on with what happens, and ends with how", () => {
    const runs = join(temporaryFolder(), "runs");
    const { journal } = newJournal();
    journal.open(runs);
    journal.event({ type: "note", room: "host", says: "a note" });
    journal.call(call);
    journal.before(action);
    journal.children.started(child);
    journal.children.ended(child);
    journal.after(action);
    journal.failed(action, new Error("in the end"));
    journal.end(6, "WORKLOAD_NOT_READY");
    journal.call(call);

    const at = "2026-11-30T12:03:04.567Z";
    const [first, ...rest] = linesOf(journal.file());
    const id = first?.is === "run" ? first.id : "";
    expect(id).toMatch(/^20261130T120304567Z-[0-9a-f]{6}$/);
    expect(journal.file()).toBe(join(runs, `${id}.ndjson`));
    expect(first).toEqual({
      is: "run",
      format: 1,
      id,
      at,
      version,
      command: "tracebloc install",
      host: hostname(),
      ...ownProcess(),
      children: [],
    });
    expect(rest).toEqual([
      { is: "event", at, event: { type: "note", room: "host", says: "a note" } },
      { is: "call", at, ...call },
      { is: "action", at, phase: "before", action },
      { is: "child", at, phase: "started", ...child },
      { is: "child", at, phase: "ended", ...child },
      { is: "action", at, phase: "after", action },
      { is: "action", at, phase: "failed", action, error: "in the end" },
      { is: "end", at, exit: 6, reason: "WORKLOAD_NOT_READY" },
    ]);
  });

  test("is for its owner only", () => {
    const runs = join(temporaryFolder(), "runs");
    const { journal } = newJournal();
    journal.open(runs);
    expect([statSync(runs).mode & 0o777, statSync(journal.file() ?? "").mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test("is on disk line by line, before a call returns", () => {
    const { journal } = newJournal();
    journal.open(temporaryFolder());
    journal.before(action);
    expect(linesOf(journal.file())).toHaveLength(2);
    journal.after(action);
    expect(linesOf(journal.file())).toHaveLength(3);
  });

  test("keeps what came before it was opened; one that never is leaves nothing", () => {
    const runs = temporaryFolder();
    const { journal } = newJournal();
    journal.call(call);
    expect([journal.file(), readdirSync(runs)]).toEqual([undefined, []]);
    journal.open(runs);
    expect(linesOf(journal.file()).map(({ is }) => is)).toEqual(["run", "call"]);
  });

  test("has a sign of life once for each thing that is waited for", () => {
    const { journal } = newJournal();
    journal.open(temporaryFolder());
    for (const waitingFor of ["a", "a", "b", "b", "a"]) {
      journal.event({ type: "wait", room: "release", waitingFor, sinceMs: 1, limitMs: 2 });
    }
    const waits = linesOf(journal.file()).flatMap((line) =>
      line.is === "event" && line.event.type === "wait" ? [line.event.waitingFor] : [],
    );
    expect(waits).toEqual(["a", "b", "a"]);
  });

  test("holds no secret, wherever it came in", () => {
    const { journal, redactor } = newJournal({ command: "tracebloc install --token canary-7f3a" });
    redactor.add("canary-7f3a");
    journal.open(temporaryFolder());
    const says = "with canary-7f3a in it";
    journal.call({ ...call, args: [says], about: says });
    journal.event({
      type: "warning",
      finding: { reason: "DEFECT", room: "run", says, remedies: [{ says, command: says }], details: [says] },
    });
    journal.before({
      do: "release.apply",
      because: says,
      values: { clientPassword: "hunter22", "canary-7f3a": 1 },
    } as typeof action);
    journal.failed(action, new Error(`http://user:hunter22@proxy.example.com ${says}`));
    journal.failed(action, { thrown: says });
    journal.children.started({ ...child, about: says });
    expect(readFileSync(journal.file() ?? "", "utf8")).not.toMatch(/canary-7f3a|hunter22/);
    expect(linesOf(journal.file())).toHaveLength(7);
  });
});

describe("a journal that cannot be written", () => {
  test.skipIf(!canMount)("warns once on a full disk, and goes on when there is room again", () => {
    const disk = smallDisk(16);
    const { journal, warnings } = newJournal();
    journal.open(join(disk, "runs"));
    const fill = join(disk, "fill");
    for (let size = 8192; size > 0; size >>= 1) {
      try {
        writeFileSync(fill, Buffer.alloc(size), { flag: "a" });
      } catch {
        // As full as it gets with pieces of this size.
      }
    }
    for (let index = 0; index < 200; index++) journal.call(call);
    journal.before(action);
    expect(warnings).toEqual([`cannot write the journal ${journal.file()}: no space left on its file system`]);

    rmSync(fill);
    journal.after(action);
    journal.end(0);
    const text = readFileSync(journal.file() ?? "", "utf8")
      .trimEnd()
      .split("\n");
    expect(text.slice(-2).map((line) => (JSON.parse(line) as Line).is)).toEqual(["action", "end"]);
    // At most one line was cut off in the middle.
    const torn = text.filter((line) => {
      try {
        return JSON.parse(line) === undefined;
      } catch {
        return true;
      }
    });
    expect(torn.length).toBeLessThanOrEqual(1);
  });

  test("warns once where its folder cannot be made", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "runs"), "a file");
    const { journal, warnings } = newJournal();
    expect(journal.open(join(folder, "runs"))).toMatchObject({ state: "unknown" });
    journal.before(action);
    journal.end(0);
    expect(warnings).toEqual([expect.stringContaining(`cannot write the journal ${join(folder, "runs")}`)]);
  });
});

describe("old journals", () => {
  const name = (index: number) => `202611${String(10 + index)}T120000000Z-abcdef`;

  test("go but for the newest twenty, with all that bears their names; what is no run's stays", () => {
    const runs = temporaryFolder();
    for (let index = 0; index < 20; index++) writeFileSync(join(runs, `${name(index)}.ndjson`), "x");
    writeFileSync(join(runs, `${name(0)}.log`), "x");
    writeFileSync(join(runs, "notes.txt"), "x");
    mkdirSync(join(runs, "folder"));
    const { journal } = newJournal({ now: () => new Date("2027-01-01T00:00:00Z") });
    journal.open(runs);
    const left = readdirSync(runs);
    expect(left.filter((file) => file.endsWith(".ndjson"))).toHaveLength(20);
    expect(left).toEqual(expect.arrayContaining(["folder", "notes.txt", `${name(1)}.ndjson`]));
    expect(left.filter((file) => file.startsWith(name(0)))).toEqual([]);
  });

  test("of a clock that was ahead do not make a new one the oldest, which would be pruned and never found", () => {
    const runs = temporaryFolder();
    for (let index = 0; index < 20; index++) writeFileSync(join(runs, `${name(index)}.ndjson`), "x");
    const { journal } = newJournal({ now: () => new Date("2026-01-01T00:00:00Z") });
    journal.open(runs);
    expect(basename(journal.file() ?? "")).toMatch(/^20261129T120000001Z-[0-9a-f]{6}\.ndjson$/);
    expect(readdirSync(runs).sort().at(-1)).toBe(basename(journal.file() ?? ""));
  });

  test("cannot make a run fail", () => {
    expect(() => prune("/no/such/folder")).not.toThrow();
  });
});
