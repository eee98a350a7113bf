import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect } from "vitest";

import type { Line } from "../../src/engine/journal-line.ts";
import { containersOf, findingOf, revisionsOf } from "./looks.ts";
import type { Product, Ran } from "./product.ts";

const preload = fileURLToPath(new URL("kill-at.cjs", import.meta.url));

/** Runs that end with -9 at a line of their journal, and what is kept of them. */
export type Crashes = {
  /** Runs the product until that line is written; fails where it never is. `install` unless told otherwise. */
  at: (mark: string, command?: readonly string[]) => Promise<Ran>;
  /** The lines that were reached by any run so far and at which none was killed. */
  left: () => string[];
};

export function crashesOf(product: Product): Crashes {
  const killed = new Set<string>();
  return {
    at: async (mark, command = ["install"]) => {
      const ran = await product.run([...command, "--json"], {
        env: { NODE_OPTIONS: `--require ${preload}`, TEST_KILL_AT: partsOf(mark) },
      });
      const instead = ran.signal === "SIGKILL" ? "" : JSON.stringify(ran.result(), null, 2);
      expect(ran.signal, `${mark} was not reached: ${instead}`).toBe("SIGKILL");
      killed.add(mark);
      return ran;
    },
    left: () => {
      const lines = product.logs().flatMap((log) => readFileSync(log, "utf8").split("\n"));
      const reached = new Set(lines.flatMap(parsed).flatMap(markOf));
      return [...reached].filter((mark) => !killed.has(mark)).toSorted();
    },
  };
}

/** Nothing for a line that was cut off. */
function parsed(text: string): Line[] {
  try {
    return [JSON.parse(text) as Line];
  } catch {
    return [];
  }
}

/** The name of a line at which a run may be cut off: before and after an action, around a program that changes something. */
function markOf(line: Line): string[] {
  if (line.is === "action") return [`${line.phase} ${line.action.do}`];
  return line.is === "child" ? [`${line.phase} ${line.about}`] : [];
}

/** What the line of that name contains. */
function partsOf(mark: string): string {
  const [phase = "", ...about] = mark.split(" ");
  const isAction = ["before", "after", "failed"].includes(phase);
  const line = isAction ? { is: "action", what: "do" } : { is: "child", what: "about" };
  return [`{"is":"${line.is}"`, `"phase":"${phase}"`, `"${line.what}":"${about.join(" ")}"`].join("\n");
}

/** A plain install after that: exit 0, one node and nothing beside it, one release and that deployed. */
export async function converges(product: Product): Promise<Ran> {
  const ran = await product.run(["install", "--json"]);
  expect(ran.result(), ran.stderr).toMatchObject({ exit: 0, state: "healthy" });
  const told = ran.lines().filter(({ type }) => type === "warning").length;
  expect(ran.result().warnings.length).toBeGreaterThanOrEqual(told);
  expect(await containersOf(product.cluster)).toEqual([product.node]);
  const revisions = await revisionsOf(product);
  expect(revisions.filter(({ status }) => status === "deployed")).toHaveLength(1);
  expect(revisions.at(-1)).toMatchObject({ status: "deployed" });
  return ran;
}

/** What the run says of the one before it. */
export function cutOffIn(ran: Ran): string | undefined {
  return findingOf(ran, "PREVIOUS_RUN_CUT_OFF")?.says;
}
