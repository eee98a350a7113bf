import type { ExitCode } from "../engine/reasons.ts";
import { categoryNames } from "../ingest/categories.ts";
import { begin } from "./begin.ts";
import { printed } from "./printed.ts";
import type { Flags } from "./program.ts";
import { interrupted, refuse } from "./refuse.ts";
import { looking } from "./running.ts";

/** `tracebloc images`: all that an installation pulls, for a site that has to copy it first. Whole, or nothing is printed. */
export async function images(flags: Flags, helmArgs: readonly string[]): Promise<ExitCode> {
  const begun = await begin("images", flags);
  if (typeof begun === "number") return begun;
  const { collectImages } = await import("../images/collect.ts");
  return looking(begun, async ({ on, interrupted: signalled }) => {
    const answer = await collectImages(begun.asked, { flags, helmArgs, categories: categoryNames }, on);
    if (on.stop.aborted) return interrupted(begun, signalled());
    if ("findings" in answer) return refuse(begun, ...answer.findings);
    return printed("images", flags, { images: answer.list }, answer.text);
  });
}
