import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";

import { fileError } from "../files/atomic.ts";
import { version } from "../platform/version.ts";
import { ownProcess, type Child } from "../process/processes.ts";
import { redactData, type Redact } from "../process/redact.ts";
import type { Call } from "../process/runner.ts";
import type { Event } from "./events.ts";
import type { Fact } from "./fact.ts";
import { format, type Line } from "./journal-line.ts";
import type { Action } from "./plan.ts";
import { previousRun, type PreviousRun } from "./previous-run.ts";
import type { ExitCode, Reason } from "./reasons.ts";

/** What a run writes down as it goes, so that the next one can tell where it stopped. Each call is on disk before it returns. */
export type Journal = {
  /** `says` is for the next run, should this one be cut off: what was being done, for a person. */
  before(action: Action, says?: string): void;
  after(action: Action): void;
  failed(action: Action, error: unknown): void;
};

/** The journal and log of one whole run. Its parts can be handed on as they are: to the runner, to the emitter of events. */
export type RunJournal = Journal & {
  event: (event: Event) => void;
  call: (call: Call) => void;
  children: { started: (child: Child) => void; ended: (child: Child) => void };
  /**
   * Starts the file in the folder of runs. What came before is kept until then, and comes to nothing for a run that
   * changes nothing and never opens it. To be called under the lock: then the newest file is that of the run before.
   * Gives what that run left behind.
   */
  open: (runs: string) => Fact<PreviousRun | undefined>;
  /** The last line, with which the file is closed. Later ones are ignored. */
  end: (exit: ExitCode, reason?: Reason) => void;
  /** Where it is written, once it is. */
  file: () => string | undefined;
};

const kept = 20;
/** Far more than a run does before it takes the lock. */
const mostBuffered = 2_000;

export type JournalOptions = {
  /** What a person typed: "tracebloc install". */
  command: string;
  redact: Redact;
  /** Told once where the journal cannot be written. The run goes on: it is less safe, and not wrong. */
  warn: (says: string) => void;
  now?: () => Date;
};

/** A journal that is kept in memory until it is opened. Nothing here throws, whatever the disk does. */
export function createJournal({ command, redact, warn, now = () => new Date() }: JournalOptions): RunJournal {
  const at = () => now().toISOString();
  let waiting: Line[] = [];
  let out: Writer | undefined;
  let path: string | undefined;
  let hasEnded = false;
  let lastWait = "";

  const write = (line: Line, sync = false) => {
    if (hasEnded) return;
    if (out !== undefined) out.append(`${JSON.stringify(redactData(line, redact))}\n`, sync);
    else if (waiting.length < mostBuffered) waiting.push(line);
  };
  const action = (phase: "before" | "after" | "failed", of: Action, more: { says?: string; error?: string } = {}) => {
    write({ is: "action", at: at(), phase, action: of, ...more }, true);
  };

  return {
    before: (of, says) => action("before", of, says === undefined ? {} : { says }),
    after: (of) => action("after", of),
    failed: (of, error) => action("failed", of, { error: messageOf(error) }),
    event(event) {
      // Signs of life come every second: the one that says something new is enough.
      if (event.type === "wait" && event.waitingFor === lastWait) return;
      lastWait = event.type === "wait" ? event.waitingFor : "";
      write({ is: "event", at: at(), event });
    },
    call: (call) => write({ is: "call", at: at(), ...call }),
    children: {
      started: (child) => write({ is: "child", at: at(), phase: "started", ...child }, true),
      ended: (child) => write({ is: "child", at: at(), phase: "ended", ...child }, true),
    },
    open(runs) {
      const before = previousRun(runs);
      const children = before.state === "known" ? (before.value?.children ?? []) : [];
      const id = `${stampAfter(newestIn(runs), now())}-${randomBytes(3).toString("hex")}`;
      path = join(runs, `${id}.ndjson`);
      out = openWriter(path, runs, warn);
      const first: Line = {
        is: "run",
        format,
        id,
        at: at(),
        version,
        command,
        host: hostname(),
        ...ownProcess(),
        children,
      };
      for (const line of [first, ...waiting]) write(line);
      waiting = [];
      prune(runs);
      return before;
    },
    end(exit, reason) {
      if (hasEnded) return;
      write({ is: "end", at: at(), exit, ...(reason !== undefined && { reason }) }, true);
      hasEnded = true;
      out?.close();
    },
    file: () => path,
  };
}

/** `20261130T174512345Z`: times as names, which sort as they pass. */
function stampOf(time: Date): string {
  return time.toISOString().replace(/[-:.]/g, "");
}

/** A clock that was set back must not put a run before older ones: they would pass for newer, and it would be pruned. */
function stampAfter(newest: string | undefined, now: Date): string {
  const stamp = stampOf(now);
  if (newest === undefined || newest < stamp) return stamp;
  const iso = newest.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/, "$1-$2-$3T$4:$5:$6.$7Z");
  const next = new Date(Date.parse(iso) + 1);
  return Number.isNaN(next.getTime()) ? stamp : stampOf(next);
}

function newestIn(runs: string): string | undefined {
  try {
    return readdirSync(runs)
      .flatMap((name) => idIn(name) ?? [])
      .sort()
      .at(-1)
      ?.split("-")[0];
  } catch {
    return undefined;
  }
}

function idIn(name: string): string | undefined {
  return /^(\d{8}T\d{9}Z-[0-9a-f]{6})\./.exec(name)?.[1];
}

/** Anything may be thrown, and it may say anything. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : inspect(error);
}

type Writer = { append(text: string, sync: boolean): void; close(): void };

/** Appends to a file of mode 0600. What cannot be written is told once, and tried again with every line: the disk may have room again. */
function openWriter(path: string, folder: string, warn: (says: string) => void): Writer {
  let file: number | undefined;
  let hasWarned = false;
  let isTorn = false;
  return {
    append(text, sync) {
      try {
        if (file === undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
        file ??= openSync(path, "a", 0o600);
        // A line that was cut off by a full disk must not spoil the next.
        writeFileSync(file, isTorn ? `\n${text}` : text);
        isTorn = false;
        if (sync) fsyncSync(file);
      } catch (error) {
        isTorn = true;
        if (!hasWarned) warn(fileError("cannot write the journal", path, error).message);
        hasWarned = true;
      }
    },
    close() {
      if (file !== undefined) closeSync(file);
    },
  };
}

/** Removes all but the newest runs, with whatever else bears a run's id. Files that are no run's stay. */
export function prune(runs: string): void {
  try {
    const files = readdirSync(runs).map((name) => ({ name, id: idIn(name) }));
    const ids = [...new Set(files.flatMap(({ id }) => id ?? []))].sort();
    const old = new Set(ids.slice(0, -kept));
    for (const { name, id } of files) if (id !== undefined && old.has(id)) rmSync(join(runs, name), { force: true });
  } catch {
    // Too many old files do no harm.
  }
}
