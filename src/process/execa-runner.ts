import { setMaxListeners } from "node:events";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";

import { execa } from "execa";

import { readEnvironment, type Environment } from "../platform/environment.ts";
import { wrongArchitecture, type Obstacle } from "./binary.ts";
import { findProgram } from "./locate.ts";
import { listenTo, quietly, type Listener } from "./output.ts";
import { startOfNew, type Child } from "./processes.ts";
import { redactArgs, type Redact } from "./redact.ts";
import type { Call, Command, Runner, RunResult } from "./runner.ts";
import { treeEnding, type TreeEnding } from "./tree.ts";

export type RunnerOptions = {
  redact: Redact;
  /** Told of every call when it is over. Redacted. */
  log(call: Call): void;
  /** Told at once of every child whose command `mutates`, and when it is certain to have ended. */
  children?: { started(child: Child): void; ended(child: Child): void };
  /** What children inherit; without it, what this process was started with. */
  environment?: Environment;
};

/**
 * All that the program wrote is in the pipes when it ends. A descendant may hold them open for ever (a daemon, a
 * credential helper), so reading stops after this long of silence, and after this long at all. The outcome stays the
 * program's own; the text counts as truncated only where the descendant was still talking.
 */
const drain = { silenceMs: 250, atMostMs: 1_000 };

/** For the system to clean up after KILL. What hangs in the kernel stays there; the call ends all the same. */
const afterKillMs = 2_000;

/** The runner. execa starts the program and feeds it; how long it may take and how it ends is decided here. */
export function execaRunner(options: RunnerOptions): Runner {
  const environment = options.environment ?? readEnvironment();
  const running = new Set<{ stop: AbortController; over: Promise<unknown> }>();
  let closed = false;

  return {
    async run(command) {
      const began = performance.now();
      const stop = new AbortController();
      if (closed) stop.abort();
      const over = attempt(command, stop.signal, environment, options).catch((error: unknown) =>
        refused(error, command.file),
      );
      const entry = { stop, over };
      running.add(entry);
      const { pid, ...ended } = await over;
      running.delete(entry);
      const result = resultOf(ended, command, options.redact, performance.now() - began);
      quietly(() => options.log(callOf(command, result, pid, options.redact)));
      return result;
    },
    async stopAll() {
      closed = true;
      for (const { stop } of running) stop.abort();
      await Promise.all([...running].map(({ over }) => over));
    },
  };
}

/** How a program ended, in the raw. */
type Ended = Pick<RunResult, "outcome" | "exitCode" | "signal" | "notStarted" | "why"> &
  Partial<Pick<RunResult, "stdout" | "stderr" | "truncated">> & { pid?: number };

/** Starts the program and sees it to its end. Throws only where nothing was started. */
async function attempt(
  command: Command,
  stop: AbortSignal,
  environment: Environment,
  options: RunnerOptions,
): Promise<Ended> {
  const { redact, children } = options;
  const signals = command.signal === undefined ? [stop] : [stop, command.signal];
  if (signals.some(({ aborted }) => aborted)) return { outcome: "cancelled" };

  const env = withAdded(environment, command.env ?? {}, process.platform);
  const program = findProgram(command, env, process.platform);
  if (typeof program !== "string") return { outcome: "not-started", ...program };

  const tree = treeEnding(process.platform);
  const child = execa(program, command.args, {
    ...(command.stdin === undefined ? { stdin: "ignore" } : { input: command.stdin }),
    ...(command.cwd !== undefined && { cwd: command.cwd }),
    env,
    extendEnv: false,
    detached: tree.ownGroup,
    buffer: false,
    reject: false,
  });
  const { pid } = child;
  if (pid === undefined) return refused((await child).cause, program);

  let hasExited = false;
  const exit = new Promise<Exit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  void exit.then(() => (hasExited = true));
  const journalled: Child = { pid, startedAt: startOfNew(pid), file: command.file, about: command.about };
  if (command.mutates === true) quietly(() => children?.started(journalled));

  const listeners = [
    listenTo(child.stdout, "stdout", command, redact),
    listenTo(child.stderr, "stderr", command, redact),
  ] as const;
  const limit = startLimit(command.timeoutMs, signals);
  const first = await Promise.race([exit, limit.reached]);
  let talking = false;
  if (typeof first === "string") {
    await end(pid, tree, command.graceMs ?? tree.defaultGraceMs, exit);
    await within(drain.silenceMs, Promise.all(listeners.map(({ closed }) => closed)));
  } else {
    talking = !(await drained(listeners, limit.reached));
  }
  limit.clear();
  if (command.mutates === true && hasExited) quietly(() => children?.ended(journalled));

  const [stdout, stderr] = [listeners[0].finish(), listeners[1].finish()];
  const ended = typeof first === "string" ? { outcome: first } : exited(first);
  return {
    ...ended,
    pid,
    stdout: stdout.text,
    stderr: stderr.text,
    truncated: talking || stdout.truncated || stderr.truncated,
  };
}

type Exit = { code: number | null; signal: NodeJS.Signals | null };

function exited({ code, signal }: Exit): Ended {
  return { outcome: "exited", ...(code !== null && { exitCode: code }), ...(signal !== null && { signal }) };
}

/** The deadline and the signals that end a program before it ends by itself. */
function startLimit(timeoutMs: number, signals: readonly AbortSignal[]) {
  const clearing = new AbortController();
  // Any number of calls may hang on one signal; Node warns from the eleventh on.
  setMaxListeners(0, ...signals);
  const reached = new Promise<"timed-out" | "cancelled">((resolve) => {
    // Node takes a longer time for none at all.
    const timer = setTimeout(() => resolve("timed-out"), Math.min(timeoutMs, 2 ** 31 - 1));
    clearing.signal.addEventListener("abort", () => clearTimeout(timer));
    for (const signal of signals) {
      signal.addEventListener("abort", () => resolve("cancelled"), { once: true, signal: clearing.signal });
    }
  });
  return { reached, clear: () => clearing.abort() };
}

/** Asks the whole tree to end, waits for its grace, then makes it. */
async function end(pid: number, tree: TreeEnding, graceMs: number, exit: Promise<Exit>): Promise<void> {
  tree.ask(pid);
  if (await isGoneWithin(graceMs, pid, tree, exit)) return;
  const command = tree.force(pid);
  if (command !== undefined) {
    await execa(command.file, command.args, { reject: false, timeout: afterKillMs, stdio: "ignore" });
  }
  await isGoneWithin(afterKillMs, pid, tree, exit);
}

/** First the program, of whose end we are told; then what it started, for which we have to look. */
async function isGoneWithin(ms: number, pid: number, tree: TreeEnding, exit: Promise<Exit>): Promise<boolean> {
  const until = performance.now() + ms;
  if (!(await within(ms, exit))) return false;
  for (let pause = 10; tree.isLeft(pid); pause = Math.min(2 * pause, 250)) {
    const left = until - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(pause, left));
  }
  return true;
}

/** True when all was read that the program wrote; false where somebody was still talking. */
async function drained(listeners: readonly Listener[], limit: Promise<unknown>): Promise<boolean> {
  const over = Promise.race([Promise.all(listeners.map(({ closed }) => closed)), limit]);
  const exit = performance.now();
  for (;;) {
    // One turn of the event loop at least: a timer that is overdue fires before pipes are looked at.
    await setImmediate();
    const quietAt = Math.max(exit, ...listeners.map((listener) => listener.heardAt())) + drain.silenceMs;
    const now = performance.now();
    if (quietAt <= now || listeners.every((listener) => listener.isClosed())) return true;
    if (now >= exit + drain.atMostMs) return false;
    const isOver = await within(Math.min(quietAt, exit + drain.atMostMs) - now, over);
    if (isOver) return listeners.every((listener) => listener.isClosed());
  }
}

/** Whether something happens within so many milliseconds. */
async function within(ms: number, happens: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), Math.min(ms, 2 ** 31 - 1))));
  const result = await Promise.race([happens.then(() => true), late]);
  clearTimeout(timer);
  return result;
}

/** What the system said when it would not start a program that is there. */
function refused(error: unknown, path: string): Ended {
  return { outcome: "not-started", ...obstacleOf(error as NodeJS.ErrnoException, path) };
}

function obstacleOf({ code, errno, message }: NodeJS.ErrnoException, path: string): Obstacle {
  switch (code) {
    case "EACCES":
    case "EPERM":
      return { notStarted: "not-executable", why: `${path} is not executable for this user` };
    case "ENOENT":
      return { notStarted: "other", why: `${path} needs a loader that does not exist here` };
    default:
      // ENOEXEC, macOS' EBADARCH and Windows' bad format: Node has no name for them everywhere.
      return code === "ENOEXEC" || code === "EFTYPE" || errno === -8 || errno === -86
        ? wrongArchitecture(path)
        : { notStarted: "other", why: message };
  }
}

/** Windows does not tell names by case: there an added variable takes the place of the one in capitals. */
export function withAdded(environment: Environment, added: Environment, os: NodeJS.Platform): Record<string, string> {
  const same = (name: string) => (os === "win32" ? name.toUpperCase() : name);
  const replaced = new Set(Object.keys(added).map(same));
  const kept = Object.entries(environment).filter(([name]) => !replaced.has(same(name)));
  return Object.fromEntries(
    [...kept, ...Object.entries(added)].filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function resultOf(ended: Omit<Ended, "pid">, command: Command, redact: Redact, ms: number): RunResult {
  const { stdout = "", stderr = "", truncated = false } = ended;
  return {
    ...ended,
    ...(ended.why !== undefined && { why: redact(ended.why) }),
    stdout: redact(stdout),
    stderr: redact(stderr),
    ...(command.raw === true && { raw: stdout }),
    truncated,
    ms,
  };
}

function callOf(command: Command, result: RunResult, pid: number | undefined, redact: Redact): Call {
  const { stdout: _, stderr: __, raw: ___, ...call } = result;
  return {
    about: redact(command.about),
    file: redact(command.file),
    args: redactArgs(command.args, redact),
    ...(pid !== undefined && { pid }),
    ...call,
  };
}
