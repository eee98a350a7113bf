import { exitCodes, type ExitCode } from "../engine/reasons.ts";
import { toLine } from "../ui/json.ts";
import { bareResult, type Result } from "../ui/result.ts";
import type { Flags } from "./program.ts";

/** Ends a command that is there for what it prints: to standard output, with `--json` as part of the result. */
export function printed(
  command: string,
  flags: Flags,
  content: Pick<Result, "path" | "settings" | "schema" | "images">,
  text: string,
): ExitCode {
  const result = { ...bareResult(command, exitCodes.done, "done", []), ...content };
  process.stdout.write(flags["json"] === true ? `${JSON.stringify(toLine(result))}\n` : text);
  return exitCodes.done;
}
