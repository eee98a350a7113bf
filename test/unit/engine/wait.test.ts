import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { describe, expect, test } from "vitest";

import { within } from "../../../src/engine/machine.ts";
import { waitUntil, withLimit, type Wait } from "../../../src/engine/wait.ts";
import { machine } from "./support.ts";

/** Waits for a number that grows with every look. */
function growing(more: Partial<Wait<number>> = {}): Wait<number> {
  let seen = 0;
  return {
    room: "release",
    waitingFor: (last) => `three, after ${last ?? "nothing"}`,
    limitMs: 10_000,
    everyMs: 100,
    look: async () => (seen += 1),
    over: (number) => number >= 3,
    ...more,
  };
}

describe("a wait", () => {
  test("ends with what it waited for, and says before each look what that is, since when and until when", async () => {
    const { on, events } = machine();
    expect(await waitUntil(growing(), on)).toEqual({ over: true, seen: 3 });
    expect(events).toEqual([
      { type: "wait", room: "release", waitingFor: "three, after nothing", sinceMs: 0, limitMs: 10_000 },
      { type: "wait", room: "release", waitingFor: "three, after 1", sinceMs: 100, limitMs: 10_000 },
      { type: "wait", room: "release", waitingFor: "three, after 2", sinceMs: 200, limitMs: 10_000 },
    ]);
  });

  test("ends at its bound with what was seen last", async () => {
    const { on } = machine();
    expect(await waitUntil(growing({ over: () => false, limitMs: 450 }), on)).toEqual({ over: false, seen: 5 });
    expect(on.now()).toBeLessThanOrEqual(450);
  });

  test("ends at the deadline of the run, if that is sooner", async () => {
    const { on, events } = machine({ deadline: 250 });
    expect(await waitUntil(growing({ over: () => false }), on)).toEqual({ over: false, seen: 3 });
    expect(on.now()).toBeLessThanOrEqual(250);
    expect(events[0]).toMatchObject({ limitMs: 250 });
  });

  test("looks once even where no time is left: what is there already is seen", async () => {
    const { on } = machine({ deadline: -5 });
    expect(await waitUntil(growing({ over: () => true }), on)).toEqual({ over: true, seen: 1 });
  });

  test("ends when the run is asked to stop", async () => {
    const { on, stop } = machine();
    const wait = growing({ over: () => false });
    const look = async () => {
      const seen = await wait.look();
      if (seen === 2) stop.abort();
      return seen;
    };
    expect(await waitUntil({ ...wait, look }, on)).toEqual({ over: false, seen: 2 });
  });
});

test("a step gets its own bound or what is left of the run, and never nothing: that would be no bound at all", () => {
  const { on, pass } = machine({ deadline: 100 });
  expect([within(on, 50), within(on, 500)]).toEqual([50, 100]);
  pass(1_000);
  expect(within(on, 50)).toBe(1);
});

describe("work with a limit", () => {
  const untilAborted = (signal: AbortSignal) =>
    new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("aborted")));

  test("is told to end at it, though the garbage collector came by: Node 20 forgets AbortSignal.timeout then", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const { on } = machine();
    const collecting = setInterval(collect, 20);
    const ended = withLimit(on, 200, untilAborted);
    expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 2000, "forgotten"))])).toBe(
      "aborted",
    );
    clearInterval(collecting);
  });

  test("is told to end when the run is to stop", async () => {
    const { on, stop } = machine();
    const ended = withLimit(on, 60_000, untilAborted);
    stop.abort();
    expect(await ended).toBe("aborted");
  });

  test("gives what the work gives", async () => {
    const { on } = machine();
    expect(await withLimit(on, 60_000, async (signal) => signal.aborted)).toBe(false);
    await expect(withLimit(on, 60_000, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  });
});
