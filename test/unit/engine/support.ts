import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

import type { Event } from "../../../src/engine/events.ts";
import type { Machine } from "../../../src/engine/machine.ts";
import { statePaths } from "../../../src/files/state.ts";
import { detectPlatform } from "../../../src/platform/platform.ts";

/** A machine whose time passes only in pauses, and which tells nobody but the test. */
export function machine(options: { deadline?: number } = {}) {
  const events: Event[] = [];
  const stop = new AbortController();
  const platform = detectPlatform({
    nodePlatform: "linux",
    nodeArch: "x64",
    environment: {},
    readText: () => undefined,
  });
  if (platform === undefined) throw new Error("no platform");
  let time = 0;
  const on: Machine = {
    platform,
    environment: {},
    runner: { run: () => Promise.reject(new Error("not to be called")), stopAll: () => Promise.resolve() },
    state: statePaths("/nowhere"),
    emit: (event) => events.push(event),
    stop: stop.signal,
    deadline: options.deadline ?? 1_000_000,
    now: () => time,
    pause: (ms) => {
      if (!stop.signal.aborted) time += ms;
      return Promise.resolve();
    },
  };
  return { on, events, stop, pass: (ms: number) => (time += ms) };
}

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tracebloc-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
