import { randomBytes } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { answered, known, unknown, type Fact } from "../engine/fact.ts";
import type { Finding } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import { succeeded, type RunResult } from "../process/runner.ts";
import { inNode, whyFailed } from "./exec.ts";
import { runInNode } from "./observe.ts";
import { bounds, group, patience, word } from "./script.ts";

/** A folder of this machine, and where the node must see it. */
export type Shared = { folder: string; base: string };

/**
 * Whether the node sees a folder of this machine, and this machine what the node writes there. An engine that lives in
 * another file system (a snap, a virtual machine without that folder, a remote host) mounts an empty one of its own and
 * calls it success: the data is then nowhere on this machine (B23).
 */
export type Sharing = "both ways" | "read only" | "not shared";

/** Milliseconds before a second look: a file server may show a new file late. */
const secondLookMs = 1000;

/**
 * Writes a token on this machine and has the node read it and answer beside it. Takes both files away again.
 * Never throws: a folder in which this user may not write leaves it unknown.
 */
export async function proveShared({ folder, base }: Shared, node: string, on: Machine): Promise<Fact<Sharing>> {
  const token = randomBytes(12).toString("hex");
  const name = `.tracebloc-shared-${token.slice(0, 8)}`;
  const [question, answer] = [join(folder, name), join(folder, `${name}.answer`)];
  const how = "a token written on this machine and read in the node";
  try {
    await answered(writeFile(question, `${token}\n`, { flag: "wx" }));
    const seen = await askNode(node, sharingScript(base, name, token), token, on);
    if (seen.state === "unknown" || seen.value !== "both ways") return seen;
    return known((await isAnswered(answer, token)) ? "both ways" : "not shared", how, seen.seen.ms);
  } catch (error) {
    return unknown(error instanceof Error ? error.message : String(error), how);
  } finally {
    await Promise.all([question, answer].map((path) => answered(rm(path, { force: true })).catch(() => undefined)));
  }
}

async function askNode(node: string, script: string, token: string, on: Machine): Promise<Fact<Sharing>> {
  const first = readSharing(await runInNode(inNode(node, script), on), token);
  if (first.state === "unknown" || first.value !== "not shared" || on.stop.aborted) return first;
  await on.pause(secondLookMs);
  return readSharing(await runInNode(inNode(node, script), on), token);
}

/** Reads the token where the node sees the folder, and writes the reverse of the proof beside it. Exit code 3 of `take`: nothing there. */
export function sharingScript(base: string, name: string, token: string, seconds = patience): string {
  const question = word(`${base}/${name}`);
  const answer = word(`${base}/${name}.answer`);
  return group([
    bounds(seconds),
    `take() { [ -e ${question} ] || return 3; read -r line <${question} && printf %s "$line"; }`,
    `give() { printf '%s\\n' ${word(token)} >${answer}; }`,
    "taken=$(answer take)",
    "code=$?",
    'given=$([ "$code" = 0 ] && answer give)',
    'printf \'shared %s %s %s\\n\' "$code" "$?" "$taken"',
  ]);
}

/** What the node answered: one line and exit code 0, or it is unknown. Pure. */
export function readSharing(result: RunResult, token: string): Fact<Sharing> {
  const how = "a token written on this machine and read in the node";
  if (!succeeded(result)) return unknown(whyFailed(result), how, result.ms);
  const [, taken, given, text] = /^shared (\d+) (\d+) (.*?)\r?$/m.exec(result.stdout) ?? [];
  if (taken === "3") return known("not shared", how, result.ms);
  if (taken !== "0" || text === undefined) return unknown("the node could not read the token", how, result.ms);
  if (text !== token) return known("not shared", how, result.ms);
  return known(given === "0" ? "both ways" : "read only", how, result.ms);
}

async function isAnswered(path: string, token: string): Promise<boolean> {
  try {
    return (await answered(readFile(path, "utf8"))).trim() === token;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** A folder that the node still has, and nobody finds under its name any more. */
export function movedAway({ folder, base }: Shared, node: string): Finding {
  return {
    reason: "STORAGE_NOT_SHARED",
    room: "storage",
    says: `${folder} was moved or deleted while the cluster runs: what ${node} writes to ${base} is not in it`,
    remedies: [
      { says: "move it back, if it is somewhere; the node still writes to that one" },
      { says: "or go on with the folder as it is now: restart the node", command: `docker restart ${node}` },
    ],
  };
}

/** Why the run ends: to go on would put the data where this machine never sees it. */
export function notShared({ folder, base }: Shared, node: string): Finding {
  return {
    reason: "STORAGE_NOT_SHARED",
    room: "storage",
    says: `the container engine does not see ${folder}: ${base} in ${node} is another folder`,
    remedies: [
      { says: "if that folder was moved or made anew since, restart the node", command: `docker restart ${node}` },
      {
        says: "or use a folder that the engine sees, most often one in your home that is not hidden: remove the cluster",
        command: "tracebloc uninstall",
      },
      { says: "and make it anew", command: "tracebloc install --data-dir ~/tracebloc-data" },
    ],
  };
}
