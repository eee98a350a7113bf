import { onTestFinished, vi } from "vitest";

import { labClient, labPassword, start as startBackend } from "../../scripts/lab/backend.mjs";
import type { Here } from "../../src/cli/here.ts";
import type { PlatformName } from "../../src/platform/platform.ts";
import { endings } from "../../src/engine/interrupt.ts";
import type { RunnerOptions } from "../../src/process/execa-runner.ts";
import type { Command, Runner } from "../../src/process/runner.ts";
import type { Result } from "../../src/ui/result.ts";
import { personality, type Personality, type WhenOver } from "./personality.ts";
import { withoutRemedy } from "./remedies.ts";
import { scriptedRunner, type Calls, type Script } from "./scripted-runner.ts";
import { standIn, type StandIn } from "./stand-in.ts";
import type { Cluster, World } from "./world.ts";

/** The whole CLI, from its arguments to its exit code, on a machine whose programs are scripted. */
export type Flow = {
  person: Personality;
  world: World;
  /** Runs one command to its end. Fails the test where a program or the API was asked what nobody expects. */
  tracebloc: (...argv: readonly string[]) => Promise<Ran>;
  /** Laid over the environment of the person. */
  set: (variables: Readonly<Record<string, string | undefined>>) => void;
  /** Puts a cluster there as somebody else made it, at a port of this test. */
  have: (cluster: Omit<Cluster, "port">) => Promise<void>;
  backend: readonly { path: string; username: string | null; status: number | null }[];
};

export type Ran = {
  exit: number;
  stdout: string;
  stderr: string;
  calls: readonly Command[];
  result: () => Result;
};

/** What the mocked modules give: set anew by each command. */
const now: { person?: Personality; variables: Record<string, string | undefined>; script?: Script; calls?: Calls } = {
  variables: {},
};

// The only two places where the CLI meets the machine by itself: where it runs, and how it starts programs.
vi.doMock(import("../../src/cli/here.ts"), async (original) => ({ ...(await original()), here: pretendedPlace }));
vi.doMock(import("../../src/process/execa-runner.ts"), async (original) => ({
  ...(await original()),
  execaRunner: pretendedRunner,
}));

function pretendedPlace(): Here {
  const { person, variables } = now;
  if (person === undefined) throw new Error("no command is run");
  return {
    platform: person.platform,
    environment: { ...person.environment, ...variables },
    cwd: person.home,
    invocation: () => ({ command: "tracebloc" }),
    isRoot: { ...person.environment, ...variables }["USER"] === "root",
    program: (name) => name,
  };
}

function pretendedRunner(options: RunnerOptions): Runner {
  const { script, calls } = now;
  if (script === undefined || calls === undefined) throw new Error("no command is run");
  return scriptedRunner(script, calls, options);
}

/** A machine of this system, for one test if nothing else is said, with a backend that knows the lab's client. */
export async function flow(name: PlatformName, whenOver: WhenOver = onTestFinished): Promise<Flow> {
  const person = personality(name, whenOver);
  const stand = standIn(person);
  const backend = await startBackend();
  whenOver(async () => {
    await stand.close();
    await backend.stop();
  });
  const port = somePort();
  const variables: Record<string, string | undefined> = {
    TRACEBLOC_BACKEND_URL: backend.url,
    TRACEBLOC_CLIENT_ID: labClient,
    TRACEBLOC_CLIENT_PASSWORD: labPassword,
    TRACEBLOC_API_PORT: String(port),
  };
  return {
    person,
    world: stand.world,
    tracebloc: (...argv) => run(argv, { person, variables, stand }),
    set: (more) => void Object.assign(variables, more),
    have: (cluster) => stand.have({ ...cluster, port }),
    backend: backend.seen,
  };
}

let given = 0;

/**
 * Test files run side by side, each in a process of its own: their ports must not meet, and none may be one that the
 * system gives to whoever connects to something (from 32768 on).
 */
function somePort(): number {
  given += 1;
  return 20_000 + (process.pid % 600) * 20 + (given % 20);
}

async function run(
  argv: readonly string[],
  { person, variables, stand }: { person: Personality; variables: Record<string, string | undefined>; stand: StandIn },
): Promise<Ran> {
  const calls: Calls = { made: [], unexpected: [] };
  Object.assign(now, { person, variables, script: stand.script, calls });
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  let exit: number;
  try {
    const { main } = await import("../../src/cli/program.ts");
    exit = await main(argv);
  } finally {
    stdout.end();
    stderr.end();
    // A command listens until its process has gone; here one process outlives many.
    for (const signal of Object.keys(endings)) process.removeAllListeners(signal);
  }
  const strange = [...calls.unexpected, ...stand.unexpected()];
  if (strange.length > 0) throw new Error(`nobody expects:\n${strange.join("\n")}\n${stderr.text().slice(-2000)}`);
  return {
    exit,
    stdout: stdout.text(),
    stderr: stderr.text(),
    calls: calls.made,
    result: () => resultIn(stdout.text()),
  };
}

function capture(stream: NodeJS.WriteStream): { text: () => string; end: () => void } {
  let text = "";
  const spy = vi.spyOn(stream, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  return { text: () => text, end: () => spy.mockRestore() };
}

/** The last line of `--json`. Fails the test where it names trouble without a remedy. */
export function resultIn(stdout: string): Result {
  const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Result;
  if (last.type !== "result") throw new Error(`the last line is no result: ${stdout}`);
  const mute = withoutRemedy([...last.failures, ...last.warnings]);
  if (mute.length > 0) throw new Error(`nothing is said of what to do: ${JSON.stringify(mute)}`);
  return last;
}
