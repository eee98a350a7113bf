import { stripVTControlCharacters } from "node:util";

import { clip } from "../platform/characters.ts";
import { onOneLine } from "../platform/one-line.ts";

/** Starts programs. The only road from this project to another process; execa stays behind it. */
export type Runner = {
  /** Runs one program to its end. Never throws and never rejects: whatever happens is told by the result. */
  run(command: Command): Promise<RunResult>;
  /** Ends every program still running, as `Command.graceMs` allows, and starts no more. For the second Ctrl-C. */
  stopAll(): Promise<void>;
};

export type Command = {
  /** Program name (looked up on PATH) or absolute path. Never a shell line. */
  file: string;
  args: readonly string[];
  /** What a person would call this call, for waits and errors: "docker exec in the node". */
  about: string;
  /** Milliseconds until the whole tree is ended. Covers exit and closed streams: a grandchild may hold the pipes. */
  timeoutMs: number;
  /** Milliseconds between TERM and KILL. A Helm that changes a release needs a long one: killing it wedges the release (B05). */
  graceMs?: number;
  /** Written to stdin, which is then closed. Without it stdin is empty. */
  stdin?: string | Uint8Array;
  /** Added to the environment of this process; `undefined` removes a variable. */
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  /** Per stream; beyond it head and tail are kept. Default 1 MiB. */
  maxBytes?: number;
  /** Aborting it ends the program like a deadline does, with outcome `cancelled`. */
  signal?: AbortSignal;
  /** Called with each complete line as it arrives, redacted, for progress. */
  onLine?: (line: string, stream: "stdout" | "stderr") => void;
  /** Changes something outside: such a child is journalled, and the next run waits for it if it outlives this one. */
  mutates?: boolean;
  /**
   * What it prints is data that must arrive as it is: a kubeconfig, values with a password, JSON of which redaction
   * could change a name. The result then has `raw`, which must reach no log, event or error.
   */
  raw?: boolean;
};

export type RunResult = {
  outcome: "exited" | "timed-out" | "cancelled" | "not-started";
  /** Only with outcome `exited`; a child ended by a foreign signal has `signal` instead. */
  exitCode?: number;
  signal?: string;
  /** Why it did not start: told apart because each has its own remedy. */
  notStarted?: "missing" | "not-executable" | "wrong-architecture" | "other";
  /** What stands in the way, in a clause for a person. Only with outcome `not-started`. */
  why?: string;
  /** Decoded as UTF-8 and redacted. Never merged: warnings on stderr must not break JSON on stdout (B15). */
  stdout: string;
  stderr: string;
  /** Standard output as it was, for `Command.raw`. */
  raw?: string;
  /** More came than `maxBytes`, or a descendant was still talking when this result was made: the text is not whole. */
  truncated: boolean;
  /** Wall time, milliseconds. */
  ms: number;
};

/** One call in the log of a run: what was started, how long it took, how it ended. Redacted. */
export type Call = Pick<RunResult, "outcome" | "exitCode" | "signal" | "notStarted" | "why" | "truncated" | "ms"> &
  Pick<Command, "about" | "file" | "args"> & { pid?: number };

/** Exit code 0 and nothing else. What the output proves is for the caller to say (B02). */
export function succeeded(result: RunResult): boolean {
  return result.outcome === "exited" && result.exitCode === 0;
}

/** The line a person should see of a failed call: the tool's own first error line, or what happened to the process. */
export function firstComplaint(result: RunResult): string {
  if (result.outcome === "timed-out") return `no answer within ${Math.round(result.ms / 1000)} s`;
  if (result.outcome === "cancelled") return "interrupted";
  if (result.outcome === "not-started") return `could not be started: ${result.why ?? result.notStarted ?? "other"}`;
  // k3d colours what it says even into a pipe.
  const text = stripVTControlCharacters(`${result.stderr}\n${result.stdout}`);
  const lines = text.split(/[\n\r]/).map((line) => line.trim());
  const said =
    lines.find((line) => /error|fatal|fail|denied|cannot|refused/i.test(line)) ?? lines.find((line) => line !== "");
  if (said !== undefined) return clip(onOneLine(said), longestComplaint);
  return result.signal === undefined ? `exit code ${result.exitCode ?? "none"}` : `ended by ${result.signal}`;
}

/** Characters of a line that is still read. */
const longestComplaint = 500;
