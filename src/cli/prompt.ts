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

/** Far more than a password: what is longer is something else, and may have no end. */
const mostBytes = 64 * 1024;

/**
 * Standard input, for `--client-password-stdin`. Undefined where it does not end within so many milliseconds, as that of
 * a program that was started in the background.
 */
export async function readStdin(limitMs: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  const late = setTimeout(() => process.stdin.destroy(new Error("late")), limitMs);
  try {
    let size = 0;
    for await (const chunk of process.stdin) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > mostBytes) break;
    }
    return Buffer.concat(chunks).toString("utf8");
  } catch {
    return undefined;
  } finally {
    clearTimeout(late);
  }
}
