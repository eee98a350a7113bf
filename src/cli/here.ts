import { accessSync, constants, existsSync, readFileSync, realpathSync } from "node:fs";
import { cpus } from "node:os";

import { Failure, type Finding } from "../engine/finding.ts";
import { readEnvironment, type Environment } from "../platform/environment.ts";
import { candidatesOnPath, findInvocation, type Invocation } from "../platform/invocation.ts";
import { detectPlatform, type Platform } from "../platform/platform.ts";
import { quote } from "../platform/shell.ts";
import type { Spelling } from "../ui/spelling.ts";

/** Where this program runs, as it was started. */
export type Here = {
  platform: Platform;
  environment: Environment;
  cwd: string;
  invocation(): Invocation;
  isRoot: boolean;
  /** How a program is started here: by its name, or by the path of one that was fetched where PATH has none. */
  program(name: string, fetched: string | undefined): string;
};

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
  const program = (name: string, fetched: string | undefined) => {
    const isOnPath = lookUp(name, platform, environment).length > 0;
    return isOnPath || fetched === undefined || !existsSync(fetched) ? name : quote(platform.shell, fetched);
  };
  return { platform, environment, cwd: currentFolder(), invocation, isRoot: process.geteuid?.() === 0, program };
}

/** Commands as they work here while nothing is known of a cluster. Never throws: what it is for is telling what went wrong. */
export function plainSpelling(): Spelling {
  const names = { helm: "helm", k3d: "k3d", kubectl: "kubectl", which: [], wished: [], isRoot: false };
  try {
    const at = here();
    return { ...names, tracebloc: at.invocation().command, isRoot: at.isRoot };
  } catch {
    return { ...names, tracebloc: "tracebloc" };
  }
}

function unsupported(): Finding {
  return {
    reason: "PLATFORM_UNSUPPORTED",
    room: "host",
    says: `this program runs on Linux, macOS and Windows, not on ${process.platform}`,
    remedies: [{ says: "use the chart with a cluster of your own; INSTALL.md tells how" }],
  };
}

/** Throws `Failure` where it was deleted while the shell stood in it: no path of a person's could be made out from there. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    const says = "the current folder does not exist any more";
    const remedies = [{ says: "go to one that does, then run the same command again", command: "cd ~" }];
    throw new Failure({ reason: "CONFIG_INVALID", room: "config", says, remedies }, error);
  }
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
