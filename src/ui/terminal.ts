import type { Ora } from "ora";

import type { Emit, Event } from "../engine/events.ts";
import { every, linesOf, stepText, waitText } from "./plain.ts";
import { titleOf, titles, usualLabel, type Style } from "./text.ts";

/**
 * Two blanks, the turning sign, a blank, the label, a blank; one column that terminals keep for the cursor; and two for
 * the ^C that they write behind it: a line that went on below for it was not wiped away.
 */
const beside = 8 + usualLabel;

/**
 * Shows a run on a terminal: finished lines stay, the line being worked on turns and says what it waits for.
 * The spinner comes with the first action: its package takes 30 ms to load, which a healthy run does not have to spend.
 */
export function terminalScreen(
  write: (line: string) => void,
  style: Style,
  hadClient: () => boolean,
  spinners: () => Promise<{ start(text: string): Ora }>,
): Emit & { close(): void } {
  let spinner: Ora | undefined;
  let wanted: string | undefined;
  let title: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const room = style.width - beside;
  const draw = (text: string) => {
    wanted = text;
    if (spinner !== undefined) spinner.text = text;
    else {
      void spinners().then((made) => {
        if (wanted !== undefined) spinner ??= made.start(wanted);
      });
    }
  };
  const show = (label: string, says: string) => draw(`${label.padEnd(usualLabel)} ${says}`);
  const hide = () => {
    wanted = undefined;
    spinner?.stop();
    spinner = undefined;
  };
  const close = () => {
    clearInterval(timer);
    title = undefined;
    hide();
  };
  const begin = (event: Extract<Event, { type: "action" }>) => {
    const label = titleOf(event);
    title = label;
    show(label, stepText(event, 0, room));
    clearInterval(timer);
    timer = every(1000, (ms) => show(label, stepText(event, ms, room)));
  };
  const emit: Emit = (event) => {
    if (event.type === "action" && event.phase === "begin") return begin(event);
    if (event.type === "wait") {
      clearInterval(timer);
      return show(title ?? titles[event.room], waitText(event, room));
    }
    const lines = linesOf(event, style, hadClient());
    if (lines.length === 0 && event.type !== "action") return;
    const unfinished = event.type === "action" ? undefined : wanted;
    if (event.type === "action") close();
    else hide();
    for (const line of lines) write(line);
    if (unfinished !== undefined) draw(unfinished);
  };
  return Object.assign(emit, { close });
}
