import type { Outcome } from "../engine/outcome.ts";
import { version } from "../platform/version.ts";
import { duration, findingLines, type Style } from "./text.ts";

/** What the last lines of a run are made from. */
export type Closing = {
  /** What was asked for: bringing a client about, or taking one away. */
  command: string;
  outcome: Outcome;
  /** What was done in this run, or would be: each as a sentence, with its reason. */
  actions: readonly { do: string; says: string; because: string }[];
  then: readonly string[];
  /** True where a client was there when the run began: then what was done were repairs. */
  wasInstalled: boolean;
  /** Where datasets go, on this machine; undefined where the cluster keeps them. */
  datasets: string | undefined;
  /** The run's log, where there is one. */
  log: string | undefined;
  /** Where our own state lies. */
  state: string;
  /** How this program is called here. */
  invocation: string;
  /** Only what needs attention. */
  quiet: boolean;
  ms: number;
};

/** The end of a run, for a person who reads nothing else: what it came to, and what to do. */
export function closingLines(closing: Closing, style: Style): string[] {
  const { outcome, ms } = closing;
  const took = `(${duration(ms)})`;
  const exit = outcome.exit === 0 ? "" : `     exit ${outcome.exit}`;
  switch (outcome.state) {
    case "planned":
      return planLines(closing);
    case "refused":
      return [
        ...outcome.failures.flatMap((finding) => findingLines(finding, "failed", style)),
        `Nothing was changed. ${toMend(outcome.failures.length)}${exit}`,
      ];
    case "failed":
      return [
        ...outcome.failures.flatMap((finding) => findingLines(finding, "failed", style)),
        `Not finished ${took}. Run the same command again: it goes on from here.${exit}`,
        ...logLine(closing),
      ];
    case "interrupted":
      return [`Interrupted ${took}. Run the same command again: it goes on from here.${exit}`];
    case "degraded":
      return [
        ...warned(outcome, style),
        `tracebloc ${version} · in place, but not everything works ${took}${exit}`,
        ...logLine(closing),
      ];
    case "unproven":
      return [
        ...warned(outcome, style),
        `tracebloc ${version} · in place; what is marked above could not be proven ${took}${exit}`,
      ];
    case "healthy":
      return [...warned(outcome, style), ...(closing.quiet ? [] : healthyLines(closing, took))];
  }
}

function healthyLines(closing: Closing, took: string): string[] {
  const { actions, wasInstalled, datasets, invocation } = closing;
  if (closing.command === "uninstall") return removedLines(closing, took);
  if (actions.length === 0) return [`tracebloc ${version} · everything is in place, proven just now ${took}`];
  const repairs = actions.filter(({ do: kind }) => kind !== "release.await" && kind !== "cluster.await").length;
  if (wasInstalled) {
    const what = repairs === 0 ? "waited until it was ready" : `repaired ${count(repairs, "thing")}`;
    return [`tracebloc ${version} · ${what}; everything is in place ${took}`];
  }
  return [
    "",
    `Your client is running ${took}.${datasets === undefined ? "" : ` Datasets go to ${datasets}`}`,
    `Next: ${invocation} status · run ${invocation} install again whenever something is wrong`,
  ];
}

function removedLines({ actions, state, datasets }: Closing, took: string): string[] {
  if (actions.length === 0) return ["There is nothing to remove."];
  const keeps = datasets !== undefined && !actions.some(({ do: kind }) => kind === "storage.delete");
  return [
    `Removed ${took}.${keeps ? ` Data stays, datasets in ${datasets}` : ""}`,
    `Logs and fetched tools of this program stay in ${state}`,
  ];
}

function planLines({ actions, then, outcome }: Closing): string[] {
  if (actions.length === 0) return ["Nothing would be done."];
  const width = Math.max(...actions.map(({ says }) => says.length));
  const numbered = actions.map(
    ({ says, because }, index) => `  ${String(index + 1).padStart(2)}. ${says.padEnd(width)}   because ${because}`,
  );
  const later = then.map((says) => `      then ${says}`);
  const hints = outcome.warnings.map(({ reason, says }) => `   !  ${says}   ${reason}`);
  return [`Would do ${count(actions.length, "thing")} (nothing was changed):`, ...numbered, ...later, ...hints];
}

function warned(outcome: Outcome, style: Style): string[] {
  return outcome.warnings.flatMap((finding) => findingLines(finding, "repaired", style));
}

function logLine({ log }: Closing): string[] {
  return log === undefined ? [] : [`What happened is in ${log}`];
}

function toMend(things: number): string {
  return things === 1
    ? "Mend it, then run the same command again."
    : `${count(things, "thing")} to mend, then run the same command again.`;
}

function count(number: number, what: string): string {
  const words = ["No", "One", "Two", "Three", "Four", "Five"];
  return `${number <= 1 ? number : (words[number]?.toLowerCase() ?? number)} ${what}${number === 1 ? "" : "s"}`;
}
