import type { ExitCode } from "../engine/reasons.ts";
import { observe, plan } from "../install.ts";
import { seenIn } from "../report.ts";
import { healthOf } from "../status.ts";
import { version } from "../platform/version.ts";
import { duration, roomLine } from "../ui/text.ts";
import { begin } from "./begin.ts";
import type { Flags } from "./program.ts";
import { looking } from "./running.ts";

/** `tracebloc status`: one look, judged by what install would have to do. Changes nothing. */
export async function status(flags: Flags): Promise<ExitCode> {
  const begun = await begin("status", flags);
  if (typeof begun === "number") return begun;
  return looking(begun, async ({ on }) => {
    const { asked, screen } = begun;
    const facts = await observe(asked, on);
    const { state, exit, findings } = healthOf(facts, plan(facts, asked, []), begun.options.strict);
    const seen = seenIn(facts, asked, []);
    const ms = performance.now() - begun.startedAt;

    const { release, workloads = [], storage = [], cluster } = seen;
    const lines = [
      roomLine(
        cluster?.state === "running" ? "done" : "failed",
        "Cluster",
        `${cluster?.name ?? ""} is ${cluster?.state ?? "unknown"}`,
        0,
        screen.style,
      ),
      ...(release === undefined
        ? []
        : [
            roomLine(
              release.status === "deployed" ? "done" : "failed",
              "Release",
              `${release.name}, ${release.chart}, revision ${release.revision}, ${release.status}`,
              0,
              screen.style,
            ),
          ]),
      ...workloads.map(({ name, state: is, says }) =>
        roomLine(is === "ready" ? "done" : "failed", "Workload", `${name} ${says}`, 0, screen.style),
      ),
      ...storage.map(({ volume, result, mode, path }) =>
        roomLine(
          result === "blocked" ? "failed" : result === "unknown" ? "unknown" : "done",
          "Directory",
          `${volume} ${result}${mode === undefined ? "" : `, ${mode}`}, ${path}`,
          0,
          screen.style,
        ),
      ),
    ];
    if (!begun.options.quiet) screen.lines(lines);
    for (const finding of findings)
      screen.finding(finding, state === "unknown" ? "unknown" : exit === 0 ? "repaired" : "failed");
    screen.lines([`tracebloc ${version} · ${state} (${duration(ms)})${exit === 0 ? "" : `     exit ${exit}`}`]);
    screen.result({
      type: "result",
      command: "status",
      ok: exit === 0,
      exit,
      state,
      failures: exit === 0 ? [] : findings.map(screen.spelled),
      warnings: [...begun.warnings, ...(exit === 0 ? findings.map(screen.spelled) : [])],
      actions: [],
      then: [],
      ...seen,
      seconds: Math.round(ms) / 1000,
    });
    return exit;
  });
}
