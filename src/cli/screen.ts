import type { RunOptions } from "../config/wishes.ts";
import type { Emit } from "../engine/events.ts";
import type { Finding } from "../engine/finding.ts";
import { isHint } from "../engine/reasons.ts";
import { unsteered } from "../platform/one-line.ts";
import { redactData, type Redact } from "../process/redact.ts";
import { jsonScreen, toLine } from "../ui/json.ts";
import { plainScreen } from "../ui/plain.ts";
import type { Result } from "../ui/result.ts";
import { spell, spellCommand, type Spelling } from "../ui/spelling.ts";
import { terminalScreen } from "../ui/terminal.ts";
import { findingLines, markOf, type Mark, type Style } from "../ui/text.ts";

/** Where lines for a person go, and how they look there. A program that asked for JSON gets the result instead. */
export type Paper = {
  style: Style;
  lines: (lines: readonly string[]) => void;
  finding: (finding: Finding, mark?: Mark) => void;
};

/**
 * How a command talks: what a person is told on the way goes to standard error, and what was asked for (`answer`: a
 * plan, a status, a diagnosis) to standard output, where it can be piped and kept. All of it is redacted.
 */
export type Screen = Paper & {
  emit: Emit;
  answer: Paper;
  /** From now on what is done is told as something done to a client that is there. */
  hadClient: () => void;
  /** The last line of `--json`. */
  result: (result: Result) => void;
  /** Remedies in the words that work here. */
  spelled: (finding: Finding) => Finding;
  spelledCommand: (command: string) => string;
  close: () => void;
};

type Asked = Pick<RunOptions, "json" | "quiet" | "color">;

/** Picks the screen: JSON where asked for, a spinner on a terminal that can, plain lines everywhere else (CI, pipes, TERM=dumb). */
export function openScreen(
  { json, quiet, color }: Asked,
  isCi: boolean,
  redact: Redact,
  spelling: () => Spelling,
  label?: number,
): Screen {
  const { stdout, stderr } = process;
  const isTerminal = stderr.isTTY && !isCi;
  const styled = (stream: NodeJS.WriteStream): Style => ({
    ...styleOf(stream, color, isCi),
    ...(label !== undefined && { label }),
  });
  const style = styled(stderr);
  const writer =
    (stream: NodeJS.WriteStream, { colour }: Style) =>
    (line: string) =>
      void stream.write(`${unsteered(redact(line), colour)}\n`);
  const write = writer(stderr, style);
  const writeJson = (line: object) => void stdout.write(`${JSON.stringify(redactData(line, redact))}\n`);

  let isRepair = false;
  const hadClient = () => isRepair;
  // On a terminal that is 0 columns wide a spinner would clear lines without end.
  const canRedraw = isTerminal && color && stderr.columns > 0;
  const forPerson =
    quiet || !canRedraw ? plainScreen(write, style, hadClient) : terminalScreen(write, style, hadClient, loadSpinner);
  const show = json ? jsonScreen(writeJson) : forPerson;
  const spelled = (finding: Finding) => spell(finding, spelling());
  const emit: Emit = (event) => {
    if (quiet && !json && (event.type !== "warning" || isHint(event.finding.reason))) return;
    show(event.type === "warning" ? { ...event, finding: spelled(event.finding) } : event);
  };
  const paper = (onto: (line: string) => void, looks: Style): Paper => {
    const lines = (texts: readonly string[]) => {
      forPerson.close();
      if (!json) for (const text of texts) onto(text);
    };
    return {
      style: looks,
      lines,
      finding: (finding, mark = markOf(finding.reason)) => {
        if (!quiet || !isHint(finding.reason)) lines(findingLines(spelled(finding), mark, looks));
      },
    };
  };
  const answerStyle = styled(stdout);
  return {
    ...paper(write, style),
    emit,
    answer: paper(writer(stdout, answerStyle), answerStyle),
    hadClient: () => {
      isRepair = true;
    },
    result: (result) => {
      if (json) writeJson(toLine(result));
    },
    spelled,
    spelledCommand: (command) => spellCommand(command, spelling()),
    close: () => forPerson.close(),
  };
}

function styleOf(stream: NodeJS.WriteStream, color: boolean, isCi: boolean): Style {
  const isTerminal = stream.isTTY && !isCi;
  return {
    colour: color && isTerminal && stream.hasColors(),
    // A pseudo-terminal may say that it is 0 columns wide.
    width: isTerminal ? stream.columns || 80 : Number.POSITIVE_INFINITY,
  };
}

async function loadSpinner() {
  const { default: ora } = await import("ora");
  // With `indent` ora leaves the cursor where the indented line began, and the next line of ours would start there.
  const asked = { prefixText: " ", stream: process.stderr, discardStdin: false };
  return { start: (text: string) => ora({ ...asked, text }).start() };
}
