// The programs that a script starts on its terminal, and what becomes of them when the script is asked to end.

import { spawn } from "node:child_process";

const exitCodes = { SIGINT: 130, SIGTERM: 143 };

/** npm passes on what the terminal has sent to everyone already: two signals within this time are one key press. */
const onePressMs = 500;

const running = new Map();
let received;

/**
 * From now on a signal is noted, and told at once: which programs are waited for, where they do not tell it themselves.
 * What is to be done then is for who asks `interrupted`. Once more ends the script on the spot.
 */
export function watchInterrupts(tell) {
  for (const signal of Object.keys(exitCodes)) process.on(signal, () => receive(signal, tell));
}

/** The exit code of a script that was asked to end; undefined while it was not. */
export function interrupted() {
  return received === undefined ? undefined : exitCodes[received.signal];
}

/**
 * Starts a program and gives its exit code, or the signal that ended it. The terminal sends Ctrl-C to it as well, so that it
 * ends in its own order; it is waited for, at most `patience` seconds where there are any. `what` names it for a person who
 * waits, and is left out where it speaks for itself. `watch` gets the child.
 */
export function start(command, args, { what, patience, watch, ...options }) {
  const child = spawn(command, args, { stdio: "inherit", ...options });
  running.set(child, { what, patience });
  watch?.(child);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    // With output to read it is over when all of that is read.
    child.on(child.stdout === null ? "exit" : "close", (code, signal) => resolve(code ?? signal));
  }).finally(() => running.delete(child));
}

function receive(signal, tell) {
  const now = performance.now();
  if (received !== undefined) {
    if (now - received.at > onePressMs) process.exit(interrupted());
    return;
  }
  received = { signal, at: now };
  const names = [...running.values()].map(({ what }) => what).filter(Boolean);
  if (names.length > 0) tell(`Interrupted: waiting for ${names.join(", ")}; once more ends this at once`);
  for (const [child, { patience }] of running) {
    if (signal === "SIGTERM") child.kill(signal);
    if (patience !== undefined) setTimeout(() => child.kill("SIGKILL"), patience * 1000).unref();
  }
}
