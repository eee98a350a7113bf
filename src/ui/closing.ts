import type { Outcome } from "../engine/outcome.ts";
import { exitCodes, isHint, type ExitCode } from "../engine/reasons.ts";
import { onOneLine } from "../platform/one-line.ts";
import { version } from "../platform/version.ts";
import { skipped } from "../storage/plan.ts";
import { imperative } from "./imperative.ts";
import { isRepair } from "./plain.ts";
import { duration, findingLines, fold, markOf, type Style } from "./text.ts";

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
  /** Folders of this machine that keep data when the client is gone. */
  kept: readonly string[];
  /** True where a cluster that stands keeps the data. */
  inCluster: boolean;
  /** The command that deletes the data, spelled. */
  deletion: string;
  /** The run's log, where there is one. */
  log: string | undefined;
  /** Where our own state lies. */
  state: string;
  /** A command of this program, spelled so that it works when pasted here. */
  spelled: (command: string) => string;
  /** Another program of our name, which a person gets who types it. */
  otherOnPath: string | undefined;
  /** Only what needs attention. */
  quiet: boolean;
  ms: number;
};

/** The end of a run, for a person who reads nothing else: what it came to, and what to do. */
export function closingLines(closing: Closing, style: Style): string[] {
  const { outcome, ms } = closing;
  const took = `(${duration(ms)})`;
  const exit = outcome.exit === 0 ? "" : `     exit ${outcome.exit}`;
  const failures = outcome.failures.flatMap((finding) => findingLines(finding, "failed", style));
  const unwell = outcome.failures.flatMap((finding) => findingLines(finding, markOf(finding.reason), style));
  switch (outcome.state) {
    case "planned":
      return planLines(closing, style);
    case "refused":
      return [...failures, ...refusedLines(closing, took, exit)];
    case "failed":
      return [
        ...warned(closing, style),
        ...failures,
        `Not finished ${took}. ${mended.has(outcome.exit) ? toMend(1) : "The same command goes on from here."}${exit}`,
        ...logLine(closing),
      ];
    case "interrupted":
      return [`Interrupted ${took}. The same command goes on from here.${exit}`];
    case "degraded":
      return [
        ...warned(closing, style),
        ...unwell,
        `tracebloc ${version} · in place, but not everything works ${took}${exit}`,
        ...logLine(closing),
      ];
    case "unproven":
      return [
        ...warned(closing, style),
        ...unwell,
        `tracebloc ${version} · in place; what is marked above could not be proven ${took}${exit}`,
      ];
    case "healthy":
      return [
        ...warned(closing, style),
        ...(closing.quiet ? [] : healthyLines(closing, took).flatMap((line) => fold(line, style.width))),
      ];
  }
}

/** A run that ended for one of these ends so again until a person has done something. */
const mended: ReadonlySet<ExitCode> = new Set([exitCodes.input, exitCodes.machine, exitCodes.refused]);

/** What stands in the way may be seen only after something was done: in a cluster that had to be started, for one. */
function refusedLines(closing: Closing, took: string, exit: string): string[] {
  const mend = toMend(closing.outcome.failures.length);
  return closing.actions.length === 0
    ? [`Nothing was changed. ${mend}${exit}`]
    : [`Not finished ${took}. ${mend}${exit}`, ...logLine(closing)];
}

function healthyLines(closing: Closing, took: string): string[] {
  const { command, actions, wasInstalled, datasets, spelled, otherOnPath } = closing;
  if (command === "uninstall") return goneLines(closing, took);
  if (actions.length === 0) return [`tracebloc ${version} · everything is in place, proven just now ${took}`];
  if (wasInstalled) return [`tracebloc ${version} · ${achieved(actions)}; everything is in place ${took}`];
  return [
    "",
    `Your client is running ${took}. ${datasets === undefined ? skipped : `Datasets go to ${datasets}`}`,
    `Next: ${spelled("tracebloc status")} · run this command again whenever something is wrong`,
    ...(otherOnPath === undefined ? [] : [`Plain \`tracebloc\` is another program here: ${otherOnPath}`]),
  ];
}

function achieved(actions: Closing["actions"]): string {
  const repairs = actions.filter(({ do: kind }) => isRepair(kind, true)).length;
  const parts = [
    ...(repairs > 0 ? [`repaired ${count(repairs, "thing")}`] : []),
    ...(actions.some(({ do: kind }) => kind === "release.apply") ? ["changed the release"] : []),
  ];
  return parts.length === 0 ? "waited until it was ready" : parts.join(", ");
}

function goneLines(closing: Closing, took: string): string[] {
  const { actions, state } = closing;
  if (actions.length === 0) {
    return [
      `tracebloc ${version} · there is nothing to remove ${took}`,
      ...(closing.inCluster ? dataLines(closing) : []),
    ];
  }
  return [
    `tracebloc ${version} · removed ${took}`,
    ...dataLines(closing),
    `Logs and fetched tools of this program stay in ${state}`,
  ];
}

/** Where what a client has gathered is now. */
function dataLines({ actions, kept, inCluster, deletion }: Closing): string[] {
  if (inCluster) return [`The cluster keeps the data, and stays. To delete both:   ${deletion}`];
  const deleted = actions.some(({ do: kind }) => kind === "storage.delete");
  return deleted || kept.length === 0 ? [] : [`Data stays in ${kept.join(" and ")}. To delete it:   ${deletion}`];
}

function planLines({ command, actions, then, outcome, quiet }: Closing, style: Style): string[] {
  // Nothing has failed yet, whatever it will come to.
  const hints = told(outcome, quiet).flatMap((finding) => findingLines(finding, "repaired", style));
  if (actions.length === 0) {
    const why = command === "uninstall" ? "there is nothing to remove" : "everything is in place";
    return [...hints, `Nothing would be done: ${why}.`];
  }
  const sentences = actions.map(({ says }) => onOneLine(imperative(says)));
  const width = Math.max(...sentences.map((says) => says.length));
  const reasonsOf = actions.map(({ because }) => onOneLine(`because ${because}`));
  // Beside its action where all of them fit, else below.
  const isBeside = reasonsOf.every((because) => 6 + width + 3 + because.length <= style.width);
  const numbered = sentences.flatMap((says, index) => {
    const number = `  ${String(index + 1).padStart(2)}. `;
    const because = reasonsOf[index] ?? "";
    if (isBeside) return [`${number}${says.padEnd(width)}   ${because}`];
    return [`${number}${says}`, ...fold(because, style.width - 8).map((part) => `        ${part}`)];
  });
  const later = then.map((says) => `      then ${says}`);
  return [`Would do ${count(actions.length, "thing")} (nothing was changed):`, ...numbered, ...later, ...hints];
}

function warned({ outcome, quiet }: Closing, style: Style): string[] {
  return told(outcome, quiet).flatMap((finding) => findingLines(finding, markOf(finding.reason), style));
}

function told({ warnings }: Outcome, quiet: boolean): Outcome["warnings"] {
  return quiet ? warnings.filter(({ reason }) => !isHint(reason)) : warnings;
}

function logLine({ log }: Closing): string[] {
  return log === undefined ? [] : [`What happened is in ${log}`];
}

function toMend(things: number): string {
  const what = count(things, "thing");
  return things === 1
    ? "Mend it, then run the same command again."
    : `${what.charAt(0).toUpperCase()}${what.slice(1)} to mend, then run the same command again.`;
}

/** Small numbers in words, but for the one: `1 thing`, `two things`, `12 things`. */
function count(number: number, what: string): string {
  const words = ["no", "1", "two", "three", "four", "five"];
  return `${words[number] ?? number} ${what}${number === 1 ? "" : "s"}`;
}
