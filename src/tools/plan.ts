import { toolVersions, type Pin, type Tool } from "../config/pins.ts";
import type { Wishes } from "../config/wishes.ts";
import type { Finding } from "../engine/finding.ts";
import { nothing, type Action, type Done, type Planned } from "../engine/plan.ts";
import type { ToolFacts, ToolState } from "./facts.ts";
import { toolRules } from "./rules.ts";

/** Fetches what is missing, all of it side by side. The addresses are those that are really asked: a mirror's, where one is wished. */
export type ToolAction = { do: "tools.fetch"; because: string; tools: readonly Fetch[] };

export type Fetch = Pin & { version: string };

/**
 * What has to be fetched so that every tool in `need` is there. Pure. What other rooms plan decides `need`; a tool that
 * was not looked at yet is decided on later.
 */
export function planTools(
  facts: ToolFacts,
  need: readonly Tool[],
  wishes: Pick<Wishes, "downloadBase">,
  done: readonly Done<Action>[] = [],
): Planned<ToolAction> {
  const tried = new Set(done.flatMap(({ action }) => (isFetch(action) ? action.tools.map(({ tool }) => tool) : [])));
  const fetch: Fetch[] = [];
  const because: string[] = [];
  const refusals: Finding[] = [];
  const then: string[] = [];
  for (const tool of need) {
    const fact = facts[tool];
    if (fact.state === "unknown") {
      then.push(`fetch ${tool}, if this machine has none that can be used`);
      continue;
    }
    const { usable, pin } = fact.value;
    if (usable !== undefined) continue;
    const why = reason(tool, fact.value);
    if (pin === undefined || tried.has(tool)) {
      refusals.push(
        unobtainable(tool, pin === undefined ? `${why}, and none is known for this kind of machine` : why, fact.value),
      );
      continue;
    }
    fetch.push({
      ...pin,
      url: mirrored(pin.url, wishes.downloadBase.value),
      version: toolVersions[tool].replace(/^v/, ""),
    });
    because.push(why);
  }
  const actions: ToolAction[] =
    fetch.length === 0 ? [] : [{ do: "tools.fetch", because: because.join("; "), tools: fetch }];
  return { ...nothing, actions, then, refusals };
}

function isFetch(action: Action): action is ToolAction {
  return action.do === "tools.fetch";
}

function reason(tool: Tool, { skipped }: ToolState): string {
  return skipped.length === 0 ? `${tool} is not on PATH` : skipped.join(", and ");
}

/** A mirror keeps the files under their own names; the digest holds for it as well. */
function mirrored(url: string, base: string | undefined): string {
  return base === undefined ? url : `${base.replace(/\/+$/, "")}/${url.slice(url.lastIndexOf("/") + 1)}`;
}

function unobtainable(tool: Tool, says: string, { skipped }: ToolState): Finding {
  return {
    reason: skipped.length === 0 ? "TOOL_MISSING" : "TOOL_UNUSABLE",
    room: "tools",
    says,
    remedies: [ownTool(tool)],
  };
}

/** What always helps: a tool that the person brings. */
export function ownTool(tool: Tool): { says: string } {
  const { from, below } = toolRules[tool];
  return { says: `or put a ${tool} of version ${from} or newer (below ${below}) on PATH` };
}
