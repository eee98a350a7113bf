import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Wishes } from "../../../src/config/wishes.ts";
import type { Event } from "../../../src/engine/events.ts";
import type { Machine } from "../../../src/engine/machine.ts";
import { statePaths } from "../../../src/files/state.ts";
import { detectPlatform, type Platform } from "../../../src/platform/platform.ts";
import type { Command, Runner, RunResult } from "../../../src/process/runner.ts";

const fixtures = fileURLToPath(new URL("../../fixtures/cluster/", import.meta.url));

export function fixture(name: string): string {
  return readFileSync(join(fixtures, name), "utf8");
}

export type Recorded = { exitCode: number; stdout: string; stderr: string };

/** Answers of real tools, by name; what stands in `recorded` tells which. */
export const dockerAnswers = read<{ ls: Recorded; inspect: Recorded }>("docker.json");
export const listAnswers = read<Recorded>("k3d-list.json");
export const failures = read<Recorded>("k3d-failures.json");

function read<T>(name: string): Readonly<Record<string, T>> {
  return (JSON.parse(fixture(name)) as { answers: Record<string, T> }).answers;
}

export function recorded<T>(answers: Readonly<Record<string, T>>, name: string): T {
  const answer = answers[name];
  if (answer === undefined) throw new Error(`nothing was recorded for ${name}`);
  return answer;
}

/** A call that ended, as the runner tells it. */
export function exited({ exitCode, stdout, stderr }: Partial<Recorded> = {}): RunResult {
  return {
    outcome: "exited",
    exitCode: exitCode ?? 0,
    stdout: stdout ?? "",
    stderr: stderr ?? "",
    truncated: false,
    ms: 1,
  };
}

export const timedOut: RunResult = { outcome: "timed-out", stdout: "", stderr: "", truncated: false, ms: 10_000 };

/** The words of a command after its program, as a test looks for them. */
export function words({ file, args }: Command): string {
  return [file, ...args].join(" ");
}

export type Script = (command: Command) => RunResult | Promise<RunResult> | undefined;

/** A runner that starts nothing: the first script that knows an answer gives it. What nobody knows fails the test. */
export function scripted(...scripts: readonly Script[]): Runner & { calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    async run(command) {
      calls.push(words(command));
      for (const script of scripts) {
        const answer = await script(command);
        if (answer !== undefined) return answer;
      }
      throw new Error(`nobody answers: ${words(command)}`);
    },
    stopAll: () => Promise.resolve(),
  };
}

export function platform(nodePlatform = "linux"): Platform {
  const found = detectPlatform({ nodePlatform, nodeArch: "x64", environment: {}, readText: () => undefined });
  if (found === undefined) throw new Error(`no platform ${nodePlatform}`);
  return found;
}

/** A machine whose clock jumps instead of waiting, and ten times as far: minutes of polling are over in a moment. */
export function machine(
  runner: Runner,
  root = join(tmpdir(), "tracebloc-no-such-state"),
): Machine & { events: Event[]; abort(): void } {
  const stop = new AbortController();
  const events: Event[] = [];
  let clock = 0;
  return {
    platform: platform(),
    environment: {},
    runner,
    state: statePaths(root),
    emit: (event) => events.push(event),
    events,
    stop: stop.signal,
    abort: () => stop.abort(),
    deadline: 3_600_000,
    now: () => clock,
    pause: (ms) => {
      clock += ms * 10;
      return new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const byDefault = <T>(value: T, name: string) => ({ value, origin: { from: "default" as const, name } });

export const defaults: Wishes = {
  cluster: byDefault("tracebloc", "cluster"),
  namespace: byDefault("tracebloc", "namespace"),
  dataDir: byDefault("/home/ada/.tracebloc", "dataDir"),
  datasetDir: byDefault(undefined, "datasetDir"),
  storageMode: byDefault("hostpath", "storageMode"),
  clientId: byDefault(undefined, "clientId"),
  clientPassword: byDefault(undefined, "clientPassword"),
  clientEnv: byDefault("prod", "clientEnv"),
  backendUrl: byDefault("https://backend.example.com", "backendUrl"),
  chart: byDefault(undefined, "chart"),
  values: byDefault(undefined, "values"),
  k3sImage: byDefault("rancher/k3s:v1.35.5-k3s1@sha256:2074", "k3sImage"),
  k3dToolsImage: byDefault("ghcr.io/k3d-io/k3d-tools:5.9.0", "k3dToolsImage"),
  downloadBase: byDefault(undefined, "downloadBase"),
  imagePullPolicy: byDefault(undefined, "imagePullPolicy"),
  imageRegistry: byDefault(undefined, "imageRegistry"),
  registryUsername: byDefault(undefined, "registryUsername"),
  registryPassword: byDefault(undefined, "registryPassword"),
  pullSecret: byDefault(undefined, "pullSecret"),
  caBundle: byDefault(undefined, "caBundle"),
  apiPort: byDefault(6550, "apiPort"),
};

/** Wishes in which these were asked for by flag. */
export function asking(wishes: { [Key in keyof Wishes]?: Wishes[Key]["value"] }): Wishes {
  const flags = Object.entries(wishes).map(([key, value]) => {
    const name = `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return [key, { value, origin: { from: "flag", name } }];
  });
  return { ...defaults, ...(Object.fromEntries(flags) as Partial<Wishes>) };
}
