import { openAccess } from "../cluster/access.ts";
import type { Finding } from "../engine/finding.ts";
import { exitCodeOf, exitCodes, type ExitCode } from "../engine/reasons.ts";
import { checkHost } from "../host/checks/all.ts";
import type { Outcome } from "../host/checks/check.ts";
import { observeHost } from "../host/observe.ts";
import { observe, plan, runningNode, type Facts } from "../install.ts";
import { version } from "../platform/version.ts";
import { lookAtWorkloads } from "../release/readiness.ts";
import { seenIn } from "../report.ts";
import { healthOf, type Health } from "../status.ts";
import { observeTools } from "../tools/observe.ts";
import { duration, endLines, roomLine, type Mark, type Style } from "../ui/text.ts";
import { begin, type Begun } from "./begin.ts";
import { finishLook } from "./finish.ts";
import type { Flags } from "./program.ts";
import { interrupted } from "./refuse.ts";
import { looking, type Running } from "./running.ts";

const markOfCheck: Readonly<Record<Outcome["is"], Mark>> = {
  fine: "done",
  skipped: "unknown",
  warning: "repaired",
  refusal: "failed",
};

const markOfState: Readonly<Record<Health["state"], Mark>> = {
  healthy: "done",
  unproven: "repaired",
  degraded: "failed",
  "not installed": "none",
  unknown: "unknown",
};

/** "Dataset directory", the longest label here. */
const label = 17;

const tools = ["k3d", "helm"] as const;
type ToolFact = Awaited<ReturnType<typeof observeTools>>["k3d"];

/** `tracebloc doctor`: looks at everything that can be in the way, whether or not something is. Changes nothing. */
export async function doctor(flags: Flags): Promise<ExitCode> {
  const begun = await begin("doctor", flags, label);
  if (typeof begun === "number") return begun;
  return looking(begun, (running) => examine(begun, running));
}

async function examine(begun: Begun, { on, interrupted: signalled }: Running): Promise<ExitCode> {
  const { asked, screen, options } = begun;
  const facts = await observe(asked, on);
  // Where there is no node to look into, both have been looked at already.
  const [host, toolFacts] = await Promise.all([
    facts.host ?? observeHost(asked.wishes, on),
    observeTools(
      tools.filter((tool) => facts.tools[tool].state === "unknown"),
      on,
      facts.tools,
    ),
  ]);
  if (on.stop.aborted) return interrupted(begun, signalled());
  const checked = checkHost(host, asked.wishes, runningNode(facts.cluster) === undefined ? "create" : "repair");
  const health = healthOf(facts, plan(facts, asked, []), options.strict);
  const ofHost = checked.flatMap((one) => ("finding" in one ? [one.finding] : []));
  // A machine on which nothing is installed is not ill.
  const ofClient = health.state === "not installed" ? [] : await withCauses(health.findings, facts, begun, on);
  // One cause, told once: the client could not be looked at for what is wrong with the machine.
  const told = new Set(ofHost.map(({ reason }) => reason));
  const findings = unique([...ofHost, ...ofClient.filter(({ room, reason }) => room !== "host" || !told.has(reason))]);

  const { style } = screen.answer;
  if (!options.quiet) {
    screen.answer.lines([
      ...checked.map(({ about, is, says }) => roomLine(markOfCheck[is], about, says, 0, style)),
      ...tools.map((tool) => toolLine(tool, toolFacts[tool], style)),
      roomLine(markOfState[health.state], "Client", health.state, 0, style),
      ...(asked.platform.note === undefined
        ? []
        : [roomLine("none", asked.platform.label, asked.platform.note, 0, style)]),
    ]);
  }
  for (const finding of findings) screen.answer.finding(finding);

  // The machine by its first reason that counts, as install would end; the client as status tells it.
  const codes = [
    ...findings.filter((finding) => ofHost.includes(finding)).map(({ reason }) => exitCodeOf(reason, options.strict)),
    ...(ofClient.length === 0 ? [] : [health.exit]),
  ];
  const exit = codes.find((code) => code !== exitCodes.done) ?? exitCodes.done;
  const ms = performance.now() - begun.startedAt;
  screen.answer.lines(endLines(`tracebloc ${version} · ${verdict(findings, exit)} (${duration(ms)})`, exit, style));
  return finishLook(begun, facts, { state: health.state, exit, findings });
}

function verdict(findings: readonly Finding[], exit: ExitCode): string {
  if (findings.length === 0) return "nothing is in the way";
  return exit === exitCodes.done ? "nothing is in the way; see the hints above" : "see above what to mend";
}

/** Why workloads are late: pods, events and logs tell what a Deployment does not. */
async function withCauses(
  findings: readonly Finding[],
  facts: Facts,
  { asked }: Begun,
  on: Running["on"],
): Promise<readonly Finding[]> {
  const access = openAccess(on.state, asked.wishes.cluster.value);
  const { release } = seenIn(facts, asked, []);
  if (access === undefined || release === undefined) return findings;
  const causes = await lookAtWorkloads({ release: release.name, namespace: release.namespace }, access.api, on);
  return causes.length === 0
    ? findings
    : [...findings.filter(({ reason }) => reason !== "WORKLOAD_NOT_READY"), ...causes];
}

function toolLine(tool: string, fact: ToolFact, style: Style): string {
  if (fact.state === "unknown") return roomLine("unknown", tool, `not checked: ${fact.why}`, 0, style);
  const { usable, skipped, pin } = fact.value;
  if (usable !== undefined) {
    const from = usable.from === "PATH" ? "on PATH" : "fetched by this program";
    return roomLine("done", tool, `${usable.version}, ${from}`, 0, style);
  }
  const otherwise = pin === undefined ? "none is known for this machine" : "would be fetched when needed";
  return roomLine("none", tool, [...skipped, otherwise].join("; "), 0, style);
}

function unique(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.reason} ${finding.says}`, finding])).values()];
}
