// `npm test`: sets up what the tests need, runs all of them, and ends with the line `N passed, M failed`.
// `npm run test:fast` (--fast) leaves out what takes long: the lab, the charts through a real Helm, the package as it is
// installed. Further arguments go to vitest, and then nothing but the lab is left out: `npm run test:fast -- test/chart`.

import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { givenArguments } from "./arguments.mjs";
import { interrupted, start, watchInterrupts } from "./children.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import "./outlive-readers.mjs";
import { endProcesses, makeFolder, removeFolder, removeFromLab } from "./test/folder.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Programs that tests run, and the Debian package of each. A test whose program is missing elsewhere skips itself. */
const programs = {
  dash: "dash",
  bash: "bash",
  bindfs: "bindfs",
  busybox: "busybox-static",
  shellcheck: "shellcheck",
};

/** A minute on two processors, all three of them. */
const quick = ["unit", "flow", "shell"].flatMap((name) => ["--project", name]);

/** vitest ends with Ctrl-C at once, unless a test keeps its process busy. */
const PATIENCE_SECONDS = 10;

const given = givenArguments("--fast");
const args = given.filter((arg) => arg !== "--fast");
const fast = given.includes("--fast");
const again = fast ? "npm run test:fast" : "npm test";
const failures = [];

watchInterrupts((line) => console.log(`\n${line}`));
const ready = await step("dependencies", () => ensureDependencies(console.log, again));
const counted = (ready ? await setUpAndTest() : undefined) ?? { passed: 0, failed: 0, skipped: 0 };
const failed = counted.failed + failures.length;
for (const failure of failures) console.log(`failed before the tests: ${failure}`);
if (counted.passed + counted.failed === 0 && !interrupted()) console.log("no test ran");
console.log(
  [
    `${counted.passed} passed`,
    `${failed} failed`,
    ...(counted.skipped > 0 ? [`${counted.skipped} skipped`] : []),
    ...(interrupted() ? ["interrupted"] : []),
  ].join(", "),
);
process.exitCode = interrupted() ?? (counted.passed > 0 && failed === 0 ? 0 : 1);

async function setUpAndTest() {
  await step("programs", installPrograms);
  await step("build", () => run("the build", "scripts/build.mjs"));
  const lab = fast || (await step("lab", () => run("the lab", "scripts/lab/lab.mjs", "up")));
  if (interrupted()) return undefined;
  return runTests(fast && args.length === 0 ? quick : lab && !fast ? [] : ["--project", "!lab"]);
}

/** Does one thing before the tests. When it fails the rest still runs: it may tell more than the failure does. */
async function step(name, act) {
  if (interrupted()) return false;
  try {
    await act();
    return true;
  } catch ({ message, next }) {
    const remedy = next === undefined ? "" : `\n  next: ${next}`;
    if (!interrupted()) failures.push(`${name}: ${message}${remedy}`);
    return false;
  }
}

/** Streams what one of our own scripts prints. Rejects when it does not exit with 0. */
async function run(what, ...script) {
  const exit = await start(process.execPath, script, { cwd: root, what });
  if (exit !== 0) throw new Error(`node ${script.join(" ")} ended with ${exit}`);
}

/** Installs what is missing where that is a matter of course: as root on Debian and what descends from it. */
async function installPrograms() {
  const { hasProgram, installMissing } = await import("./lab/debian.mjs");
  const missing = Object.keys(programs).filter((name) => !hasProgram(name));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && hasProgram("apt-get")) await installMissing(programs, console.log);
  else console.log(`tests that need ${missing.join(", ")} are skipped; to run them, install these first`);
}

/** Runs vitest and counts what test/count.mjs wrote down. An error outside a test counts as failed. */
async function runTests(selection) {
  const folder = await makeFolder();
  try {
    const exit = await vitest(folder, selection);
    const results = (await readFile(folder.results, "utf8").catch(() => "")).split("\n");
    const count = (result) => results.filter((line) => line === result).length;
    const outside = exit !== 0 && count("failed") === 0 && !interrupted() ? 1 : 0;
    if (outside > 0) console.log(`vitest ended with ${exit} though no test failed`);
    return { passed: count("passed"), failed: count("failed") + outside, skipped: count("skipped") };
  } finally {
    if (interrupted()) await removeLeftovers(folder);
    await removeFolder(folder);
  }
}

async function removeLeftovers(folder) {
  try {
    await endProcesses(folder);
    await removeFromLab(folder);
  } catch (error) {
    console.log(`left in the lab: ${error.message}`);
  }
}

function vitest(folder, selection) {
  const program = join(root, "node_modules", "vitest", "vitest.mjs");
  const options = ["--config", "test/vitest.config.ts", "--reporter=default", "--reporter=./scripts/test/count.mjs"];
  return start(process.execPath, [program, "run", ...options, ...selection, ...args], {
    cwd: root,
    env: { ...process.env, ...folder.environment },
    // The fourth is never written to: it tells whoever has its other end that this script has come to its end.
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    watch: ({ stdio }) => stdio[3].unref(),
    what: "the tests; then what they left is removed",
    patience: PATIENCE_SECONDS,
  });
}
