import type { Finding } from "../engine/finding.ts";
import { exitCodeOf, exitCodes, type ExitCode } from "../engine/reasons.ts";
import { checkHost } from "../host/checks/all.ts";
import type { Outcome } from "../host/checks/check.ts";
import { observeHost } from "../host/observe.ts";
import { observe, plan, runningNode } from "../install.ts";
import { version } from "../platform/version.ts";
import { lookAtWorkloads } from "../release/readiness.ts";
import { openAccess } from "../cluster/access.ts";
import { seenIn } from "../report.ts";
import { healthOf } from "../status.ts";
import { observeTools } from "../tools/observe.ts";
import { duration, roomLine, type Mark } from "../ui/text.ts";
import { begin } from "./begin.ts";
import type { Flags } from "./program.ts";
import { looking } from "./running.ts";

const marks: Readonly<Record<Outcome["is"], Mark>> = {
  fine: "done",
  skipped: "unknown",
  warning: "repaired",
  refusal: "failed",
};

/** `tracebloc doctor`: looks at everything that can be in the way, whether or not something is. Changes nothing. */
export async function doctor(flags: Flags): Promise<ExitCode> {
  const begun = await begin("doctor", flags);
  if (typeof begun === "number") return begun;
  return looking(begun, async ({ on }) => {
    const { asked, screen } = begun;
    const [facts, host, tools] = await Promise.all([
      observe(asked, on),
      observeHost(asked.wishes, on),
      observeTools(["k3d", "helm"], on),
    ]);
    const isThere = runningNode(facts.cluster) !== undefined;
    const checked = checkHost(host, asked.wishes, isThere ? "repair" : "create");
    for (const { about, is, says } of checked) screen.lines([roomLine(marks[is], about, says, 0, screen.style)]);
    for (const tool of ["k3d", "helm"] as const) screen.lines([toolLine(tool, tools[tool])]);

    const ofHost = checked.flatMap((one) => ("finding" in one ? [one.finding] : []));
    const health = healthOf(facts, plan(facts, asked, []), begun.options.strict);
    const closer = await lookCloser();
    // A machine on which nothing is installed is not ill.
    const ofClient =
      health.state === "not installed"
        ? []
        : closer.length > 0
          ? [...health.findings.filter(({ reason }) => reason !== "WORKLOAD_NOT_READY"), ...closer]
          : health.findings;
    screen.lines([
      roomLine(
        health.state === "healthy" ? "done" : health.state === "not installed" ? "none" : "failed",
        "Client",
        health.state,
        0,
        screen.style,
      ),
    ]);

    const findings = unique([...ofHost, ...ofClient]);
    for (const finding of findings) screen.finding(finding, "repaired");
    const exit =
      findings.map(({ reason }) => exitCodeOf(reason, begun.options.strict)).find((code) => code !== exitCodes.done) ??
      exitCodes.done;
    const ms = performance.now() - begun.startedAt;
    screen.lines([
      `tracebloc ${version} · ${findings.length === 0 ? "nothing is in the way" : "see above"} (${duration(ms)})${exit === 0 ? "" : `     exit ${exit}`}`,
    ]);
    screen.result({
      type: "result",
      command: "doctor",
      ok: exit === 0,
      exit,
      state: health.state,
      failures: exit === 0 ? [] : findings.map(screen.spelled),
      warnings: [...begun.warnings, ...(exit === 0 ? findings.map(screen.spelled) : [])],
      actions: [],
      then: [],
      ...seenIn(facts, asked, []),
      seconds: Math.round(ms) / 1000,
    });
    return exit;

    /** Why workloads are late: pods, events and logs tell what a Deployment does not. */
    async function lookCloser(): Promise<readonly Finding[]> {
      const access = openAccess(on.state, asked.wishes.cluster.value);
      const { release } = seenIn(facts, asked, []);
      return access === undefined || release === undefined
        ? []
        : lookAtWorkloads({ release: release.name, namespace: release.namespace }, access.api, on);
    }
  });
}

function toolLine(tool: string, fact: Awaited<ReturnType<typeof observeTools>>["k3d"]): string {
  const style = { colour: false, width: 80 };
  if (fact.state === "unknown") return roomLine("unknown", tool, `not checked: ${fact.why}`, 0, style);
  const { usable, skipped, pin } = fact.value;
  if (usable !== undefined) {
    return roomLine(
      "done",
      tool,
      `${usable.version}, ${usable.from === "PATH" ? "on PATH" : "fetched by this program"}`,
      0,
      style,
    );
  }
  return roomLine(
    "none",
    tool,
    [...skipped, pin === undefined ? "none is known for this machine" : "would be fetched when needed"].join("; "),
    0,
    style,
  );
}

function unique(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.reason} ${finding.says}`, finding])).values()];
}
