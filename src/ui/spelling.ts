import type { Finding } from "../engine/finding.ts";
import { clip } from "../platform/characters.ts";

/** A flag of this run as it is typed: `--cluster` and `--cluster lab`. */
export type Repeated = { flag: string; text: string };

/** What stands for a program in a remedy when it is to be pasted on this machine. */
export type Spelling = {
  /** `npx tracebloc` under npx, else `tracebloc` or a path. */
  tracebloc: string;
  /** Flags that say which installation this run is about: without them a remedy would be about another one. */
  which: readonly Repeated[];
  /** All settings given as flags, for a remedy that is to install what this run was to install. */
  wished: readonly Repeated[];
  /** With the road to the cluster, since the user's own kubeconfig may point elsewhere (B07). */
  helm: string;
  /** Its name, or the path of the one that was fetched: that is on nobody's PATH. */
  k3d: string;
  /** A cluster of ours needs no kubectl on the machine: the node has one. */
  kubectl: string;
  /** Who is root needs no sudo, and has none on a bare Debian. */
  isRoot: boolean;
};

/** More of a tool's or a log's words helps nobody, and megabytes of them have come. */
const most = { says: 1_000, line: 500, lines: 40 };

/**
 * Rooms write remedies with plain program names; here they become commands that work where this program runs. What
 * others said is cut to what a person can read.
 */
export function spell(finding: Finding, spelling: Spelling): Finding {
  const remedies = finding.remedies.map((remedy) =>
    remedy.command === undefined ? remedy : { ...remedy, command: spellCommand(remedy.command, spelling) },
  );
  const { says, details } = finding;
  const cut = details?.slice(0, most.lines).map((line) => clip(line, most.line));
  return { ...finding, says: clip(says, most.says), ...(cut !== undefined && { details: cut }), remedies };
}

const programs = ["tracebloc", "helm", "k3d", "kubectl"] as const;

/** `sudo` where a command begins; what is quoted is passed over. Behind `ssh --` somebody else is asked. */
const sudo = /('[^']*'|\\.)|(^|\| |&& )sudo /g;

/** Replaces the program at the start of a command, after variables that stand before it, and repeats the flags that it needs. */
export function spellCommand(written: string, spelling: Spelling): string {
  const command = spelling.isRoot ? written.replace(sudo, "$1$2") : written;
  const [, before = "", first, rest = ""] = /^((?:\w+=\S+ )*)(\S+)((?: .*)?)$/.exec(command) ?? [];
  const program = programs.find((name) => name === first);
  if (program === undefined) return command;
  const flags = program === "tracebloc" ? repeatedIn(rest.trim(), spelling) : [];
  return `${before}${spelling[program]}${rest}${flags.map(({ text }) => ` ${text}`).join("")}`;
}

/** What a remedy asks for itself goes before what was asked for: a flag, or a folder that is now to be something else. */
function repeatedIn(rest: string, { which, wished }: Spelling): readonly Repeated[] {
  const words = rest.split(/[ =]/);
  if (words[0] !== "install") return which.filter(({ flag }) => !words.includes(flag) && isTaken(flag, rest));
  const isApart = ({ flag, text }: Repeated) => !words.includes(flag) && !rest.endsWith(text.slice(flag.length));
  // Datasets in a folder and a cluster that keeps its data exclude each other.
  return wished.filter((one) => isApart(one) && !(one.flag === "--dataset-dir" && words.includes("node-local")));
}

/** Not every command is about a release, or about a cluster. */
function isTaken(flag: string, rest: string): boolean {
  if (/^(?:config (?:schema|init)|(?:\w+ )?--help)\b/.test(rest)) return false;
  return !rest.startsWith("kubeconfig") || flag !== "--namespace";
}
