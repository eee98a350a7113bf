import { settings } from "../config/names.ts";
import type { Finding } from "../engine/finding.ts";
import { clock, watchInterrupts, type EndingSignal, type Interrupts } from "../engine/interrupt.ts";
import { createJournal, type RunJournal } from "../engine/journal.ts";
import { awaitLeftovers, stillRuns } from "../engine/leftovers.ts";
import type { Machine } from "../engine/machine.ts";
import type { PreviousRun } from "../engine/previous-run.ts";
import { exitCodes, type ExitCode, type Reason } from "../engine/reasons.ts";
import { makePrivateFolder, type FolderProblem } from "../files/folder.ts";
import { takeLock } from "../files/lock.ts";
import { fold } from "../platform/characters.ts";
import type { Environment } from "../platform/environment.ts";
import { execaRunner } from "../process/execa-runner.ts";
import { processes } from "../process/processes.ts";
import type { Call } from "../process/runner.ts";
import { duration } from "../ui/text.ts";
import type { Begun } from "./begin.ts";
import { interrupted, refuse } from "./refuse.ts";

/** A command at work: the machine it works on, and the journal it writes. */
export type Running = {
  on: Machine;
  journal: RunJournal;
  /** The exit code of the signal that asked it to end, where one did. */
  interrupted: () => ExitCode | undefined;
};

/** How long a run waits for a program that an earlier, dead run left behind. Helm's own bound is as long. */
const leftoverLimitMs = 600_000;

/** For commands that change nothing: no lock, no log, not even a state directory. */
export async function looking(begun: Begun, work: (running: Running) => Promise<ExitCode>): Promise<ExitCode> {
  const { running, interrupts } = start(begun);
  let exit: ExitCode = exitCodes.defect;
  try {
    exit = await work(running);
    return exit;
  } finally {
    begun.screen.close();
    interrupts.over(exit);
  }
}

/** For commands that change something: one at a time, each step on record, and only after what an earlier run left at work has ended. */
export async function changing(begun: Begun, work: (running: Running) => Promise<ExitCode>): Promise<ExitCode> {
  const { state, here, command } = begun;
  const { running, interrupts } = start(begun);
  const alive = processes(running.on.runner, here.platform.tools.os);
  const problem = makePrivateFolder(state.root, here.platform);
  if (problem !== undefined) return refuse(begun, asFinding("STATE_UNUSABLE", problem));
  const lock = await takeLock(state.lock, {
    command: `tracebloc ${command}`,
    processes: alive,
    platform: here.platform,
  });
  if (lock.state === "held") return refuse(begun, asFinding("RUN_LOCKED", lock));
  if (lock.state !== "ours") return refuse(begun, asFinding("STATE_UNUSABLE", lock));

  let exit: ExitCode = exitCodes.defect;
  try {
    const before = running.journal.open(state.runs);
    const previous = before.state === "known" ? before.value : undefined;
    if (previous !== undefined && previous.ended === undefined) {
      const finding = cutOff(previous);
      begun.warnings.push(finding);
      running.on.emit({ type: "warning", finding });
    }
    const leftovers = await awaitLeftovers(
      previous?.children ?? [],
      (child) => alive.isAlive(child),
      running.on,
      leftoverLimitMs,
    );
    for (const child of [...leftovers.gone, ...leftovers.unknown]) running.journal.children.ended(child);
    const blocking = stillRuns(leftovers);
    if (running.on.stop.aborted) exit = interrupted(begun, running.interrupted());
    else exit = blocking === undefined ? await work(running) : refuse(begun, asFinding(blocking.reason, blocking));
    return exit;
  } finally {
    begun.screen.close();
    running.journal.end(exit);
    lock.release();
    interrupts.over(exit);
  }
}

function start(begun: Begun): { running: Running; interrupts: Interrupts } {
  const { command, here, redactor, screen, options, state } = begun;
  const warn = (says: string) => screen.emit({ type: "note", room: "run", says });
  const journal = createJournal({ command: `tracebloc ${command}`, redact: redactor.redact, warn });
  const log = (call: Call) => {
    journal.call(call);
    if (options.verbose) screen.lines([callLine(call)]);
  };
  const runner = execaRunner({
    redact: redactor.redact,
    log,
    children: journal.children,
    environment: withoutSecrets(here.environment),
  });
  const interrupts = watchInterrupts({
    source: process,
    stopping: (signal) =>
      screen.lines(fold(`${called(signal)}: ending at the next safe point; once more forces.`, screen.style.width)),
    force: () => runner.stopAll(),
    // oxlint-disable-next-line unicorn/no-process-exit -- a second Ctrl-C means now
    leave: (code) => process.exit(code),
  });
  const on: Machine = {
    ...clock(interrupts.stop),
    platform: here.platform,
    environment: here.environment,
    runner,
    state,
    stop: interrupts.stop,
    deadline: performance.now() + options.timeoutMs,
    emit: (event) => {
      journal.event(event);
      screen.emit(event);
    },
  };
  return { running: { on, journal, interrupted: () => interrupts.exitCode() }, interrupts };
}

/** What is inherited is seen by every program below, and by whoever may look at those. */
function withoutSecrets(environment: Environment): Environment {
  const secret = new Set(Object.values(settings).flatMap((one) => (one.secret === true ? one.variables : [])));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secret.has(name)));
}

function called(signal: EndingSignal): string {
  return signal === "SIGINT" ? "Interrupted" : `Asked to end (${signal})`;
}

function asFinding(reason: Reason, { says, remedies }: FolderProblem): Finding {
  return { reason, room: "run", says, remedies };
}

function cutOff({ command, at, during }: PreviousRun): Finding {
  const where = during === undefined ? "" : ` while ${during.says}`;
  return {
    reason: "PREVIOUS_RUN_CUT_OFF",
    room: "run",
    says: `the run before (${command}, ${at.slice(0, 16).replace("T", " ")} UTC) was cut off${where}; this one goes on from there`,
    remedies: [],
  };
}

/** `--verbose`: one line for a call, as the log has it. */
function callLine({ file, args, ms, outcome, exitCode }: Call): string {
  const end = outcome === "exited" ? `exit ${exitCode ?? "none"}` : outcome;
  return `    $ ${[file, ...args].join(" ")}   ${end}, ${duration(ms)}`;
}
