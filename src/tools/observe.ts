import { join } from "node:path";

import { pinFor, toolVersions, type Pin, type Tool } from "../config/pins.ts";
import { known, notYet, unknown, type Fact } from "../engine/fact.ts";
import { within, type Machine } from "../engine/machine.ts";
import { troubleIn } from "../host/trouble.ts";
import { firstComplaint, succeeded, type RunResult } from "../process/runner.ts";
import type { ToolFacts, ToolState, UsableTool } from "./facts.ts";
import { toolRules, versionOf, wrongVersion } from "./rules.ts";

/** A tool on a busy machine, or one that a virus scanner reads first. */
const limitMs = 10_000;

/**
 * Looks for the tools that are needed: on PATH, then among those we fetched; each is made to tell its version (#411:
 * one that is there may be for another machine). Those that are not needed stay as they were in `before`, or unasked.
 */
export async function observeTools(need: readonly Tool[], on: Machine, before?: ToolFacts): Promise<ToolFacts> {
  const observe = async (tool: Tool): Promise<Fact<ToolState>> =>
    need.includes(tool) ? look(tool, on) : (before?.[tool] ?? notYet(`nothing needs ${tool}`));
  const [k3d, helm, kubectl] = await Promise.all([observe("k3d"), observe("helm"), observe("kubectl")]);
  return { k3d, helm, kubectl };
}

async function look(tool: Tool, on: Machine): Promise<Fact<ToolState>> {
  const start = on.now();
  const pin = pinFor(tool, on.platform.tools.os, on.platform.tools.arch);
  const places: { command: string; from: UsableTool["from"] }[] = [{ command: tool, from: "PATH" }];
  if (pin !== undefined) places.push({ command: fetchedPath(pin, on), from: "fetched" });

  const skipped: string[] = [];
  for (const { command, from } of places) {
    const seen = await tryOut(tool, command, on);
    if (seen.is === "untold") return untold(tool, seen.why, start, on);
    if (seen.is === "good") {
      return told(tool, { usable: { command, version: seen.version, from }, skipped, pin }, start, on);
    }
    if (seen.is === "bad") {
      skipped.push(from === "PATH" ? `${tool} on PATH ${seen.why}` : `the fetched ${tool} ${seen.why}`);
    }
  }
  return told(tool, { usable: undefined, skipped, pin }, start, on);
}

type Place = Pick<Machine, "state" | "platform">;

/** Where a tool lies once it was fetched; undefined where none is pinned for this machine. */
export function fetchedPathOf(tool: Tool, on: Place): string | undefined {
  const pin = pinFor(tool, on.platform.tools.os, on.platform.tools.arch);
  return pin === undefined ? undefined : fetchedPath(pin, on);
}

/** Where the file of a pin is kept: versions and machines that share a home do not get into each other's way. */
export function fetchedPath(pin: Pin, on: Place): string {
  const version = toolVersions[pin.tool].replace(/^v/, "");
  return join(on.state.tools, `${pin.tool}-${version}-${pin.os}-${pin.arch}${on.platform.executableSuffix}`);
}

/** How a tool took being run for its version. `why` is a clause about it. */
export type Tried =
  | { is: "good"; version: string }
  | { is: "bad"; why: string }
  | { is: "absent" }
  | { is: "untold"; why: string };

/** Runs a tool for its version. */
export async function tryOut(tool: Tool, command: string, on: Machine): Promise<Tried> {
  const { versionArgs } = toolRules[tool];
  const result = await on.runner.run({
    file: command,
    args: versionArgs,
    about: `${tool} ${versionArgs[0] ?? ""}`,
    timeoutMs: within(on, limitMs),
    graceMs: 500,
    signal: on.stop,
    // `helm version` reads the user's own kubeconfig (seen with 4.2.3): one that cannot be read would condemn Helm (B07).
    env: { KUBECONFIG: on.platform.nullDevice },
  });
  if (result.outcome === "not-started" && result.notStarted === "missing") return { is: "absent" };
  if (result.outcome === "cancelled") return { is: "untold", why: "interrupted" };
  if (!succeeded(result)) {
    // `k3d version` fails where Docker's context does not exist (seen with 5.9.0): nothing is wrong with k3d then.
    const engine = troubleIn(result.stderr);
    return engine === undefined ? { is: "bad", why: hindrance(result) } : { is: "untold", why: engine.said };
  }
  const version = versionOf(tool, result.stdout);
  if (version === undefined) {
    return { is: "bad", why: `gives no version: ${JSON.stringify(result.stdout.trim().slice(0, 80))}` };
  }
  const wrong = wrongVersion(tool, version);
  return wrong === undefined
    ? { is: "good", version: version.text }
    : { is: "bad", why: `is ${version.text}, which ${wrong}` };
}

function hindrance(result: RunResult): string {
  if (result.outcome === "timed-out") return `did not answer within ${Math.round(result.ms / 1000)} s`;
  if (result.outcome !== "not-started") return `does not run: ${firstComplaint(result)}`;
  switch (result.notStarted) {
    case "wrong-architecture":
      return "is built for another kind of machine";
    case "not-executable":
      return "is not executable";
    default:
      return `cannot be started: ${result.why ?? "the system refuses it"}`;
  }
}

function untold(tool: Tool, why: string, start: number, on: Machine): Fact<never> {
  const ms = on.now() - start;
  on.emit({ type: "fact", room: "tools", about: tool, state: "unknown", says: why, ms });
  return unknown(why, `${tool} ${toolRules[tool].versionArgs.join(" ")}`, ms);
}

function told(tool: Tool, state: ToolState, start: number, on: Machine): Fact<ToolState> {
  const ms = on.now() - start;
  const { usable, skipped } = state;
  const says =
    usable === undefined
      ? [...skipped, `no ${tool} can be used`].join("; ")
      : `${tool} ${usable.version} (${usable.from})`;
  on.emit({ type: "fact", room: "tools", about: tool, state: "known", says, ms });
  return known(state, `${tool} ${toolRules[tool].versionArgs.join(" ")}`, ms);
}
