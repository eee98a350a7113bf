import { mirrorOf } from "../config/image-reference.ts";
import { settings } from "../config/names.ts";
import type { ClientEnv } from "../config/wishes.ts";
import type { Finding } from "../engine/finding.ts";
import { groups, type Group } from "./list.ts";

/** Which list is asked for. */
export type Question = {
  /** What the values have to say as well; undefined where they decide. */
  clientEnv: ClientEnv | undefined;
  categories: readonly string[];
  only: readonly Group[];
  mirror: string | undefined;
  /** For plain Helm: the operator's values alone, not laid over those of a cluster that `install` makes. */
  ownCluster: boolean;
  /** What goes on to Helm. */
  helmArgs: readonly string[];
};

/** A command line: flags by name and the words behind `--`, as typed; and the categories that there are. */
export type Typed = {
  flags: Readonly<Record<string, unknown>>;
  helmArgs: readonly string[];
  categories: readonly string[];
};

/**
 * Reads the command line of `images`. All that is wrong comes back at once: half a list that looks
 * whole would be found out at the first training, behind a closed door. Pure.
 */
export function readQuestion({
  flags,
  helmArgs,
  categories: known,
}: Typed): Question | { findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const wrong = (says: string, allowed: string) =>
    findings.push({ reason: "CONFIG_INVALID", room: "config", says, remedies: [{ says: `allowed: ${allowed}` }] });

  const { choices = [], aliases = {}, allowed } = settings.clientEnv;
  const env = flags["env"];
  const clientEnv = typeof env === "string" ? (aliases[env] ?? env) : undefined;
  if (clientEnv !== undefined && !choices.includes(clientEnv)) wrong(`--env ${clientEnv} is none`, allowed);

  const some = <Name extends string>(flag: string, all: readonly Name[]): readonly Name[] => {
    const names = listOf(flags[flag]);
    if (names === undefined) return all;
    for (const name of names) {
      if (!all.some((one) => one === name)) wrong(`--${flag} ${name || '""'} is none`, all.join(", "));
    }
    return all.filter((one) => names.includes(one));
  };
  const categories = some("category", known);
  const ownCluster = flags["ownCluster"] === true;
  const chosen = some("only", groups);
  const only = chosen.filter((group) => !ownCluster || group !== "cluster");
  if (chosen.length > 0 && only.length === 0) {
    wrong("--only cluster asks for what --own-cluster leaves out", groups.join(", "));
  }

  const host = flags["mirror"];
  const mirror = typeof host === "string" ? mirrorOf(host) : undefined;
  if (typeof host === "string" && mirror === undefined) {
    wrong(`--mirror ${host || '""'} names no registry`, "host, port and path, as in mirror.example.com:5000/team");
  }
  findings.push(...strangers(helmArgs));
  if (findings.length > 0) return { findings };
  return { clientEnv: clientEnv as ClientEnv | undefined, categories, only, mirror, ownCluster, helmArgs };
}

/** Names as they are typed, one by one or with commas; undefined where the flag was not given. */
function listOf(given: unknown): readonly string[] | undefined {
  return Array.isArray(given) ? given.flatMap((text) => String(text).split(",")) : undefined;
}

/** What Helm must not be given: words that are no flags, and flags after which its output is not the whole release. */
function strangers(helmArgs: readonly string[]): Finding[] {
  const [first] = helmArgs;
  const base = { reason: "USAGE", room: "config" } as const;
  const help = { says: "see what there is", command: "tracebloc images --help" };
  if (first !== undefined && !first.startsWith("-")) {
    return [{ ...base, says: "images takes flags, flags of Helm behind --, and no other words", remedies: [help] }];
  }
  const partial = helmArgs.find((word) => /^(?:-s|--show-only|--output-dir)/.test(word))?.split("=")[0];
  if (partial === undefined) return [];
  const says = `with ${partial} Helm does not print the whole release`;
  return [{ ...base, says, remedies: [{ says: "leave it out" }] }];
}
