import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

import { cleanPasted } from "../config/credentials.ts";

/** True where a person can be asked: both ends are a terminal. A piped standard input is never read for an answer. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Asks for one line on the terminal. `hidden` shows nothing of what is typed. Undefined when the person gives up (Ctrl-C, Ctrl-D). */
export async function askLine(question: string, hidden: boolean, stop: AbortSignal): Promise<string | undefined> {
  let muted = false;
  const output = new Writable({
    write(chunk: Buffer, _, written) {
      if (!muted) process.stderr.write(chunk);
      written();
    },
  });
  const terminal = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  const gaveUp = new AbortController();
  terminal.once("SIGINT", () => {
    gaveUp.abort();
    // The terminal is in raw mode: Ctrl-C is a key there, and no signal for whoever waits for one.
    process.emit("SIGINT");
  });
  terminal.once("close", () => gaveUp.abort());
  try {
    const answer = terminal.question(question, { signal: AbortSignal.any([stop, gaveUp.signal]) });
    muted = hidden;
    return cleanPasted(await answer).text.trim();
  } catch {
    return undefined;
  } finally {
    muted = false;
    if (hidden) process.stderr.write("\n");
    terminal.close();
  }
}

/** All of standard input, for `--client-password-stdin`. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
