import type { Finding } from "../engine/finding.ts";

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
  /** A cluster of ours needs no kubectl on the machine: the node has one. */
  kubectl: string;
};

/** Rooms write remedies with plain program names; here they become commands that work where this program runs. */
export function spell(finding: Finding, spelling: Spelling): Finding {
  const remedies = finding.remedies.map((remedy) =>
    remedy.command === undefined ? remedy : { ...remedy, command: spellCommand(remedy.command, spelling) },
  );
  return { ...finding, remedies };
}

/** Replaces the program at the start of a command, after variables that stand before it, and repeats the flags that it needs. */
export function spellCommand(command: string, spelling: Spelling): string {
  const [, before = "", program, rest = ""] = /^((?:\w+=\S+ )*)(tracebloc|helm|kubectl)((?: .*)?)$/.exec(command) ?? [];
  if (program === undefined) return command;
  const flags = program === "tracebloc" ? repeatedIn(rest, spelling) : [];
  return `${before}${spelling[program as "tracebloc" | "helm" | "kubectl"]}${rest}${flags.map(({ text }) => ` ${text}`).join("")}`;
}

function repeatedIn(rest: string, { which, wished }: Spelling): readonly Repeated[] {
  if (rest === " install") return wished;
  const words = rest.split(/[ =]/);
  return which.filter(({ flag }) => !words.includes(flag));
}
