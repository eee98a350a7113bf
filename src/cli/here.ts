import { accessSync, constants, readFileSync, realpathSync } from "node:fs";
import { cpus } from "node:os";

import { Failure, type Finding } from "../engine/finding.ts";
import { readEnvironment, type Environment } from "../platform/environment.ts";
import { candidatesOnPath, findInvocation, type Invocation } from "../platform/invocation.ts";
import { detectPlatform, type Platform } from "../platform/platform.ts";

/** Where this program runs, as it was started. */
export type Here = { platform: Platform; environment: Environment; cwd: string; invocation(): Invocation };

/** Looks at the process itself and at nothing else; the invocation is looked for on PATH when it is first printed. */
export function here(): Here {
  const environment = readEnvironment();
  const platform = detectPlatform({
    nodePlatform: process.platform,
    nodeArch: process.arch,
    environment,
    readText,
    cpuModel: () => cpus()[0]?.model,
  });
  if (platform === undefined) throw new Failure(unsupported());
  let found: Invocation | undefined;
  const invocation = () =>
    (found ??= findInvocation({
      platform,
      environment,
      script: scriptPath(),
      lookUp: (name) => lookUp(name, platform, environment),
    }));
  return { platform, environment, cwd: process.cwd(), invocation };
}

function unsupported(): Finding {
  return {
    reason: "PLATFORM_UNSUPPORTED",
    room: "host",
    says: `this program runs on Linux, macOS and Windows, not on ${process.platform}`,
    remedies: [{ says: "use the chart with a cluster of your own; INSTALL.md tells how" }],
  };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function scriptPath(): string {
  const started = process.argv[1] ?? "";
  try {
    return realpathSync(started);
  } catch {
    return started;
  }
}

function lookUp(name: string, platform: Platform, environment: Environment): { path: string; leadsTo: string }[] {
  return candidatesOnPath(name, platform, environment).flatMap((path) => {
    try {
      accessSync(path, constants.X_OK);
      return [{ path, leadsTo: realpathSync(path) }];
    } catch {
      return [];
    }
  });
}
