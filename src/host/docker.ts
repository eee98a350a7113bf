import { within, type Machine } from "../engine/machine.ts";
import type { RunResult } from "../process/runner.ts";
import { readSetting, type EngineSetting } from "./endpoint.ts";

/** An engine that is well answers in 0.1 s; Docker Desktop that wakes up takes some seconds. */
const limitMs = 10_000;

/** A docker call that asks and changes nothing, answered as JSON. */
export function askDocker(on: Machine, ...question: readonly string[]): Promise<RunResult> {
  const args = [...question, "--format", "{{json .}}"];
  return on.runner.run({
    file: "docker",
    args,
    about: `docker ${question.join(" ")}`,
    timeoutMs: within(on, limitMs),
    graceMs: 500,
    signal: on.stop,
  });
}

/** Which engine docker and k3d are pointed at. Reads configuration; the engine is not asked. */
export async function observeSetting(on: Machine): Promise<EngineSetting> {
  return readSetting(on.environment, await askDocker(on, "context", "inspect"));
}
