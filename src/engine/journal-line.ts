import type { Child, ProcessId } from "../process/processes.ts";
import type { Call } from "../process/runner.ts";
import type { Event } from "./events.ts";
import type { Action } from "./plan.ts";
import type { ExitCode, Reason } from "./reasons.ts";

/** One line of the file. `format` of the first tells how to read all others. */
export type Line =
  | ({
      is: "run";
      format: number;
      id: string;
      at: string;
      version: string;
      command: string;
      host: string;
    } & ProcessId & {
        /** Of earlier runs, and not known to have ended. */
        children: readonly Child[];
      })
  | { is: "event"; at: string; event: Event }
  | ({ is: "call"; at: string } & Call)
  | ({ is: "child"; at: string; phase: "started" | "ended" } & Child)
  | { is: "action"; at: string; phase: "before" | "after" | "failed"; action: Action; says?: string; error?: string }
  | { is: "end"; at: string; exit: ExitCode; reason?: Reason };

/** Raised when a reader that knows the old lines would be misled by the new. */
export const format = 1;
