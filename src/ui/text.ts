import { styleText } from "node:util";
import type { Finding, Room } from "../engine/finding.ts";

export type Mark = "done" | "repaired" | "failed" | "unknown" | "none";

/** How lines look on this terminal; without colour and symbols for logs and old consoles. */
export type Style = { colour: boolean; width: number };

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
  run: "Run",
};

const labelWidth = 14;

/** `  ✓ Cluster        created …   41 s`: one line of a run. Short steps show no time. */
export function roomLine(mark: Mark, title: string, says: string, ms: number, style: Style): string {
  const [symbol, colour] = marks[mark];
  const time = ms >= 1000 ? `${"".padEnd(3)}${paint("gray", duration(ms), style)}` : "";
  return `  ${paint(colour, symbol, style)} ${title.padEnd(labelWidth)} ${says}${time}`;
}

/** A finding: what is wrong with its reason code, the evidence, and what to do, ready to be pasted. */
export function findingLines(finding: Finding, mark: Mark, style: Style): string[] {
  const indent = " ".repeat(labelWidth + 5);
  const head = `${roomLine(mark, titles[finding.room], finding.says, 0, style)}   ${paint("gray", finding.reason, style)}`;
  const details = (finding.details ?? []).map((line) => `${indent}${paint("gray", `│ ${line}`, style)}`);
  const remedies = finding.remedies.map(({ says, command }) =>
    command === undefined ? `${indent}${says}` : `${indent}${says}:   ${paint("bold", command, style)}`,
  );
  return [head, ...details, ...remedies];
}

/** Milliseconds as a person says them: `0.2 s`, `41 s`, `3 min 20 s`. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 100 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

type Colour = "green" | "yellow" | "red" | "white" | "gray" | "bold";

function paint(colour: Colour, text: string, { colour: wanted }: Style): string {
  return wanted && text.trim() !== "" ? styleText(colour, text) : text;
}
