import { readdirSync } from "node:fs";
import { join } from "node:path";

import type { Child, ProcessId } from "../process/processes.ts";
import { known, unknown, type Fact } from "./fact.ts";
import { format, type Line } from "./journal-line.ts";
import type { Action } from "./plan.ts";
import { readStateFile } from "../files/read-file.ts";

/** What the run before this one left behind, as its journal tells. */
export type PreviousRun = {
  file: string;
  id: string;
  /** ISO 8601. */
  at: string;
  version: string;
  command: string;
  process: ProcessId & { host: string };
  /** Missing where it came to no end: killed, or the machine went down. */
  ended?: { at: string; exit: number; reason?: string };
  /** What it was doing when it stopped, with the words for it. */
  during?: { action: Action; since: string; says: string };
  /** What it had seen through, in order. */
  done: readonly Action[];
  /** Programs that change something, and are not known to have ended; also those of runs before it. */
  children: readonly Child[];
};

/**
 * Reads the newest journal in the folder of runs, or undefined where there is none. Pure but for reading. A last line
 * that was cut off counts as not written; a file without a whole first line, as no run: it had not done anything yet.
 */
export function previousRun(runs: string): Fact<PreviousRun | undefined> {
  const how = `read the journals in ${runs}`;
  try {
    const files = readdirSync(runs).filter((name) => name.endsWith(".ndjson"));
    for (const name of files.sort().reverse()) {
      const file = join(runs, name);
      const run = readRun(readStateFile(file), file);
      if (run === "newer") return unknown(`${file} was written by a newer version`, how);
      if (run !== "empty") return known(run, how);
    }
    return known(undefined, how);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return known(undefined, how);
    return unknown(error instanceof Error ? error.message : String(error), how);
  }
}

/** What the lines of one journal come to. Pure. */
export function readRun(text: string, file: string): PreviousRun | "newer" | "empty" {
  const [first, ...rest] = text.split("\n").flatMap(lineOf);
  if (first?.is !== "run") return "empty";
  if (first.format > format) return "newer";

  const { id, at, version, command, pid, startedAt, host } = first;
  const run: PreviousRun = {
    file,
    id,
    at,
    version,
    command,
    process: { pid, startedAt, host },
    done: [],
    children: first.children,
  };
  return rest.reduce(after, run);
}

/** What one more line adds to what is known of the run. */
function after(run: PreviousRun, line: Line): PreviousRun {
  switch (line.is) {
    case "action": {
      const { action, at: since, says = action.do } = line;
      if (line.phase === "before") return { ...run, during: { action, since, says } };
      const { during: _, ...rest } = run;
      return line.phase === "after" ? { ...rest, done: [...run.done, action] } : rest;
    }
    case "event": {
      const { event } = line;
      if (event.type !== "action" || event.phase !== "begin" || run.during === undefined) return run;
      return { ...run, during: { ...run.during, says: event.says } };
    }
    case "child": {
      const { is: _, at: __, phase, ...child } = line;
      const others = run.children.filter(({ pid, startedAt }) => pid !== child.pid || startedAt !== child.startedAt);
      return { ...run, children: phase === "started" ? [...others, child] : others };
    }
    case "end": {
      const { at, exit, reason } = line;
      return { ...run, ended: { at, exit, ...(reason !== undefined && { reason }) } };
    }
    default:
      return run;
  }
}

/** Nothing for a line that is not whole, or is none of ours: a damaged disk must not keep every later run from starting. */
function lineOf(text: string): Line[] {
  try {
    const line: unknown = JSON.parse(text);
    return isLine(line) ? [line] : [];
  } catch {
    return [];
  }
}

function isLine(line: unknown): line is Line {
  if (!has(line, { is: "string" })) return false;
  switch (line["is"]) {
    case "run":
      return isRunLine(line);
    case "child":
      return isChild(line);
    case "action":
      return has(line, { at: "string" }) && has(line["action"], { do: "string" });
    case "event":
      return has(line["event"], { type: "string" });
    default:
      return true;
  }
}

function isRunLine(line: Record<string, unknown>): boolean {
  const { format: written, children } = line;
  // What a newer version writes is its own business.
  if (typeof written === "number" && written > format) return true;
  const texts = { id: "string", at: "string", version: "string", command: "string", host: "string" };
  const isWhole = has(line, { format: "number", ...texts }) && isChild(line, {});
  return isWhole && Array.isArray(children) && children.every((child) => isChild(child));
}

function isChild(child: unknown, names: Shape = { file: "string", about: "string" }): boolean {
  return has(child, { pid: "number", startedAt: "string", ...names });
}

type Shape = Readonly<Record<string, string>>;

function has(value: unknown, shape: Shape): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Record<string, unknown>;
  return Object.entries(shape).every(([name, type]) => typeof fields[name] === type);
}
