import type { Finding, Room } from "./finding.ts";
import type { Action } from "./plan.ts";

/** What happens in a run, as it happens. Screens, `--json` and the run's log are three listeners of the same events. */
export type Event =
  | { type: "fact"; room: Room; about: string; state: "known" | "unknown"; says: string; ms: number }
  | { type: "plan"; stage: number; actions: readonly Action[]; then: readonly string[] }
  /** `says` tells what is being done; at the end, what was then seen. `holds` is missing where that could not be told. */
  | {
      type: "action";
      phase: "begin" | "end" | "failed";
      room: Room;
      action: Action;
      says: string;
      holds?: boolean;
      ms: number;
    }
  /** A sign of life during a long step: what it waits for, since when and until when (milliseconds). */
  | { type: "wait"; room: Room; waitingFor: string; sinceMs: number; limitMs: number }
  | { type: "warning"; finding: Finding }
  | { type: "note"; room: Room; says: string };

export type Emit = (event: Event) => void;
