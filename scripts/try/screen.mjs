// What a person sees of `npm run try`, around the product's own output.

import { homedir } from "node:os";

/** Asked as the product asks: a terminal, and nothing that wants plain text. */
const { NO_COLOR, TERM, CI = "" } = process.env;
const isPlain = Boolean(NO_COLOR) || TERM === "dumb" || !/^(?:|0|false|no|off)$/i.test(CI.trim());
const bold = process.stdout.isTTY && !isPlain ? (text) => `\u001b[1m${text}\u001b[22m` : (text) => text;

let chapters = 0;

/** Begins a part of the story: a number and a title. */
export function chapter(title) {
  chapters += 1;
  process.stdout.write(`\n${bold(`${chapters} · ${title}`)}\n`);
}

export function say(...lines) {
  for (const line of lines) process.stdout.write(line === "" ? "\n" : `    ${line}\n`);
}

/** A command as a person would type it. */
export function typed(command) {
  process.stdout.write(`    ${bold(`$ ${shortened(command)}`)}\n`);
}

/** The end of the story: titles with what belongs below each. */
export function summary(parts) {
  for (const [title, lines] of parts) {
    process.stdout.write(`\n${bold(title)}\n`);
    say(...lines.map(shortened));
  }
}

/** The home directory as shells write it: shorter, and it still works when pasted. */
export function shortened(text) {
  return text
    .split(" ")
    .map((word) => (word.startsWith(`${homedir()}/`) ? `~${word.slice(homedir().length)}` : word))
    .join(" ");
}

/** Something went wrong, said so that a person can act: what, and what to do next. */
export class Trouble extends Error {
  constructor(message, ...next) {
    super(message);
    this.next = next;
  }
}

/** A person wants it to end; `exit` is that of the product, where it was at work. */
export class Interruption extends Error {
  constructor(exit) {
    super("interrupted");
    this.exit = exit;
  }
}

export function sayTrouble({ message, next = [], log }) {
  process.stdout.write("\n");
  for (const line of message.split("\n").filter(Boolean)) say(line);
  if (log !== undefined) say(`log:  ${shortened(log)}`);
  for (const line of [next].flat()) say(`next: ${shortened(line)}`);
}
