import { readFileSync } from "node:fs";

import { detectPlatform, type Platform, type PlatformName } from "../../../src/platform/platform.ts";
import { knownEngines } from "../../../src/platform/engines.ts";
import type { RunResult } from "../../../src/process/runner.ts";
import type { Standpoint } from "../../../src/host/explain.ts";

/** What a real tool answered: see test/fixtures/host/engine-answers.json. `source` names the public report where it was not asked here. */
export type Answer = {
  situation: string;
  tool: string;
  version: string;
  command: string;
  setting: Record<string, string>;
  exitCode: number;
  stdout: string;
  stderr: string;
  source?: string;
};

const file = new URL("../../fixtures/host/engine-answers.json", import.meta.url);
export const answers = JSON.parse(readFileSync(file, "utf8")) as readonly Answer[];

export function exited(exitCode: number, stdout = "", stderr = ""): RunResult {
  return { outcome: "exited", exitCode, stdout, stderr, truncated: false, ms: 20 };
}

export function resultOf(answer: Answer): RunResult {
  return exited(answer.exitCode, answer.stdout, answer.stderr);
}

/** The one recorded answer to a command in a situation. */
export function recorded(situation: string, command: string, tool = "docker"): RunResult {
  const found = answers.find(
    (one) => one.situation === situation && one.command.startsWith(command) && one.tool === tool,
  );
  if (found === undefined) throw new Error(`nothing recorded for ${tool}: ${command}, ${situation}`);
  return resultOf(found);
}

export const timedOut: RunResult = { outcome: "timed-out", stdout: "", stderr: "", truncated: false, ms: 10_000 };

export function notStarted(why: NonNullable<RunResult["notStarted"]>): RunResult {
  return { outcome: "not-started", notStarted: why, stdout: "", stderr: "", truncated: false, ms: 1 };
}

/** A personality: this platform as ann's machine has it. */
export function platformNamed(name: PlatformName): Platform {
  const nodePlatform = { linux: "linux", wsl2: "linux", macos: "darwin", windows: "win32" }[name];
  const environment = name === "wsl2" ? { WSL_DISTRO_NAME: "Debian" } : {};
  const platform = detectPlatform({ nodePlatform, nodeArch: "x64", environment, readText: () => undefined });
  if (platform === undefined) throw new Error(`no platform ${name}`);
  return platform;
}

const homes = { linux: "/home/ann", wsl2: "/home/ann", macos: "/Users/ann", windows: "C:\\Users\\ann" } as const;

export function standpointOn(name: PlatformName, changes: Partial<Standpoint> = {}): Standpoint {
  const platform = platformNamed(name);
  const engines = knownEngines(platform, {
    HOME: homes[name],
    USERPROFILE: homes[name],
    XDG_RUNTIME_DIR: "/run/user/1000",
  });
  return {
    platform,
    setting: { by: "default", context: "default", endpoint: engines[0]?.endpoint },
    engines,
    sockets: name === "windows" ? undefined : [],
    home: homes[name],
    apiVersionSet: false,
    user: { name: "ann", group: "docker", listed: false },
    ...changes,
  };
}
