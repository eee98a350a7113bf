import type { Ora } from "ora";
import type { Emit } from "../engine/events.ts";
import { linesOf, waitText } from "./plain.ts";
import { titles, type Style } from "./text.ts";

/**
 * Shows a run on a terminal: finished lines stay, the line being worked on turns and says what it waits for.
 * The spinner comes with the first action: its package takes 30 ms to load, which a healthy run does not have to spend.
 */
export function terminalScreen(
  write: (line: string) => void,
  style: Style,
  spinners: () => Promise<{ start(text: string): Ora }>,
): Emit & { close(): void } {
  let spinner: Ora | undefined;
  let wanted: string | undefined;
  const show = (text: string) => {
    wanted = text;
    if (spinner !== undefined) spinner.text = text;
    else {
      void spinners().then((made) => {
        if (wanted !== undefined) spinner ??= made.start(wanted);
      });
    }
  };
  const hide = () => {
    wanted = undefined;
    spinner?.stop();
    spinner = undefined;
  };
  const emit: Emit = (event) => {
    if (event.type === "action" && event.phase === "begin") {
      return show(`${titles[event.room].padEnd(14)} ${event.says}`);
    }
    if (event.type === "wait") return show(`${titles[event.room].padEnd(14)} ${waitText(event)}`);
    const lines = linesOf(event, style);
    if (lines.length === 0 && event.type !== "action") return;
    hide();
    for (const line of lines) write(line);
  };
  return Object.assign(emit, { close: hide });
}
