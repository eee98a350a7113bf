import type { Finding } from "../engine/finding.ts";

/** What stands for a program in a remedy when it is to be pasted on this machine. */
export type Spelling = {
  /** `npx tracebloc` under npx, else `tracebloc` or a path. */
  tracebloc: string;
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

/** Replaces the program at the start of a command, after variables that stand before it. */
export function spellCommand(command: string, spelling: Spelling): string {
  return command.replace(
    /^((?:\w+=\S+ )*)(tracebloc|helm|kubectl)(?= |$)/,
    (_, before: string, program: keyof Spelling) => before + spelling[program],
  );
}
