import type { Emit, Event } from "../engine/events.ts";
import { duration, findingLines, roomLine, titles, type Style } from "./text.ts";

/** A long wait says so every 15 s where nothing can be redrawn. */
const quietMs = 15_000;

/**
 * The lines that an event is worth on a screen that cannot redraw; none for most. The terminal prints the same,
 * with a spinner in between.
 */
export function linesOf(event: Event, style: Style): string[] {
  switch (event.type) {
    case "action":
      if (event.phase !== "end") return [];
      return [
        roomLine(
          event.holds === true ? "done" : event.holds === false ? "failed" : "unknown",
          titles[event.room],
          event.says,
          event.ms,
          style,
        ),
      ];
    case "note":
      return [roomLine("done", titles[event.room], event.says, 0, style)];
    case "warning":
      return findingLines(event.finding, "repaired", style);
    default:
      return [];
  }
}

/** Shows a run as plain lines: logs, pipes, CI, `TERM=dumb`. */
export function plainScreen(write: (line: string) => void, style: Style): Emit {
  let saidAtMs = 0;
  return (event) => {
    if (event.type === "wait") {
      if (event.sinceMs < saidAtMs) saidAtMs = 0;
      if (event.sinceMs - saidAtMs < quietMs) return;
      saidAtMs = event.sinceMs;
      write(waitLine(event, style));
      return;
    }
    for (const line of linesOf(event, style)) write(line);
  };
}

/** `waiting for mysql-client: pulling image (31 s of 600 s)` */
export function waitText({ waitingFor, sinceMs, limitMs }: Extract<Event, { type: "wait" }>): string {
  return `waiting for ${waitingFor} (${duration(sinceMs)} of ${duration(limitMs)})`;
}

function waitLine(event: Extract<Event, { type: "wait" }>, style: Style): string {
  return roomLine("none", titles[event.room], waitText(event), 0, style);
}
