// Starting programs, and telling whether one that was started earlier still runs.

import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

import { LabError } from "./errors.mjs";

const TAIL_LINES = 15;

/**
 * Runs a program and returns its stdout.
 *
 * With `log` all output is also appended there; `onLine` gets each line as it comes. `env` is laid over the current environment.
 * `title` is what to call it in an error. A program that fails, cannot be started or outlasts `seconds` (default: 30 minutes) throws a LabError that ends with its
 * last lines and carries `next`. `signal` ends it early, with a LabError as well.
 */
export function run(command, args, { log, onLine, env, cwd, next, title, signal, seconds = 1800 } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: seconds * 1000,
      signal,
    });
    const tail = [];
    let stdout = "";
    let partial = "";
    if (log) {
      mkdirSync(dirname(log), { recursive: true });
      appendFileSync(log, `$ ${command} ${args.join(" ")}\n`);
    }
    const take = (chunk) => {
      if (log) appendFileSync(log, chunk);
      const lines = (partial + chunk).split(/\r?\n|\r/);
      partial = lines.pop();
      for (const line of lines.filter((each) => each.trim() !== "")) {
        tail.push(line);
        if (tail.length > TAIL_LINES) tail.shift();
        onLine?.(line);
      }
    };
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      stdout += chunk;
      take(chunk);
    });
    child.stderr.setEncoding("utf8").on("data", take);
    child.on("error", (error) => {
      const message = signal?.aborted ? "not needed any more" : `${command}: ${error.message}`;
      reject(new LabError(message, { next, log }));
    });
    child.on("close", (code, endedBy) => {
      if (code === 0) return resolve(stdout);
      if (partial.trim() !== "") tail.push(partial);
      const ending = endedBy ? `was ended by ${endedBy}` : `exited with ${code}`;
      reject(
        new LabError(
          [`${title ?? `${command} ${args[0] ?? ""}`} ${ending}`, ...tail.map((line) => `  | ${line}`)].join("\n"),
          {
            next,
            log,
          },
        ),
      );
    });
  });
}

/** Like run, but answers whether the program succeeded. */
export async function succeeds(command, args, options) {
  return run(command, args, { seconds: 20, ...options }).then(
    () => true,
    () => false,
  );
}

/** A process, told apart from a later one of the same pid by its start time (clock ticks since boot). Null when it is gone. */
export function identify(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses, which may hold spaces; the state is the first after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? null : { pid, started: fields[19] };
  } catch {
    return null;
  }
}

export function isRunning(identity) {
  return Boolean(identity?.pid) && identify(identity.pid)?.started === identity.started;
}

/** Asks `check` every 100 ms until it answers true. Returns whether it did within the bound. */
export async function until(check, seconds) {
  const deadline = Date.now() + seconds * 1000;
  while (!(await check())) {
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return true;
}
