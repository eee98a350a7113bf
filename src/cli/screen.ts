import type { RunOptions } from "../config/wishes.ts";
import type { Emit } from "../engine/events.ts";
import type { Finding } from "../engine/finding.ts";
import type { Redact } from "../process/redact.ts";
import { jsonScreen, toLine } from "../ui/json.ts";
import { plainScreen } from "../ui/plain.ts";
import type { Result } from "../ui/result.ts";
import { spell, type Spelling } from "../ui/spelling.ts";
import { terminalScreen } from "../ui/terminal.ts";
import { findingLines, type Mark, type Style } from "../ui/text.ts";

/** How a command talks: a person's lines go to standard error, results to standard output. All of it is redacted. */
export type Screen = {
  emit: Emit;
  style: Style;
  /** For a person; a program gets the result instead. */
  lines: (lines: readonly string[]) => void;
  finding: (finding: Finding, mark: Mark) => void;
  /** The last line of `--json`. */
  result: (result: Result) => void;
  /** Remedies in the words that work here. */
  spelled: (finding: Finding) => Finding;
  close: () => void;
};

type Asked = Pick<RunOptions, "json" | "quiet" | "color">;

/** Picks the screen: JSON where asked for, a spinner on a terminal that can, plain lines everywhere else (CI, pipes, TERM=dumb). */
export function openScreen(
  { json, quiet, color }: Asked,
  isCi: boolean,
  redact: Redact,
  spelling: () => Spelling,
): Screen {
  const { stdout, stderr } = process;
  const isTerminal = stderr.isTTY && !isCi && color !== undefined;
  const style: Style = { colour: color && isTerminal && stderr.hasColors(), width: stderr.columns ?? 80 };
  const write = (line: string) => void stderr.write(`${redact(line)}\n`);
  const writeResult = (line: string) => void stdout.write(`${redact(line)}\n`);

  const terminal = json || quiet || !isTerminal || !color ? undefined : terminalScreen(write, style, loadSpinner);
  const show = json ? jsonScreen(writeResult) : (terminal ?? plainScreen(write, style));
  const spelled = (finding: Finding) => spell(finding, spelling());
  const emit: Emit = (event) => {
    if (quiet && !json && event.type !== "warning") return;
    show(event.type === "warning" ? { ...event, finding: spelled(event.finding) } : event);
  };
  const lines = (texts: readonly string[]) => {
    terminal?.close();
    if (!json) for (const text of texts) write(text);
  };
  return {
    emit,
    style,
    lines,
    finding: (finding, mark) => lines(findingLines(spelled(finding), mark, style)),
    result: (result) => {
      if (json) writeResult(toLine(result));
    },
    spelled,
    close: () => terminal?.close(),
  };
}

async function loadSpinner() {
  const { default: ora } = await import("ora");
  return { start: (text: string) => ora({ text, indent: 2, stream: process.stderr, discardStdin: false }).start() };
}
