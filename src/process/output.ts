import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

import { lineRedactor, type Redact } from "./redact.ts";
import type { Command } from "./runner.ts";

/** What one stream said, kept within a bound: its head, its tail, and how much lies between. */
export type Capture = {
  push(chunk: Uint8Array): void;
  /** Decoded as UTF-8. Where something was left out, a line of its own says so. */
  text(): { text: string; truncated: boolean };
};

/** Keeps the first and the last half of `maxBytes`: a tool says first what it does, and last why it failed. */
export function capture(maxBytes: number): Capture {
  const headMax = Math.ceil(maxBytes / 2);
  const tailMax = maxBytes - headMax;
  const head: Uint8Array[] = [];
  let tail: Uint8Array[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let leftOut = 0;

  const shrinkTail = () => {
    const whole = Buffer.concat(tail);
    const from = Math.max(0, whole.length - tailMax);
    leftOut += from;
    tail = [Buffer.from(whole.subarray(from))];
    tailBytes = whole.length - from;
  };

  return {
    push(chunk) {
      const first = chunk.subarray(0, headMax - headBytes);
      const rest = chunk.subarray(first.length);
      if (first.length > 0) head.push(first);
      if (rest.length > 0) tail.push(rest);
      headBytes += first.length;
      tailBytes += rest.length;
      // Not before twice the bound: so each byte is copied once or twice, however small the chunks are.
      if (tailBytes > 2 * tailMax) shrinkTail();
    },
    text() {
      if (tailBytes > tailMax) shrinkTail();
      if (leftOut === 0) return { text: decode(Buffer.concat([...head, ...tail])), truncated: false };
      const start = Buffer.concat(head);
      const end = Buffer.concat(tail);
      const to = endOfHead(start);
      const from = startOfTail(end);
      const bytes = leftOut + (start.length - to) + from;
      const text = `${decode(start.subarray(0, to))}\n[… ${bytes} bytes left out …]\n${decode(end.subarray(from))}`;
      return { text, truncated: true };
    },
  };
}

/** Without the byte order mark, which some Windows tools write and JSON.parse refuses. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/*
 * Redaction knows a secret only as a whole, so a cut must not leave half of one standing: what is kept ends and begins
 * with whole lines. Where there is no line end, this many bytes next to the cut go as well.
 */
const margin = 4096;
const newline = 0x0a;
const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

function endOfHead(bytes: Uint8Array): number {
  const lastLineEnd = bytes.lastIndexOf(newline);
  if (lastLineEnd >= 0) return lastLineEnd;
  let end = bytes.length - Math.min(margin, bytes.length >> 1);
  while (isContinuation(bytes[end])) end--;
  return end;
}

function startOfTail(bytes: Uint8Array): number {
  const firstLineEnd = bytes.indexOf(newline);
  if (firstLineEnd >= 0) return firstLineEnd + 1;
  let start = Math.min(margin, bytes.length >> 1);
  while (isContinuation(bytes[start])) start++;
  return start;
}

/** Longer than any line that a tool prints for people. */
const longestLine = 64 * 1024;

/**
 * Cuts a stream into lines as it arrives; a character split over two chunks stays whole, a trailing CR goes. A line that
 * is too long to be meant for people is replaced by a word about it. `end` gives the last line if no newline ended it.
 */
export function lineFeed(onLine: (line: string) => void): { push(chunk: Uint8Array): void; end(): void } {
  const decoder = new StringDecoder("utf8");
  let pending = "";
  let dropped = 0;
  const finish = (line: string) => {
    const length = dropped + line.length;
    onLine(length > longestLine ? `[… a line of ${length} characters …]` : line.replace(/\r$/, ""));
    dropped = 0;
  };
  const feed = (text: string) => {
    const lines = (pending + text).split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) finish(line);
    if (pending.length > longestLine) {
      dropped += pending.length;
      pending = "";
    }
  };
  return {
    push: (chunk) => feed(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))),
    end() {
      feed(decoder.end());
      if (pending !== "" || dropped > 0) finish(pending);
      pending = "";
    },
  };
}

/** One output of a running program. */
export type Listener = {
  closed: Promise<void>;
  isClosed(): boolean;
  /** When it last said something, on the clock of `performance.now()`; 0 for never. */
  heardAt(): number;
  /** Stops listening, and gives what was kept. */
  finish(): { text: string; truncated: boolean };
};

/** Keeps what a stream says, and hands its lines on as the command wants it. */
export function listenTo(stream: Readable, name: "stdout" | "stderr", command: Command, redact: Redact): Listener {
  const kept = capture(command.maxBytes ?? defaultMaxBytes);
  const redactLine = lineRedactor(redact);
  const lines = command.onLine && lineFeed((line) => quietly(() => command.onLine?.(redactLine(line), name)));
  let heardAt = 0;
  let isClosed = false;
  const closed = new Promise<void>((resolve) => stream.once("close", resolve));
  void closed.then(() => (isClosed = true));
  // A pipe that breaks is closed; there is nothing else to do about it.
  stream.on("error", () => {});
  stream.on("data", (chunk: Uint8Array) => {
    heardAt = performance.now();
    kept.push(chunk);
    lines?.push(chunk);
  });
  return {
    closed,
    isClosed: () => isClosed,
    heardAt: () => heardAt,
    finish() {
      stream.destroy();
      lines?.end();
      return kept.text();
    },
  };
}

const defaultMaxBytes = 1024 * 1024;

/** What listens must not be able to break a run: the program is at work outside, whatever they do. */
export function quietly(tell: () => void): void {
  try {
    tell();
  } catch {
    // Theirs.
  }
}
