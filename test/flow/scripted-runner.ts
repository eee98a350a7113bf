import type { Call, Command, Runner, RunResult } from "../../src/process/runner.ts";
import type { RunnerOptions } from "../../src/process/execa-runner.ts";
import type { Answer } from "./answers.ts";

/** What a program answers, how it could not be started or ended; undefined where nobody expects the call. */
export type Scripted = Answer | Pick<RunResult, "outcome" | "notStarted" | "why"> | undefined;

export type Script = (command: Command) => Scripted | Promise<Scripted>;

/** All that was asked of the runner, and what nobody expected. */
export type Calls = { made: Command[]; unexpected: string[] };

/**
 * A runner that starts nothing. It tells and redacts like the real one, so that logs and results are those of a run.
 * A call that the script does not know comes to nothing and is kept: the test has to look at `unexpected`.
 */
export function scriptedRunner(script: Script, calls: Calls, options: RunnerOptions): Runner {
  const { redact } = options;
  return {
    async run(command) {
      calls.made.push(command);
      const answer = await answered(script, command, calls);
      const result = heard(
        resultOf(answer ?? { outcome: "not-started", notStarted: "other", why: "nobody expects it" }),
        command,
      );
      const said = { ...result, stdout: redact(result.stdout), stderr: redact(result.stderr) };
      const { stdout: _, stderr: __, ...rest } = said;
      const call: Call = { ...rest, about: command.about, file: redact(command.file), args: command.args.map(redact) };
      options.log(call);
      return command.raw === true ? { ...said, raw: result.stdout } : said;
    },
    stopAll: () => Promise.resolve(),
  };
}

async function answered(script: Script, command: Command, { unexpected }: Calls): Promise<Scripted> {
  try {
    const answer = await script(command);
    if (answer === undefined) unexpected.push(words(command));
    return answer;
  } catch (error) {
    unexpected.push(`${words(command)}: ${String(error)}`);
    return undefined;
  }
}

/** Whoever listens hears the lines as they come, and may end the program for what it says. */
function heard(result: RunResult, { onLine, signal }: Command): RunResult {
  for (const stream of ["stdout", "stderr"] as const) {
    for (const line of result[stream].split("\n")) if (line !== "") onLine?.(line, stream);
  }
  if (signal?.aborted !== true) return result;
  const { exitCode: _, ...rest } = result;
  return { ...rest, outcome: "cancelled" };
}

function resultOf(answer: Exclude<Scripted, undefined>): RunResult {
  const nothing = { stdout: "", stderr: "", truncated: false, ms: 1 };
  return "outcome" in answer ? { ...nothing, ...answer } : { ...nothing, outcome: "exited", ...answer };
}

/** A command as a person would type it, without quotes. */
export function words({ file, args }: Pick<Command, "file" | "args">): string {
  return [file, ...args].join(" ");
}
