import type { Finding } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import type { ExitCode } from "../engine/reasons.ts";
import { whoHolds } from "../files/lock.ts";
import { observe, plan, type Facts } from "../install.ts";
import { version } from "../platform/version.ts";
import { processes } from "../process/processes.ts";
import { foldersOf, seenIn } from "../report.ts";
import { healthOf } from "../status.ts";
import { duration, endLines, roomLine } from "../ui/text.ts";
import { begin, type Begun } from "./begin.ts";
import { finishLook } from "./finish.ts";
import type { Flags } from "./program.ts";
import { interrupted } from "./refuse.ts";
import { looking } from "./running.ts";

/** `tracebloc status`: one look, judged by what install would have to do. Changes nothing. */
export async function status(flags: Flags): Promise<ExitCode> {
  const begun = await begin("status", flags);
  if (typeof begun === "number") return begun;
  return looking(begun, async ({ on, interrupted: signalled }) => {
    const { asked, screen, options } = begun;
    const facts = await observe(asked, on);
    if (on.stop.aborted) return interrupted(begun, signalled());
    const health = healthOf(facts, plan(facts, asked, []), options.strict);
    const { state, exit } = health;
    const findings = [...(await atWork(on)), ...health.findings];
    const ms = performance.now() - begun.startedAt;

    if (!options.quiet && state !== "not installed") screen.answer.lines(seenLines(facts, begun));
    for (const finding of findings) screen.answer.finding(finding, state === "unknown" ? "unknown" : undefined);
    if (!options.quiet || exit !== 0) {
      screen.answer.lines(endLines(`tracebloc ${version} · ${state} (${duration(ms)})`, exit, screen.answer.style));
    }
    return finishLook(begun, facts, { state, exit, findings });
  });
}

/** A run that is in the middle of its work: what is missing may be what it makes. */
async function atWork({ state, platform, runner }: Machine): Promise<Finding[]> {
  const held = await whoHolds(state.lock, { platform, processes: processes(runner, platform.tools.os) });
  return held === undefined ? [] : [{ reason: "RUN_AT_WORK", room: "run", ...held }];
}

/** What is as it should be, under the names that install has for it; the rest is told by the findings. */
function seenLines(facts: Facts, { asked, screen }: Begun): string[] {
  const { release, workloads = [], storage = [], cluster } = seenIn(facts, asked, []);
  const ready = workloads.filter(({ state }) => state === "ready").map(({ name }) => name);
  const folders = foldersOf(facts, asked);
  const line = (label: string, says: string) => roomLine("done", label, says, 0, screen.answer.style);
  return [
    ...(cluster?.state === "running" ? [line("Cluster", `${cluster.name} is running`)] : []),
    ...(release?.status === "deployed"
      ? [line("Release", `${release.name}, ${release.chart}, revision ${release.revision}, deployed`)]
      : []),
    ...(ready.length > 0 ? [line("Workloads", `${ready.join(", ")} ready`)] : []),
    ...storage
      .filter(({ result }) => result === "ready" || result === "writable by proof")
      .map(({ volume, result, mode, path }) => {
        return line("Directories", [volume, mode, result, folders?.[volume] ?? path].filter(Boolean).join(", "));
      }),
  ];
}
