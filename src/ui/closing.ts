import type { Outcome } from "../engine/outcome.ts";
import { exitCodes, isHint, type ExitCode } from "../engine/reasons.ts";
import { fold } from "../platform/characters.ts";
import { onOneLine } from "../platform/one-line.ts";
import { version } from "../platform/version.ts";
import { skipped } from "../storage/plan.ts";
import { imperative } from "./imperative.ts";
import { isRepair } from "./plain.ts";
import { commandLines, duration, endLines, findingLines, markOf, type Style } from "./text.ts";

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
  const end = (says: string) => endLines(says, outcome.exit, style);
  const failures = outcome.failures.flatMap((finding) => findingLines(finding, "failed", style));
  const unwell = outcome.failures.flatMap((finding) => findingLines(finding, markOf(finding.reason), style));
  switch (outcome.state) {
    case "planned":
      return planLines(closing, style);
    case "refused":
      return [
        ...failures,
        ...end(refused(closing, took)),
        ...(closing.actions.length > 0 ? logLines(closing, style) : []),
      ];
    case "failed":
      return [
        ...warned(closing, style),
        ...failures,
        ...end(`Not finished ${took}. ${mended.has(outcome.exit) ? toMend(1) : "The same command goes on from here."}`),
        ...logLines(closing, style),
      ];
    case "interrupted":
      return end(`Interrupted ${took}. The same command goes on from here.`);
    case "degraded":
      return [
        ...warned(closing, style),
        ...unwell,
        ...end(`tracebloc ${version} · in place, but not everything works ${took}`),
        ...logLines(closing, style),
      ];
    case "unproven":
      return [
        ...warned(closing, style),
        ...unwell,
        ...end(`tracebloc ${version} · in place; what is marked above could not be proven ${took}`),
      ];
    case "healthy":
      return [...warned(closing, style), ...(closing.quiet ? [] : healthyLines(closing, took, style))];
  }
}

/** A run that ended for one of these ends so again until a person has done something. */
const mended: ReadonlySet<ExitCode> = new Set([exitCodes.input, exitCodes.machine, exitCodes.refused]);

/** What stands in the way may be seen only after something was done: in a cluster that had to be started, for one. */
function refused({ actions, outcome }: Closing, took: string): string {
  return `${actions.length === 0 ? "Nothing was changed." : `Not finished ${took}.`} ${toMend(outcome.failures.length)}`;
}

function healthyLines(closing: Closing, took: string, style: Style): string[] {
  const { command, actions, wasInstalled, datasets, spelled, otherOnPath } = closing;
  const { width } = style;
  if (command === "uninstall") return goneLines(closing, took, style);
  if (actions.length === 0) {
    return fold(`tracebloc ${version} · everything is in place, proven just now ${took}`, width);
  }
  if (wasInstalled) return fold(`tracebloc ${version} · ${achieved(actions)}; everything is in place ${took}`, width);
  const again = "· run this command again whenever something is wrong";
  return [
    "",
    ...fold(
      `Your client is running ${took}. ${datasets === undefined ? skipped : `Datasets go to ${datasets}`}`,
      width,
    ),
    ...fold(["Next:", spelled("tracebloc status"), ...again.split(" ")], width),
    ...(otherOnPath === undefined ? [] : fold(`Plain \`tracebloc\` is another program here: ${otherOnPath}`, width)),
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

function goneLines(closing: Closing, took: string, style: Style): string[] {
  const { actions, state } = closing;
  if (actions.length === 0) {
    return [
      ...fold(`tracebloc ${version} · there is nothing to remove ${took}`, style.width),
      ...(closing.inCluster ? dataLines(closing, style) : []),
    ];
  }
  return [
    `tracebloc ${version} · removed ${took}`,
    ...dataLines(closing, style),
    ...fold(`Logs and fetched tools of this program stay in ${state}`, style.width),
  ];
}

/** Where what a client has gathered is now. */
function dataLines({ actions, kept, inCluster, deletion }: Closing, style: Style): string[] {
  if (inCluster) return commandLines("The cluster keeps the data, and stays. To delete both", deletion, style);
  const deleted = actions.some(({ do: kind }) => kind === "storage.delete");
  if (deleted || kept.length === 0) return [];
  return commandLines(`Data stays in ${kept.join(" and ")}. To delete it`, deletion, style);
}

function planLines({ command, actions, then, outcome, quiet }: Closing, style: Style): string[] {
  // Nothing has failed yet, whatever it will come to.
  const hints = told(outcome, quiet).flatMap((finding) => findingLines(finding, "repaired", style));
  if (actions.length === 0) {
    const why = command === "uninstall" ? "there is nothing to remove" : "everything is in place";
    return [...hints, ...fold(`Nothing would be done: ${why}.`, style.width)];
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
    return [...hanging(number, says, style), ...hanging("        ", because, style)];
  });
  const later = then.flatMap((says) => hanging("      then ", says, style));
  return [`Would do ${count(actions.length, "thing")} (nothing was changed):`, ...numbered, ...later, ...hints];
}

/** A sentence behind something that stands once; where it is folded it goes on below itself. */
function hanging(first: string, says: string, { width }: Style): string[] {
  return fold(says, width - first.length).map((part, index) => (index === 0 ? first : " ".repeat(first.length)) + part);
}

function warned({ outcome, quiet }: Closing, style: Style): string[] {
  return told(outcome, quiet).flatMap((finding) => findingLines(finding, markOf(finding.reason), style));
}

function told({ warnings }: Outcome, quiet: boolean): Outcome["warnings"] {
  return quiet ? warnings.filter(({ reason }) => !isHint(reason)) : warnings;
}

function logLines({ log }: Closing, { width }: Style): string[] {
  return log === undefined ? [] : fold(`What happened is in ${log}`, width);
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
