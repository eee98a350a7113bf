import type { Emit, Event } from "../engine/events.ts";
import type { Result } from "./result.ts";

/** Version of the output's shape; raised when a field changes its meaning or goes. */
export const outputVersion = 1;

/** Writes events as NDJSON: one object a line, nothing else on that stream. The result is the last line. */
export function jsonScreen(write: (line: object) => void): Emit {
  return (event) => write(toLine(rounded(event)));
}

/** Whole milliseconds: what the clock gives beyond them is noise. */
function rounded(event: Event): Event {
  if (event.type === "fact" || event.type === "action") return { ...event, ms: Math.round(event.ms) };
  if (event.type !== "wait") return event;
  return { ...event, sinceMs: Math.round(event.sinceMs), limitMs: Math.round(event.limitMs) };
}

/** One line of output for an event or a result, as data. */
export function toLine(value: Event | Result): { v: number } & (Event | Result) {
  return { v: outputVersion, ...value };
}
