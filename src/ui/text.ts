import { styleText } from "node:util";

import type { Event } from "../engine/events.ts";
import type { Finding, Room } from "../engine/finding.ts";
import { exitCodes, reasons, type ExitCode, type Reason } from "../engine/reasons.ts";
import { fold } from "../platform/characters.ts";
import { onOneLine } from "../platform/one-line.ts";

export type Mark = "done" | "repaired" | "failed" | "unknown" | "none";

/** How lines look here: `width` in columns, unbounded where lines end in a file or another program; `label` is the room for labels. */
export type Style = { colour: boolean; width: number; label?: number };

const marks = {
  done: ["✓", "green"],
  repaired: ["!", "yellow"],
  failed: ["✗", "red"],
  unknown: ["?", "yellow"],
  none: [" ", "white"],
} as const;

/** What a person calls the rooms. */
export const titles: Record<Room, string> = {
  config: "Settings",
  host: "Machine",
  tools: "Tools",
  cluster: "Cluster",
  storage: "Directories",
  release: "Release",
  ingest: "Ingestion",
  run: "Run",
};

/** Two steps about the release are about something that a person calls by another name; so are findings about the same. */
const titlesOfActions: Readonly<Record<string, string>> = {
  "release.credentials": "Client",
  "release.await": "Workloads",
};

/** What a person calls that which an action is about. */
export function titleOf({ action, room }: Extract<Event, { type: "action" }>): string {
  return titlesOfActions[action.do] ?? titles[room];
}

function titleOfFinding({ reason, room }: Finding): string {
  if (room !== "release") return titles[room];
  if (reason.startsWith("CREDENTIALS_")) return "Client";
  return /^(?:WORKLOAD|IMAGE)_/.test(reason) ? "Workloads" : titles.release;
}

/** How a finding is marked: what ends a run badly by itself has failed; the rest is worth a look. */
export function markOf(reason: Reason): Mark {
  const { kind } = reasons[reason];
  return kind === "hint" || kind === "unproven" ? "repaired" : "failed";
}

/** The usual room for labels: no name of a room is longer. */
export const usualLabel = 14;
/** Narrower than this a sentence becomes a column of single words. */
const leastText = 30;

/** `  ✓ Cluster        created …   41 s`: one line of a run, folded where the terminal is narrow. Short steps show no time. */
export function roomLine(mark: Mark, title: string, says: string, ms: number, style: Style): string {
  return marked(mark, title, says, ms < 1000 ? "" : duration(ms), style);
}

/** A finding: what is wrong with its reason code, the evidence, and what to do, ready to be pasted. */
export function findingLines(finding: Finding, mark: Mark, style: Style): string[] {
  const { says, reason, details = [], remedies } = finding;
  return [
    marked(mark, titleOfFinding(finding), says, reason, style),
    ...details.flatMap((line) => below(line, "│ ", style)),
    ...remedies.flatMap(({ says: what, command }) =>
      command === undefined ? below(what, "", style) : remedyLines(what, command, style),
    ),
  ];
}

/** Milliseconds as a person says them: `0.2 s`, `41 s`, `3 min 20 s`, `20 min`. */
export function duration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 100) return `${seconds} s`;
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest === 0 ? "" : ` ${rest} s`}`;
}

/** The end of what a command tells: what it came to, with its exit code behind or, where there is no room, below. */
export function endLines(says: string, exit: ExitCode, { width }: Style): string[] {
  const lines = fold(says, width);
  if (exit === exitCodes.done) return lines;
  const [last = "", code] = [lines.at(-1), `exit ${exit}`];
  return last.length + 5 + code.length <= width ? [...lines.slice(0, -1), `${last}     ${code}`] : [...lines, code];
}

/** A sentence and a command to paste, which is never folded: it stands behind, or on a line of its own. */
export function commandLines(says: string, command: string, { width }: Style): string[] {
  const line = `${says}:   ${command}`;
  return line.length <= width
    ? [line]
    : [...fold(`${says}:`, width), `${command.length + 2 > width ? "" : "  "}${command}`];
}

/** A line with its mark and label; `aside` (a time, a reason) stands in gray behind the sentence. */
function marked(mark: Mark, title: string, says: string, aside: string, style: Style): string {
  const [symbol, colour] = marks[mark];
  const room = textRoom(style);
  const [word = "", ...more] = fold(onOneLine(says), room);
  // A path that is wider than the room beside its label stands below it.
  const isBelow = word.length > room;
  const label = isBelow ? title : `${title.padEnd(style.label ?? usualLabel)} ${word}`;
  const texts = (isBelow ? [word, ...more] : more).map((line) => `\n${indent(style, line)}${line}`);
  const fits = (more.at(-1) ?? word).length + 3 + aside.length <= room;
  const behind = aside === "" ? "" : `${fits ? "   " : `\n${indent(style, aside)}`}${paint("gray", aside, style)}`;
  return `  ${paint(colour, symbol, style)} ${label}${texts.join("")}${behind}`;
}

/** A command is never folded, so that it can be copied; where it does not fit behind its words it gets a line of its own. */
function remedyLines(says: string, command: string, style: Style): string[] {
  const words = onOneLine(says);
  const line = onOneLine(command);
  const shown = paint("bold", line, style);
  if (words.length + 4 + line.length <= textRoom(style)) return [`${indent(style)}${words}:   ${shown}`];
  return [...below(`${words}:`, "", style), indent(style, line, 2) + shown];
}

/** Lines under a sentence. Those with a bar in front are somebody else's words. */
function below(text: string, bar: "" | "│ ", style: Style): string[] {
  const texts = text.split(/[\r\n]+/).map(onOneLine);
  return texts
    .flatMap((one) => fold(one, textRoom(style) - bar.length))
    .map((line) => indent(style, bar + line) + (bar === "" ? line : paint("gray", bar + line, style)));
}

/** The column of sentences; further left where a path or a command needs the room, which a terminal would break anywhere. */
function indent({ label = usualLabel, width }: Style, line = "", more = 0): string {
  return " ".repeat(Math.max(Math.min(label + 5 + more, width - line.length), 0));
}

function textRoom({ label = usualLabel, width }: Style): number {
  return Math.max(width - label - 5, leastText);
}

type Colour = "green" | "yellow" | "red" | "white" | "gray" | "bold";

function paint(colour: Colour, text: string, { colour: wanted }: Style): string {
  // The stream has been looked at already, in `screen.ts`; looking again here would ask about standard output.
  return wanted && text.trim() !== "" ? styleText(colour, text, { validateStream: false }) : text;
}
