#!/usr/bin/env node
/**
 * The entry. Every start pays for what stands here, and every Node reads it: it is bundled alone, into syntax that
 * Node 6 parses, and loads the program only when there is something for it to do.
 */
import { outliveOutput } from "./cli/output.ts";
import { oldestNode, version } from "./platform/version.ts";

const [oldestMajor, oldestMinor] = oldestNode.split(".").map(Number) as [number, number];
const [major, minor] = process.versions.node.split(".").map(Number) as [number, number];
const tooOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
const args = process.argv.slice(2);

if (tooOld) {
  process.stderr.write(
    `tracebloc ${version} needs Node.js ${oldestNode} or newer, and this is ${process.versions.node}: ` +
      "install one from https://nodejs.org/en/download and run the same command again.\n",
  );
  process.exitCode = 3; // exitCodes.machine, whose table is not worth loading here
} else if (args.length === 1 && args[0] === "--version") {
  outliveOutput();
  process.stdout.write(`${version}\n`);
} else {
  keepCompiledCode();
  void import("./cli/program.ts")
    .then(({ main, watchForDefects }) => {
      watchForDefects();
      return main(args);
    })
    .then(setExitCode);
}

/** Node 22.8 and later keep compiled code between runs, which saves about 15 ms; Node 20 and 21 cannot. */
function keepCompiledCode(): void {
  const module = process.getBuiltinModule?.("node:module") as { enableCompileCache?: () => void } | undefined;
  module?.enableCompileCache?.();
}

/** Never process.exit: it cuts off output that is still being written to a pipe. */
function setExitCode(code: number): void {
  process.exitCode = code;
  setTimeout(endHeld, heldMs).unref();
}

/** Longer than anything takes that a command leaves to end by itself. */
const heldMs = 3_000;

/**
 * A question to a file server that is gone cannot be taken back, and Node waits for it at its end, in process.exit as
 * well: all has been said, so that only a KILL is left. Nothing comes here where nothing holds the process.
 */
function endHeld(): void {
  const isSaid = process.stdout.writableLength + process.stderr.writableLength === 0;
  if (isSaid) process.kill(process.pid, "SIGKILL");
  else setTimeout(endHeld, heldMs).unref();
}
