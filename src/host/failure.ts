import type { Finding } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import type { RunResult } from "../process/runner.ts";
import { observeSetting } from "./docker.ts";
import { engineFinding } from "./explain.ts";
import { observeStandpoint } from "./standpoint.ts";
import { engineTrouble, troubleIn } from "./trouble.ts";

/**
 * What a docker or k3d call that failed says about the engine: the same reason and remedies as a full look would give,
 * so that a healthy machine need not be asked beforehand. Undefined where the engine did answer, and what it said is
 * about something else. Of k3d only its words count: that it is missing or took too long tells nothing of the engine.
 */
export async function engineFailure(
  result: RunResult,
  on: Machine,
  asked: "docker" | "k3d" = "docker",
): Promise<Finding | undefined> {
  const trouble = asked === "docker" ? engineTrouble(result) : troubleIn(result.stderr);
  if (trouble === undefined) return undefined;
  return engineFinding(trouble, await observeStandpoint(await observeSetting(on), on), asked);
}
