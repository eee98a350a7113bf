import type { Emit, Event } from "../engine/events.ts";
import { clip } from "../platform/characters.ts";
import { onOneLine } from "../platform/one-line.ts";
import { duration, findingLines, markOf, roomLine, titleOf, titles, type Style } from "./text.ts";

/** A long step says so every 15 s where nothing can be redrawn. */
const quietMs = 15_000;

type ActionEvent = Extract<Event, { type: "action" }>;
type WaitEvent = Extract<Event, { type: "wait" }>;

/**
 * The lines that an event is worth on a screen that cannot redraw; none for most. The terminal prints the same,
 * with a spinner in between. `hadClient` is true where a client was there before: then what is done is told with its reason.
 */
export function linesOf(event: Event, style: Style, hadClient: boolean): string[] {
  switch (event.type) {
    case "action":
      return event.phase === "end" ? [endLine(event, style, hadClient)] : [];
    case "note":
      return [roomLine("none", titles[event.room], event.says, 0, style)];
    case "warning":
      return findingLines(event.finding, markOf(event.finding.reason), style);
    default:
      return [];
  }
}

function endLine(event: ActionEvent, style: Style, hadClient: boolean): string {
  const { holds, says, ms, action } = event;
  if (holds !== true) return roomLine(holds === false ? "failed" : "unknown", titleOf(event), says, ms, style);
  if (isRepair(action.do, hadClient)) {
    return roomLine("repaired", titleOf(event), `${action.because}. Repaired: ${says}`, ms, style);
  }
  const why = hadClient && action.do === "release.apply" ? ` (${action.because})` : "";
  return roomLine("done", titleOf(event), `${says}${why}`, ms, style);
}

const repairs = new Set(["cluster.start", "cluster.unpause", "cluster.restart", "cluster.connect", "cluster.remove"]);

/** What is done about a cluster that is there is a repair; so are its directories, where a client has used them. */
export function isRepair(kind: string, hadClient: boolean): boolean {
  return repairs.has(kind) || (hadClient && kind === "storage.prepare");
}

export type PlainScreen = Emit & { close(): void };

/** Shows a run as plain lines: logs, pipes, CI, `TERM=dumb`. Long steps give a sign of life. */
export function plainScreen(write: (line: string) => void, style: Style, hadClient: () => boolean): PlainScreen {
  let saidAtMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let title: string | undefined;
  const still = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const emit: Emit = (event) => {
    if (event.type === "wait") {
      still();
      if (event.sinceMs < saidAtMs) saidAtMs = 0;
      if (event.sinceMs - saidAtMs < quietMs) return;
      saidAtMs = event.sinceMs;
      write(roomLine("none", title ?? titles[event.room], waitText(event), 0, style));
      return;
    }
    if (event.type === "action") {
      still();
      title = event.phase === "begin" ? titleOf(event) : undefined;
      if (event.phase === "begin") timer = every(quietMs, (ms) => write(stepLine(event, ms, style)));
    }
    for (const line of linesOf(event, style, hadClient())) write(line);
  };
  return Object.assign(emit, { close: still });
}

/** Calls with the time that has passed; keeps no program from ending. */
export function every(intervalMs: number, say: (ms: number) => void): NodeJS.Timeout {
  const start = performance.now();
  return setInterval(() => say(performance.now() - start), intervalMs).unref();
}

function stepLine(event: ActionEvent, ms: number, style: Style): string {
  return roomLine("none", titleOf(event), stepText(event, ms), 0, style);
}

/** A step that does not say what it waits for: `installing tracebloc, chart 2.0.0 (16 s)`. */
export function stepText({ says }: ActionEvent, ms: number, room = Number.POSITIVE_INFINITY): string {
  const time = ms < 1000 ? "" : ` (${duration(ms)})`;
  return `${clip(onOneLine(says), room - time.length)}${time}`;
}

/** `waiting for mysql-client: pulling image (31 s of 10 min)`; in `room` columns, which cost the cause and never the time. */
export function waitText({ waitingFor, sinceMs, limitMs }: WaitEvent, room = Number.POSITIVE_INFINITY): string {
  const time = ` (${duration(sinceMs)} of ${duration(limitMs)})`;
  return `${clip(onOneLine(`waiting for ${waitingFor}`), room - time.length)}${time}`;
}
