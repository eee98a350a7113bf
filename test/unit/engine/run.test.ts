import { describe, expect, test } from "vitest";

import type { Event } from "../../../src/engine/events.ts";
import { known, unknown, type Fact } from "../../../src/engine/fact.ts";
import { Failure, type Finding, type Room } from "../../../src/engine/finding.ts";
import { nothing, type Done, type Performer, type Planned, type Proof } from "../../../src/engine/plan.ts";
import { outcomeOf } from "../../../src/engine/outcome.ts";
import { run, type Program } from "../../../src/engine/run.ts";
import { machine } from "./support.ts";

/** A machine in miniature: a cluster that has to be there before a release can be, and a lamp that belongs to neither. */
type Facts = { cluster: boolean; release: boolean; lamp: boolean; looks: (readonly Room[])[] };
type MakeCluster = { do: "cluster.create"; because: string };
type MakeRelease = { do: "release.apply"; because: string };
type Light = { do: "lamp.light"; because: string };
type Action = MakeCluster | MakeRelease | Light;

const holds = (says: string): Fact<Proof> => known({ holds: true, says }, "a look");
const refusal: Finding = { reason: "CLUSTER_NOT_OURS", room: "cluster", says: "not ours", remedies: [] };

function world(start: Partial<Facts> = {}) {
  const real = { cluster: false, release: false, lamp: false, ...start };
  const journal: string[] = [];
  const performer = <A extends Action>(change: () => void, room: Room, reveals: readonly Room[]): Performer<A> => ({
    says: ({ do: what }) => `doing ${what}`,
    perform: async () => change(),
    prove: async ({ do: what }) => holds(`${what} seen`),
    room,
    reveals,
  });
  const plan = (facts: Facts): Planned<Action> => {
    const actions: Action[] = [];
    if (!facts.lamp) actions.push({ do: "lamp.light", because: "it is dark" });
    if (!facts.cluster) {
      actions.push({ do: "cluster.create", because: "there is none" });
      return { ...nothing, actions, then: ["the release"] };
    }
    if (!facts.release) actions.push({ do: "release.apply", because: "there is none" });
    return { ...nothing, actions };
  };
  const program: Program<Facts, Action> = {
    observe: async (_, before) => ({ ...real, looks: [...(before?.facts.looks ?? []), before?.stale ?? ["run"]] }),
    plan,
    performers: {
      "cluster.create": performer(() => (real.cluster = true), "cluster", ["cluster", "release"]),
      "release.apply": performer(() => (real.release = true), "release", ["release"]),
      "lamp.light": performer(() => (real.lamp = true), "host", []),
    },
  };
  return {
    program,
    real,
    journal: {
      lines: journal,
      before: (action: { do: string }) => void journal.push(`before ${action.do}`),
      after: (action: { do: string }) => void journal.push(`after ${action.do}`),
      failed: (action: { do: string }, error: unknown) => void journal.push(`failed ${action.do}: ${String(error)}`),
    },
  };
}

const names = (done: readonly Done<Action>[]) => done.map(({ action }) => action.do);

describe("a run", () => {
  test("goes on from what an action has made knowable, until nothing is left to do", async () => {
    const { program, journal } = world();
    const { on, events } = machine();
    const ended = await run(program, on, journal, { dryRun: false, command: "install" });
    expect(ended.how).toBe("settled");
    expect(names(ended.done)).toEqual(["lamp.light", "cluster.create", "release.apply"]);
    expect(ended.facts).toMatchObject({ cluster: true, release: true, lamp: true });
    // Looked at all once, then only at what became stale.
    expect(ended.facts.looks).toEqual([["run"], ["cluster", "release"], ["release"]]);
    expect(
      events.flatMap((event) => (event.type === "plan" ? [event.actions.map((action) => action.do)] : [])),
    ).toEqual([["lamp.light", "cluster.create"], ["release.apply"], []]);
  });

  test("does nothing on a machine where all is well, and journals nothing", async () => {
    const { program, journal } = world({ cluster: true, release: true, lamp: true });
    const ended = await run(program, machine().on, journal, { dryRun: false, command: "install" });
    expect(ended).toMatchObject({ how: "settled", done: [] });
    expect(journal.lines).toEqual([]);
  });

  test("that is dry changes nothing, and gives the plan with what is decided later", async () => {
    const { program, journal, real } = world();
    const ended = await run(program, machine().on, journal, { dryRun: true, command: "install" });
    expect(ended).toMatchObject({ how: "planned", done: [], planned: { then: ["the release"] } });
    expect([real, journal.lines]).toEqual([{ cluster: false, release: false, lamp: false }, []]);
  });

  test("that is refused does nothing of its plan", async () => {
    const { program, journal, real } = world();
    const refused = { ...program, plan: (facts: Facts) => ({ ...program.plan(facts, []), refusals: [refusal] }) };
    const ended = await run(refused, machine().on, journal, { dryRun: false, command: "install" });
    expect(ended).toMatchObject({ how: "refused", done: [], planned: { refusals: [refusal] } });
    expect([real, journal.lines]).toEqual([{ cluster: false, release: false, lamp: false }, []]);
  });

  test("asks a person for what is missing and plans again; a dry one does not ask", async () => {
    const { program, journal } = world();
    let answers = 0;
    const asking: Program<Facts, Action> = {
      ...program,
      plan: (facts, done) => (answers < 2 ? { ...nothing, refusals: [refusal] } : program.plan(facts, done)),
      answer: async () => (answers += 1) > 0,
    };
    expect(await run(asking, machine().on, journal, { dryRun: true, command: "install" })).toMatchObject({
      how: "refused",
    });
    expect(answers).toBe(0);
    expect(await run(asking, machine().on, journal, { dryRun: false, command: "install" })).toMatchObject({
      how: "settled",
    });
    expect(answers).toBe(2);
  });

  test("that never comes to an end is a defect, and says what is left", async () => {
    const { program, journal } = world();
    const endless = {
      ...program,
      plan: (): Planned<Action> => ({ ...nothing, actions: [{ do: "cluster.create", because: "again" }] }),
    };
    const ended = await run(endless, machine().on, journal, { dryRun: false, command: "install" });
    expect(ended).toMatchObject({
      how: "failed",
      failure: { reason: "NOT_CONVERGED", says: "still to do after 8 rounds: cluster.create" },
    });
    expect(ended.done).toHaveLength(8);
  });

  test("whose time is over begins nothing more, and says what is left", async () => {
    const { program, journal, real } = world();
    const { on, pass } = machine({ deadline: 1_000 });
    program.performers["cluster.create"].perform = async () => {
      real.cluster = true;
      pass(2_000);
    };
    const ended = await run(program, on, journal, { dryRun: false, command: "install" });
    expect(ended).toMatchObject({ how: "failed", failure: { reason: "DEADLINE" } });
    expect(ended.failure?.says).toContain("release.apply");
    expect([real.release, names(ended.done)]).toEqual([false, ["lamp.light", "cluster.create"]]);
  });

  const late: Finding = { reason: "WORKLOAD_NOT_READY", room: "release", says: "mysql: pulling", remedies: [] };
  const ended: Finding = { reason: "CLUSTER_CREATE_FAILED", room: "cluster", says: "was ended", remedies: [] };
  test.each([
    ["that waits for something", async () => {}, [late], [late.says]],
    [
      "that fails with it",
      async () => {
        throw new Failure(ended);
      },
      [],
      [ended.says],
    ],
  ])("whose time ends in an action %s says so, and keeps what was found", async (_, perform, warnings, details) => {
    const { program, journal } = world({ cluster: true, lamp: true });
    const { on, pass } = machine({ deadline: 5_000 });
    program.performers["release.apply"].perform = async () => {
      // A wait ends one look before its bound.
      pass(4_000);
      await perform();
    };
    program.performers["release.apply"].prove = async () =>
      known({ holds: false, says: late.says, warnings: [late] }, "a look");
    const ran = await run(program, on, journal, { dryRun: false, command: "uninstall" });
    expect(ran).toMatchObject({
      how: "failed",
      failure: {
        reason: "DEADLINE",
        says: "the time given with --timeout is over: doing release.apply",
        remedies: [{ command: "tracebloc uninstall --timeout 2h" }],
      },
    });
    const outcome = outcomeOf(ran, false);
    expect([outcome.exit, outcome.warnings, ran.failure?.details]).toEqual([7, warnings, details]);
  });
});

describe("an action", () => {
  test("stands in the journal before it begins and after it was looked at", async () => {
    const { program, journal } = world({ cluster: true, lamp: true });
    const { on, events } = machine();
    const order: string[] = [];
    program.performers["release.apply"].perform = async () => void order.push(...journal.lines, "perform");
    program.performers["release.apply"].prove = async () => {
      order.push(...journal.lines.slice(1), "prove");
      return known({ holds: false, says: "not seen" }, "a look");
    };
    await run(
      { ...program, plan: (facts, done) => (done.length > 0 ? nothing : program.plan(facts, done)) },
      on,
      journal,
      { dryRun: false, command: "install" },
    );
    expect(order).toEqual(["before release.apply", "perform", "prove"]);
    expect(journal.lines).toEqual(["before release.apply", "after release.apply"]);
    expect(events.filter(({ type }) => type === "action")).toMatchObject([
      { phase: "begin", says: "doing release.apply", room: "release" },
      { phase: "end", says: "not seen", holds: false, room: "release" },
    ]);
  });

  test("that fails ends the run with its finding; what comes after it is not done", async () => {
    const { program, journal, real } = world();
    const finding: Finding = { reason: "NO_SPACE", room: "cluster", says: "no space", remedies: [] };
    program.performers["cluster.create"].perform = async () => {
      throw new Failure(finding);
    };
    const { on, events } = machine();
    const ended = await run(program, on, journal, { dryRun: false, command: "install" });
    expect(ended).toMatchObject({ how: "failed", failure: finding, done: [{ action: { do: "lamp.light" } }] });
    expect(real.release).toBe(false);
    expect(journal.lines.slice(2)).toEqual(["before cluster.create", "failed cluster.create: Failure: no space"]);
    expect(events.at(-1)).toMatchObject({ type: "action", phase: "failed" });
  });

  test.for([new TypeError("x is not a function"), "a mere string"])(
    "that breaks is a defect of ours: %s",
    async (thrown) => {
      const { program, journal } = world();
      program.performers["lamp.light"].perform = async () => {
        await Promise.resolve();
        // oxlint-disable-next-line typescript/only-throw-error -- anything may be thrown, by code of others
        throw thrown;
      };
      const ended = await run(program, machine().on, journal, { dryRun: false, command: "install" });
      const says = typeof thrown === "string" ? thrown : thrown.message;
      expect(ended).toMatchObject({ how: "failed", failure: { reason: "DEFECT", room: "host", says } });
    },
  );

  test("whose look breaks is done and not proven; that fails nothing", async () => {
    const { program, journal } = world({ cluster: true, release: true });
    program.performers["lamp.light"].prove = () => Promise.reject(new Error("no light to see by"));
    const { on, events } = machine();
    const ended = await run(
      { ...program, plan: (facts, done) => (done.length > 0 ? nothing : program.plan(facts, done)) },
      on,
      journal,
      { dryRun: false, command: "install" },
    );
    expect(ended).toMatchObject({
      how: "settled",
      done: [{ proof: unknown("no light to see by", "look after lamp.light") }],
    });
    expect(events.at(-2)).toMatchObject({ phase: "end", says: "doing lamp.light: not proven: no light to see by" });
    expect(journal.lines).toEqual(["before lamp.light", "after lamp.light"]);
  });
});

describe("a run that is asked to stop", () => {
  test("does not begin the next action, and keeps what is done", async () => {
    const { program, journal, real } = world();
    const { on, stop } = machine();
    program.performers["lamp.light"].perform = async () => stop.abort();
    const ended = await run(program, on, journal, { dryRun: false, command: "install" });
    expect(ended).toMatchObject({ how: "stopped", done: [{ action: { do: "lamp.light" } }] });
    expect(real.cluster).toBe(false);
    expect(journal.lines).toEqual(["before lamp.light", "after lamp.light"]);
  });

  test("tells what was given up half way as that, and as no failure", async () => {
    const { program, journal } = world();
    const { on, stop } = machine();
    const told: unknown[] = [];
    program.performers["lamp.light"].prove = async () => {
      stop.abort();
      return known({ holds: false, says: "it flickers" }, "a look");
    };
    const listening = { ...on, emit: (event: Event) => void told.push(event) };
    await run(program, listening, journal, { dryRun: false, command: "install" });
    expect(told).toContainEqual(expect.objectContaining({ phase: "end", says: "was doing lamp.light: it flickers" }));
    expect(told).not.toContainEqual(expect.objectContaining({ holds: false }));
  });

  test("keeps what was proven all the same", async () => {
    const { program, journal } = world();
    const { on, stop } = machine();
    const told: unknown[] = [];
    program.performers["lamp.light"].perform = async () => stop.abort();
    const listening = { ...on, emit: (event: Event) => void told.push(event) };
    await run(program, listening, journal, { dryRun: false, command: "install" });
    expect(told).toContainEqual(expect.objectContaining({ phase: "end", says: "lamp.light seen", holds: true }));
  });

  test("does not take for a failure what the stop has caused", async () => {
    const { program, journal } = world();
    const { on, stop } = machine();
    program.performers["lamp.light"].perform = async () => {
      stop.abort();
      throw new Error("given up");
    };
    const ended = await run(program, on, journal, { dryRun: false, command: "install" });
    expect(ended.how).toBe("stopped");
    expect(ended).not.toHaveProperty("failure");
    expect(journal.lines).toEqual(["before lamp.light", "failed lamp.light: Error: given up"]);
  });

  test("before its first action does none", async () => {
    const { program, journal } = world();
    const { on, stop } = machine();
    stop.abort();
    expect(await run(program, on, journal, { dryRun: false, command: "install" })).toMatchObject({
      how: "stopped",
      done: [],
    });
    expect(journal.lines).toEqual([]);
  });

  test.each([{ dryRun: false }, { dryRun: true }])(
    "decides nothing by a look that was given up (%j)",
    async (options) => {
      const { program, journal } = world();
      const { on, stop } = machine();
      program.observe = async () => {
        stop.abort();
        return { cluster: false, release: false, lamp: true, looks: [] };
      };
      program.plan = () => ({ ...nothing, refusals: [refusal] });
      expect((await run(program, on, journal, { ...options, command: "install" })).how).toBe("stopped");
    },
  );

  test("at a question that was not answered has stopped, and was not refused", async () => {
    const { program, journal } = world();
    const { on, stop } = machine();
    program.plan = () => ({ ...nothing, refusals: [refusal] });
    program.answer = async () => {
      stop.abort();
      return false;
    };
    expect((await run(program, on, journal, { dryRun: false, command: "install" })).how).toBe("stopped");
  });
});
