import type { Pin, Tool } from "../config/pins.ts";
import type { Fact } from "../engine/fact.ts";

/** A tool that runs and whose version does. `command` is how to start it: its name, or the path of the one we fetched. */
export type UsableTool = { command: string; version: string; from: "PATH" | "fetched" };

export type ToolState = {
  usable: UsableTool | undefined;
  /** Those that are there and cannot be used, each as a clause that says why. */
  skipped: readonly string[];
  /** What would be fetched; undefined where nothing is pinned for this machine. */
  pin: Pin | undefined;
};

/** A tool that nothing needs is not looked at: even asking for a version starts a program. */
export type ToolFacts = Readonly<Record<Tool, Fact<ToolState>>>;

/** How to start a tool; undefined where there is none yet. */
export function toolPath(facts: ToolFacts, tool: Tool): string | undefined {
  const fact = facts[tool];
  return fact.state === "known" ? fact.value.usable?.command : undefined;
}
