// `npm test`: sets up what the tests need, runs all of them, and ends with the line `N passed, M failed`.
// `npm run test:fast` (--fast) leaves out what takes long: the lab, the charts through a real Helm, the package as it is
// installed. Further arguments go to vitest, and then nothing but the lab is left out: `npm run test:fast -- test/chart`.

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { ensureDependencies } from "./dependencies.mjs";

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

const args = process.argv.slice(2).filter((arg) => arg !== "--fast");
const fast = process.argv.includes("--fast");
const failures = [];

const ready = await step("dependencies", ensureDependencies);
const { passed, failed, skipped } = ready ? await setUpAndTest() : { passed: 0, failed: 0, skipped: 0 };
for (const failure of failures) console.log(`failed before the tests: ${failure}`);
if (passed + failed === 0) console.log("no test ran");
console.log(`${passed} passed, ${failed + failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = passed > 0 && failed + failures.length === 0 ? 0 : 1;

async function setUpAndTest() {
  await step("programs", installPrograms);
  await step("build", () => run(process.execPath, ["scripts/build.mjs"]));
  const lab = fast || (await step("lab", () => run(process.execPath, ["scripts/lab/lab.mjs", "up"])));
  return runTests(fast && args.length === 0 ? quick : lab && !fast ? [] : ["--project", "!lab"]);
}

/** Does one thing before the tests. When it fails the rest still runs: it may tell more than the failure does. */
async function step(name, act) {
  try {
    await act();
    return true;
  } catch (error) {
    failures.push(`${name}: ${error.message}`);
    return false;
  }
}

/** Streams what the program prints. Rejects when it does not exit with 0. */
async function run(command, parameters) {
  const exit = await start(command, parameters);
  if (exit !== 0) throw new Error(`${[command, ...parameters].join(" ")} ended with ${exit}`);
}

function start(command, parameters) {
  const child = spawn(command, parameters, { cwd: root, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
}

function readJson(path) {
  return readFile(path, "utf8").then(JSON.parse, () => undefined);
}

/** Installs what is missing where that is a matter of course: as root on Debian and what descends from it. */
async function installPrograms() {
  const { hasProgram, installMissing } = await import("./lab/debian.mjs");
  const missing = Object.keys(programs).filter((name) => !hasProgram(name));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && hasProgram("apt-get")) await installMissing(programs, console.log);
  else console.log(`tests that need ${missing.join(", ")} are skipped; to run them, install these first`);
}

/** Runs vitest and counts from its own report. A file that does not load and an error outside a test count as failed. */
async function runTests(selection) {
  const directory = await mkdtemp(join(tmpdir(), "tracebloc-tests-"));
  const report = join(directory, "report.json");
  try {
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const config = ["--config", "test/vitest.config.ts"];
    const exit = await start(process.execPath, [vitest, "run", ...config, ...reporters, ...selection, ...args]);
    const {
      numPassedTests = 0,
      numFailedTests = 0,
      numPendingTests = 0,
      numTodoTests = 0,
      testResults = [],
    } = (await readJson(report)) ?? {};
    const unloaded = testResults.filter(({ status, assertionResults }) => {
      return status === "failed" && !assertionResults.some((test) => test.status === "failed");
    });
    const outside = exit !== 0 && numFailedTests + unloaded.length === 0 ? 1 : 0;
    if (outside > 0) console.log(`vitest ended with ${exit} though no test failed`);
    return {
      passed: numPassedTests,
      failed: numFailedTests + unloaded.length + outside,
      skipped: numPendingTests + numTodoTests,
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
