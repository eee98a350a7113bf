// The folder of one run of the tests: their temporary folder lies in it, by which all that they leave can be found when the
// run is broken off.

import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { cacheDirectory, inCache } from "../lab/cache.mjs";
import { docker } from "../lab/docker.mjs";
import { mountsBelow } from "../lab/leftovers.mjs";
import { run, until } from "../lab/processes.mjs";

const END_SECONDS = 5;

/** Its variable says to the tests that they belong to a run. */
const variable = "TEST_RUN_FOLDER";
const inFolder = (name) => join(process.env[variable], name);

/** Where the results of this run are noted. */
export const results = () => inFolder("results");

/** Where a run of the tests notes that it holds the lab; undefined where vitest was started by itself. */
export const labMark = () => (process.env[variable] === undefined ? undefined : inFolder("lab"));

/** The file descriptor at which a test process learns that its run has ended. */
export const untilTheEnd = 3;

export async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), "tracebloc-tests-"));
  const temporary = join(path, "tmp");
  await mkdir(temporary);
  // Some tests run programs as another user.
  await chmod(path, 0o711);
  await chmod(temporary, 0o1777);
  return {
    path,
    results: join(path, "results"),
    lab: join(path, "lab"),
    environment: { [variable]: path, TMPDIR: temporary },
  };
}

/** Ends all that the tests started and that still runs: the folder is in its environment or in its command. */
export async function endProcesses({ path }) {
  const left = () => pidsOf(path);
  signal(left(), "SIGTERM");
  if (await until(() => left().length === 0, END_SECONDS)) return;
  signal(left(), "SIGKILL");
  await until(() => left().length === 0, END_SECONDS);
}

function pidsOf(path) {
  const mentions = (pid, file) => read(`/proc/${pid}/${file}`).includes(`${path}/`);
  const pids = existsSync("/proc/self") ? readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)) : [];
  return pids
    .map(Number)
    .filter((pid) => pid !== process.pid && (mentions(pid, "environ") || mentions(pid, "cmdline")));
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // it ended meanwhile
  }
}

function signal(pids, name) {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended meanwhile.
    }
  }
}

/** What the tests of the lab make bears such a name, or that of a cluster of this name. */
const ofTests = /^(?:k3d-)?(?:tracebloc-)?lab-/;

/**
 * Removes what tests of the lab left in it, and only where this run holds it: then nobody else's tests are at work. What was
 * there before this run took it stays: it may be somebody's cluster.
 */
export async function removeFromLab({ lab }) {
  if (!existsSync(lab)) return;
  const since = statSync(lab).mtimeMs;
  const kinds = [
    {
      list: ["container", "ls", "--all", "--format", "{{.Names}}"],
      made: "{{.Created}}",
      remove: ["rm", "--force", "--volumes"],
    },
    { list: ["network", "ls", "--format", "{{.Name}}"], made: "{{.Created}}", remove: ["rm"] },
    { list: ["volume", "ls", "--format", "{{.Name}}"], made: "{{.CreatedAt}}", remove: ["rm"] },
  ];
  // Docker may still finish what a program asked of it that was ended meanwhile.
  let left = 3;
  while (left > 0 && (await removeFrom(kinds, since))) left -= 1;
  for (const name of readdirSync(cacheDirectory()).filter((each) => ofTests.test(each))) {
    if (statSync(inCache(name)).birthtimeMs >= since) await rm(inCache(name), { recursive: true, force: true });
  }
}

async function removeFrom(kinds, since) {
  let removed = 0;
  for (const { list, made, remove } of kinds) {
    const [kind] = list;
    for (const name of lines(await docker(list)).filter((each) => ofTests.test(each))) {
      const at = await docker([kind, "inspect", "--format", made, name]);
      if (timeOf(at) < since) continue;
      await docker([kind, ...remove, name]);
      removed += 1;
    }
  }
  return removed > 0;
}

const lines = (text) => text.split("\n").filter(Boolean);

/** Docker gives containers RFC 3339, volumes too, and networks Go's own `2024-11-30 21:10:05.123456789 +0000 UTC`. */
function timeOf(text) {
  return Date.parse(
    text
      .trim()
      .replace(/ \+0000 UTC$/, "Z")
      .replace(" ", "T"),
  );
}

/** Removes it with all that lies in it. A mount that a test left goes first: it would be emptied along with it. */
export async function removeFolder({ path }) {
  if (existsSync("/proc/self/mountinfo")) {
    for (const mount of mountsBelow(path).sort().reverse()) await run("umount", ["--lazy", mount]);
  }
  await rm(path, { recursive: true, force: true });
}
