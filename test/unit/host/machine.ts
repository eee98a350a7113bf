import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

import type { Event } from "../../../src/engine/events.ts";
import type { Machine } from "../../../src/engine/machine.ts";
import { statePaths } from "../../../src/files/state.ts";
import type { PlatformName } from "../../../src/platform/platform.ts";
import type { Command, RunResult } from "../../../src/process/runner.ts";
import { platformNamed } from "./answers.ts";

export type TestMachine = Machine & { events: Event[]; calls: string[]; folder: string };

/** A machine with an empty home of its own, on which every program answers as `answer` says. */
export function machine(
  name: PlatformName,
  answer: (line: string, command: Command) => RunResult | Promise<RunResult>,
  changes: { environment?: Record<string, string>; stop?: AbortSignal; deadline?: number } = {},
): TestMachine {
  const folder = mkdtempSync(join(tmpdir(), "machine-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const events: Event[] = [];
  const calls: string[] = [];
  return {
    platform: platformNamed(name),
    environment: { HOME: folder, USERPROFILE: folder, ...changes.environment },
    runner: {
      run: async (command) => {
        const line = [command.file, ...command.args].join(" ");
        calls.push(line);
        return answer(line, command);
      },
      stopAll: async () => {},
    },
    state: statePaths(join(folder, "state")),
    emit: (event) => void events.push(event),
    stop: changes.stop ?? new AbortController().signal,
    deadline: changes.deadline ?? Number.POSITIVE_INFINITY,
    now: () => performance.now(),
    pause: async () => {},
    events,
    calls,
    folder,
  };
}
