import { readFileSync } from "node:fs";

import type { Platform } from "../platform/platform.ts";
import type { Command, Runner } from "./runner.ts";

/**
 * When a process began. Pids come round again: only both together name one process. On Linux `<boot id>/<ticks>`, which
 * no change of the clock touches; elsewhere a time in ISO 8601, exact to a few seconds.
 */
export type StartTime = string;

export type ProcessId = { pid: number; startedAt: StartTime };

/** A program that changes something outside, by the name under which another run can find it. */
export type Child = ProcessId & Pick<Command, "file" | "about">;

export type ProcessSeen =
  | { state: "runs"; startedAt: StartTime }
  | { state: "gone" }
  | { state: "unknown"; why: string };

/** Questions about processes that are not ours, or no longer. Read-only; what cannot be told is unknown. */
export type Processes = {
  startedAt(pid: number): Promise<ProcessSeen>;
  /** Whether this very process still runs. A stranger that was given the same pid is not it. */
  isAlive(process: ProcessId): Promise<"yes" | "no" | "unknown">;
};

/** Asks Linux by /proc, and any other system by `runner`. */
export function processes(runner: Runner, os: Os): Processes {
  const startedAt = async (pid: number): Promise<ProcessSeen> => {
    if (!Number.isInteger(pid) || pid < 1) return { state: "unknown", why: `${pid} is no process id` };
    // Free of charge on every system, and in most cases the whole answer.
    if (!exists(pid)) return { state: "gone" };
    const seen = os === "linux" ? lookInProc(pid) : await askSystem(pid, os, runner);
    return seen.state !== "runs" && !exists(pid) ? { state: "gone" } : seen;
  };
  return {
    startedAt,
    async isAlive(process) {
      const seen = await startedAt(process.pid);
      if (seen.state === "gone") return "no";
      return seen.state === "runs" ? sameStart(seen.startedAt, process.startedAt) : "unknown";
    },
  };
}

/** The start time of a process that began just now, such as a child; costs no call. */
export function startOfNew(pid: number, os: Os = osOfNode()): StartTime {
  const seen = os === "linux" ? lookInProc(pid) : undefined;
  return seen?.state === "runs" ? seen.startedAt : new Date().toISOString();
}

/** This process, as another run will look for it; costs no call. */
export function ownProcess(os: Os = osOfNode()): ProcessId {
  const seen = os === "linux" ? lookInProc(process.pid) : undefined;
  const startedAt = seen?.state === "runs" ? seen.startedAt : new Date(performance.timeOrigin).toISOString();
  return { pid: process.pid, startedAt };
}

/** Between the moment that Node calls its start, or that of its child, and what the system has noted. */
const toleranceMs = 3000;

function sameStart(a: StartTime, b: StartTime): "yes" | "no" | "unknown" {
  if (a === b) return "yes";
  if (a.includes("/") && b.includes("/")) return "no";
  const apart = Math.abs(Date.parse(a) - Date.parse(b));
  if (Number.isNaN(apart)) return "unknown";
  return apart <= toleranceMs ? "yes" : "no";
}

/** EPERM: it is there, and somebody else's. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** With `hidepid` a stranger's folder is not there although the process is: that is unknown, and not gone. */
function lookInProc(pid: number): ProcessSeen {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return readStat(stat, boot);
  } catch (error) {
    return { state: "unknown", why: error instanceof Error ? error.message : String(error) };
  }
}

/** One line of /proc/<pid>/stat. The name in parentheses may hold anything, parentheses and spaces too: fields count from the last one. */
export function readStat(stat: string, boot: string): ProcessSeen {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, ticks] = [fields[0], fields[19]];
  if (state !== undefined && isDead(state)) return { state: "gone" };
  const isReadable = /^\d+$/.test(ticks ?? "");
  return isReadable
    ? { state: "runs", startedAt: `${boot}/${ticks}` }
    : { state: "unknown", why: `unreadable: ${stat}` };
}

/** A zombie has ended; only its parent has not looked yet. */
function isDead(state: string): boolean {
  return /^[ZXx]/.test(state);
}

type Os = Platform["tools"]["os"];

function osOfNode(): Os {
  return process.platform === "win32" ? "windows" : process.platform === "darwin" ? "darwin" : "linux";
}

type Question = { ask(pid: number): Pick<Command, "file" | "args" | "env">; read(answer: string): ProcessSeen };

/** How the systems without /proc are asked. Each answers in words of its own for "runs since" and for "gone"; anything else is unknown. */
export const questions: Readonly<Record<Exclude<Os, "linux">, Question>> = {
  darwin: {
    ask: (pid) => ({
      file: "/bin/ps",
      args: ["-o", "state=", "-o", "lstart=", "-p", String(pid)],
      // lstart names no time zone, and its words follow the locale.
      env: { TZ: "UTC", LC_ALL: "C" },
    }),
    read(answer) {
      const [, state, start] = /^(\S+)\s+(\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4})$/.exec(answer.trim()) ?? [];
      if (state === undefined || start === undefined) return unreadable("ps", answer);
      return isDead(state) ? { state: "gone" } : at(`${start} UTC`);
    },
  },
  windows: {
    ask: (pid) => ({
      file: "powershell.exe",
      args: [
        "-NoProfile",
        "-NonInteractive",
        "-Command",
        `$p = Get-CimInstance Win32_Process -Filter 'ProcessId=${pid}' -ErrorAction Stop; ` +
          "if ($p) { 'since ' + $p.CreationDate.ToUniversalTime().ToString('o') } else { 'gone' }",
      ],
    }),
    read(answer) {
      if (answer.trim() === "gone") return { state: "gone" };
      const since = /^since (\S+)$/.exec(answer.trim())?.[1];
      return since === undefined ? unreadable("PowerShell", answer) : at(since);
    },
  },
};

function unreadable(who: string, answer: string): ProcessSeen {
  return {
    state: "unknown",
    why: answer.trim() === "" ? `${who} said nothing` : `${who} said: ${answer.trim().slice(0, 80)}`,
  };
}

function at(time: string): ProcessSeen {
  const date = new Date(time);
  return Number.isNaN(date.getTime())
    ? unreadable("the system", time)
    : { state: "runs", startedAt: date.toISOString() };
}

/** The exit code says nothing here: `ps` has 1 for a pid that is gone, and a stub of PowerShell has 0 for nothing done. */
async function askSystem(pid: number, os: Exclude<Os, "linux">, runner: Runner): Promise<ProcessSeen> {
  const question = questions[os];
  const result = await runner.run({ ...question.ask(pid), about: `look for process ${pid}`, timeoutMs: 10_000 });
  return result.outcome === "exited"
    ? question.read(result.stdout)
    : { state: "unknown", why: result.why ?? result.outcome };
}
