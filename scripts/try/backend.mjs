// The stand-in backend of `npm run try`. It outlives the command, so that an install or a repair by hand can sign in as well.

import { spawn } from "node:child_process";
import { mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";

import { readJson, writeJson } from "../lab/cache.mjs";
import { identify, isRunning, until } from "../lab/processes.mjs";
import { place } from "./product.mjs";
import { Trouble } from "./screen.mjs";

const record = () => place("backend.json");
const log = () => place("backend.log");

/** Gives its URL; starts it where it does not run. On the same port as before, since the release carries the URL. */
export async function ensureBackend() {
  const recorded = readJson(record());
  if (recorded !== null && isRunning(recorded)) return recorded.url;
  mkdirSync(place(), { recursive: true, mode: 0o700 });
  const output = openSync(log(), "a");
  const child = spawn(process.execPath, [join(import.meta.dirname, "serve.mjs"), String(recorded?.port ?? 0)], {
    detached: true,
    stdio: ["ignore", output, output, "ipc"],
  });
  const url = await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Trouble(`the stand-in backend ended with ${code}`, `tail ${log()}`)));
  });
  writeJson(record(), { url, port: Number(new URL(url).port), ...identify(child.pid) });
  child.removeAllListeners();
  child.disconnect();
  child.unref();
  return url;
}

/** Ends it where it runs; a process that merely has its old pid stays. */
export async function stopBackend() {
  const recorded = readJson(record());
  if (recorded === null || !isRunning(recorded)) return false;
  process.kill(recorded.pid, "SIGTERM");
  if (!(await until(() => !isRunning(recorded), 10))) {
    throw new Trouble(`the stand-in backend (pid ${recorded.pid}) does not end`, `kill -KILL ${recorded.pid}`);
  }
  rmSync(record(), { force: true });
  return true;
}
