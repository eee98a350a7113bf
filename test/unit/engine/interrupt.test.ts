import { EventEmitter } from "node:events";

import { describe, expect, test } from "vitest";

import { clock, watchInterrupts, type EndingSignal } from "../../../src/engine/interrupt.ts";

function watched(force: () => Promise<void> = () => Promise.resolve()) {
  const source = new EventEmitter();
  const told: string[] = [];
  let time = 0;
  const interrupts = watchInterrupts({
    source,
    stopping: (signal) => told.push(`stopping for ${signal}`),
    force: async (signal) => {
      told.push(`force for ${signal}`);
      await force();
    },
    leave: (code) => told.push(`leave with ${code}`),
    now: () => time,
  });
  /** A signal that comes a second after the one before, unless told otherwise. */
  const send = (signal: EndingSignal, afterMs = 1_000) => {
    time += afterMs;
    source.emit(signal);
  };
  return { interrupts, told, send };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("signals", () => {
  test("the first stops, and nothing is forced", () => {
    const { interrupts, told, send } = watched();
    expect([interrupts.stop.aborted, interrupts.exitCode()]).toEqual([false, undefined]);
    send("SIGINT");
    expect([interrupts.stop.aborted, interrupts.exitCode()]).toEqual([true, 130]);
    expect(told).toEqual(["stopping for SIGINT"]);
  });

  test("the second forces, and leaves when that is done, with the code of the first", async () => {
    const { interrupts, told, send } = watched();
    send("SIGTERM");
    send("SIGINT");
    expect(told).toEqual(["stopping for SIGTERM", "force for SIGINT"]);
    await settled();
    expect(told.at(-1)).toBe("leave with 143");
    expect(interrupts.exitCode()).toBe(143);
  });

  test("forcing that fails leaves all the same", async () => {
    const { told, send } = watched(() => Promise.reject(new Error("broken")));
    send("SIGINT");
    send("SIGINT");
    await settled();
    expect(told).toEqual(["stopping for SIGINT", "force for SIGINT", "leave with 130"]);
  });

  test("the third does not wait for a program that takes its grace", async () => {
    const { told, send } = watched(() => new Promise(() => {}));
    for (const signal of ["SIGINT", "SIGINT", "SIGINT"] as const) send(signal);
    await settled();
    expect(told).toEqual(["stopping for SIGINT", "force for SIGINT", "leave with 130"]);
  });

  test("one key press under npx is two signals and counts once", () => {
    const { told, send } = watched();
    send("SIGINT");
    send("SIGINT", 5);
    expect(told).toEqual(["stopping for SIGINT"]);
    send("SIGINT");
    expect(told).toEqual(["stopping for SIGINT", "force for SIGINT"]);
  });

  test.for([
    ["SIGINT", 130],
    ["SIGBREAK", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 143],
  ] as const)("%s ends with %i", ([signal, code]) => {
    const { interrupts, send } = watched();
    send(signal);
    expect(interrupts.exitCode()).toBe(code);
  });

  test("that come while the program leaves do not change its exit code", () => {
    const { interrupts, told, send } = watched();
    send("SIGINT");
    interrupts.over(130);
    // The other half of the same key press, under npx.
    send("SIGINT", 5);
    expect(told).toEqual(["stopping for SIGINT"]);
    send("SIGINT");
    expect(told).toEqual(["stopping for SIGINT", "leave with 130"]);
  });

  test("find nothing to stop once the work is done", () => {
    const { interrupts, told, send } = watched();
    interrupts.over(0);
    send("SIGTERM");
    expect([told, interrupts.stop.aborted]).toEqual([["leave with 0"], false]);
  });

  test("any number of steps may listen to the stop without a word of Node about too many", async () => {
    const { interrupts, send } = watched();
    const warnings: string[] = [];
    const listen = (warning: Error) => warnings.push(warning.message);
    process.on("warning", listen);
    const { pause } = clock(interrupts.stop);
    const pauses = Array.from({ length: 15 }, () => pause(1_000_000));
    await settled();
    send("SIGINT");
    await Promise.all(pauses);
    process.off("warning", listen);
    expect(warnings).toEqual([]);
  });
});

describe("the clock of a machine", () => {
  test("a pause takes its time", async () => {
    const { now, pause } = clock(new AbortController().signal);
    const began = now();
    await pause(30);
    expect(now() - began).toBeGreaterThanOrEqual(29);
  });

  test("a pause ends at once when the run is asked to stop, and does not begin after that", async () => {
    const stop = new AbortController();
    const { pause, now } = clock(stop.signal);
    const began = now();
    const paused = pause(1_000_000);
    stop.abort();
    await paused;
    await pause(1_000_000);
    expect(now() - began).toBeLessThan(5_000);
  });
});
