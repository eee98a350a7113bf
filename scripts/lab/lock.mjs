// One `up` or `down` at a time. The lock is flock(2)'s, held by a child, so the kernel frees it however this process ends.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";

import { cacheDirectory, inCache } from "./cache.mjs";
import { LabError } from "./errors.mjs";
import { say } from "./screen.mjs";

const SIGN_OF_LIFE_SECONDS = 15;

/** Runs `work` while holding the lab's lock; waits for another holder and says so. */
export async function withLock(work) {
  mkdirSync(cacheDirectory(), { recursive: true });
  const holder = spawn("flock", [inCache("lock"), "sh", "-c", "echo held; exec cat"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    await held(holder);
    return await work();
  } finally {
    holder.stdin.end();
  }
}

async function held(holder) {
  const since = Date.now();
  const waiting = () =>
    say(
      `another up or down is at work on ${cacheDirectory()}, waiting since ${Math.round((Date.now() - since) / 1000)} s`,
    );
  const first = setTimeout(waiting, 1000);
  const timer = setInterval(waiting, SIGN_OF_LIFE_SECONDS * 1000);
  try {
    await new Promise((resolve, reject) => {
      createInterface(holder.stdout).once("line", resolve);
      holder.once("error", (error) =>
        reject(new LabError(`flock: ${error.message}`, { next: "apt-get install util-linux" })),
      );
      holder.once("exit", (code) =>
        reject(new LabError(`flock exited with ${code}`, { next: `ls -l ${inCache("lock")}` })),
      );
    });
  } finally {
    clearTimeout(first);
    clearInterval(timer);
  }
}
