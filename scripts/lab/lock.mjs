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

/** Takes one of the lab's locks, a file of the cache, and returns what frees it. Waits for another holder, of whom `waiting` tells. */
export async function takeLock(name, waiting) {
  mkdirSync(cacheDirectory(), { recursive: true });
  const holder = spawn("flock", [inCache(name), "sh", "-c", "echo held; exec cat"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const release = () => holder.stdin.end();
  try {
    await held(holder, waiting, inCache(name));
    return release;
  } catch (error) {
    release();
    throw error;
  }
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
