// One `up` or `down` at a time, and one run of the lab's tests. The locks are flock(2)'s, each held by a child, so
// the kernel frees it however this process ends.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";

import { cacheDirectory, inCache } from "./cache.mjs";
import { LabError } from "./errors.mjs";
import { say } from "./screen.mjs";

const SIGN_OF_LIFE_SECONDS = 15;

/** Runs `work` while holding the lock of `up` and `down`; waits for another holder and says so. */
export async function withLock(work) {
  const release = await takeLock("lock", "another up or down is at work");
  try {
    return await work();
  } finally {
    release();
  }
}

/**
 * Takes one of the lab's locks, a file of the cache, and returns what frees it. Waits for another holder, of whom `waiting`
 * tells. With `until`, a file descriptor, the lock is held until the other end of that is closed, whatever becomes of us.
 *
 * @param {string} name
 * @param {string} waiting
 * @param {{ until?: number }} [options]
 */
export async function takeLock(name, waiting, { until } = {}) {
  mkdirSync(cacheDirectory(), { recursive: true });
  const holder = spawn("flock", [inCache(name), "sh", "-c", "echo held; exec cat"], {
    // It outlives us: so it is out of the reach of the terminal and of whoever clears away what bears our environment.
    ...(until !== undefined && { detached: true, env: { PATH: process.env.PATH } }),
    stdio: [until ?? "pipe", "pipe", "inherit"],
  });
  const release = () => holder.stdin?.end();
  // While it waits for the lock it does not see that nobody wants that any more.
  const stop = () => holder.kill();
  process.once("exit", stop);
  try {
    await held(holder, waiting, inCache(name));
    if (until !== undefined) forget(holder);
    return release;
  } catch (error) {
    release();
    throw error;
  } finally {
    process.off("exit", stop);
  }
}

function forget(holder) {
  holder.stdout.destroy();
  holder.unref();
}

async function held(holder, waiting, file) {
  const since = Date.now();
  const tell = () =>
    say(`${waiting} on ${cacheDirectory()}, waiting since ${Math.round((Date.now() - since) / 1000)} s`);
  const first = setTimeout(tell, 1000);
  const timer = setInterval(tell, SIGN_OF_LIFE_SECONDS * 1000);
  try {
    await new Promise((resolve, reject) => {
      createInterface(holder.stdout).once("line", resolve);
      holder.once("error", (error) =>
        reject(new LabError(`flock: ${error.message}`, { next: "apt-get install util-linux" })),
      );
      holder.once("exit", (code) => reject(new LabError(`flock exited with ${code}`, { next: `ls -l ${file}` })));
    });
  } finally {
    clearTimeout(first);
    clearInterval(timer);
  }
}
