import type { Emit, Event } from "../engine/events.ts";
import type { Result } from "./result.ts";

/** Version of the output's shape; raised when a field changes its meaning or goes. */
export const outputVersion = 1;

/** Writes events as NDJSON: one object a line, nothing else on that stream. The result is the last line. */
export function jsonScreen(write: (line: object) => void): Emit {
  return (event) => write(toLine(event));
}

/** One line of output for an event or a result, as data. */
export function toLine(value: Event | Result): { v: number } & (Event | Result) {
  return { v: outputVersion, ...value };
}
