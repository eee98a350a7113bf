import { rmSync } from "node:fs";

import { readCredential } from "../config/read-settings.ts";
import { withTyped } from "../config/credentials.ts";
import { diskFiles } from "../config/disk.ts";
import { withCredentialsOf } from "../config/values-credentials.ts";
import type { Finding } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import { outcomeOf } from "../engine/outcome.ts";
import type { Planned } from "../engine/plan.ts";
import type { ExitCode } from "../engine/reasons.ts";
import { run, type Ended, type Program } from "../engine/run.ts";
import { checkHost, type Checked } from "../host/checks/all.ts";
import { observe, performers, plan, type Asked, type Facts, type InstallAction } from "../install.ts";
import { fold } from "../platform/characters.ts";
import type { Platform } from "../platform/platform.ts";
import { version } from "../platform/version.ts";
import { secretsIn } from "../release/values.ts";
import { holdsClient } from "../report.ts";
import { begin, type Begun } from "./begin.ts";
import { changing, looking, type Running } from "./running.ts";
import { finish } from "./finish.ts";
import type { Flags } from "./program.ts";
import { askLine, canAsk, readStdin } from "./prompt.ts";
import { refuse } from "./refuse.ts";

/** How often a rejected id and password are asked for again. */
const mostAttempts = 5;

/** `tracebloc install`, and `tracebloc plan`, which is the same up to the first plan. */
export async function install(flags: Flags, command = "install"): Promise<ExitCode> {
  const begun = await begin(command, flags);
  if (typeof begun === "number") return begun;
  if (flags["clientPasswordStdin"] === true) {
    const name = "--client-password-stdin";
    const piped = await readStdin(begun.options.timeoutMs);
    if (piped === undefined) return refuse(begun, stdinHasNoEnd);
    const read = readCredential("clientPassword", piped, { from: "flag", name }, begun.here.platform);
    if ("finding" in read) return refuse(begun, read.finding);
    takePassword(begun, read.value, name);
  }
  return begun.options.dryRun
    ? looking(begun, (running) => bringAbout(begun, running))
    : changing(begun, (running) => bringAbout(begun, running));
}

async function bringAbout(begun: Begun, running: Running): Promise<ExitCode> {
  const { program, seen } = programOf(begun, running);
  const on = withHeadline(begun, running.on, seen);
  let ended = await run(program, on, running.journal, { ...begun.options, command: begun.command });
  const lacks = ended.planned.warnings.some(({ reason }) => reason === "CREDENTIALS_MISSING");
  if (lacks && (await recallCredentials(begun))) {
    ended = await run(program, on, running.journal, { ...begun.options, command: begun.command });
  }
  for (
    let attempt = 1;
    isRejected(ended) && begun.asked.wishes.clientPassword.origin.from === "prompt" && attempt < mostAttempts;
    attempt++
  ) {
    if (ended.failure !== undefined) begun.screen.finding(ended.failure, "failed");
    if (!(await askCredentials(begun, running.on.stop))) {
      if (running.on.stop.aborted) ended = asStopped(ended);
      break;
    }
    ended = await run(program, on, running.journal, { ...begun.options, command: begun.command });
  }
  if (!begun.options.dryRun && isStrangers(ended)) forgetKeys(begun);
  const outcome = outcomeOf(ended, begun.options.strict, running.interrupted());
  return finish(begun, running, {
    outcome,
    ended,
    first: seen() ?? ended.facts,
    says: (action) => program.performers[action.do].says(action as never),
  });
}

function isStrangers({ how, planned }: Ended<Facts, InstallAction>): boolean {
  return how === "refused" && planned.refusals.some(({ reason }) => reason === "CLUSTER_NOT_OURS");
}

/** Whether a cluster holds a client can only be seen from within. The keys to one that does not are not ours to keep. */
function forgetKeys({ state, asked }: Begun): void {
  rmSync(state.kubeconfig(asked.wishes.cluster.value), { force: true });
}

type Installing = { program: Program<Facts, InstallAction>; seen: () => Facts | undefined };

/** The loop's view of an install: the facts it saw last are what its actions work with. */
function programOf(begun: Begun, { on }: Running): Installing {
  let first: Facts | undefined;
  let latest: Facts | undefined;
  let isKnown = false;
  const asked = () => begun.asked;
  const facts = () => latest as Facts;
  const program: Program<Facts, InstallAction> = {
    observe: async (machine, before) => {
      latest = await observe(begun.asked, machine, before);
      // Helm is given them again, and may repeat what it is given.
      for (const secret of storedSecrets(latest)) begun.redactor.add(secret);
      first ??= latest;
      if (!isKnown && latest.release.records.state === "known") {
        isKnown = true;
        if (holdsClient(latest, begun.asked)) begun.screen.hadClient();
      }
      return latest;
    },
    plan: (known, done) => {
      const planned = plan(known, begun.asked, done);
      return begun.options.dryRun ? withoutQuestions(planned) : planned;
    },
    performers: performers(asked, facts, on.state),
    answer: async (refusals) =>
      onlyCredentials(refusals) && ((await recallCredentials(begun)) || (await askCredentials(begun, on.stop))),
  };
  return { program, seen: () => first };
}

/** Before the first thing is done for a new cluster: what machine it is made on, and what is used that is not pinned. */
function withHeadline(
  { screen, options, asked, warnings }: Begun,
  on: Machine,
  seen: () => Facts | undefined,
): Machine {
  let isNew = false;
  let isSaid = false;
  return {
    ...on,
    emit: (event) => {
      const host = seen()?.host;
      isNew ||= event.type === "plan" && event.actions.some((action) => action.do === "cluster.create");
      if (!isSaid && isNew && event.type === "action" && host !== undefined) {
        isSaid = true;
        const says = fold(headline(checkHost(host, asked.wishes), asked.platform), screen.style.width);
        if (!options.quiet) screen.lines([...says, ""]);
        const pins = warnings.filter(({ reason }) => reason === "PIN_CHANGED");
        for (const finding of pins) on.emit({ type: "warning", finding });
      }
      on.emit(event);
    },
  };
}

/** `tracebloc 1.0.0 · Linux x64, 8 CPUs, 31 GB, Docker 28.5.2 (rootful)`; what is not fine is said elsewhere. */
function headline(checked: readonly Checked[], { label }: Platform): string {
  const parts = ["CPUs", "Memory", "Engine"].flatMap((about) => {
    return checked.flatMap((one) => (one.about === about && one.is === "fine" ? [one.says] : []));
  });
  return `tracebloc ${version} · ${[label, ...parts].join(", ")}`;
}

/** What install would ask for keeps nobody from seeing beforehand what it would do. */
function withoutQuestions(planned: Planned<InstallAction>): Planned<InstallAction> {
  const { refusals, warnings } = planned;
  if (!onlyCredentials(refusals)) return planned;
  const willAsk = refusals.map((refusal) => ({ ...refusal, says: `${refusal.says}; install asks on a terminal` }));
  return { ...planned, refusals: [], warnings: [...warnings, ...willAsk] };
}

/** Something else in the way comes first: nobody should type a password for a machine that cannot be used. */
function onlyCredentials(refusals: readonly Finding[]): boolean {
  return refusals.every(({ reason }) => reason === "CREDENTIALS_MISSING");
}

function asStopped(ended: Ended<Facts, InstallAction>): Ended<Facts, InstallAction> {
  return { ...ended, how: "stopped" };
}

function isRejected({ how, failure }: Ended<Facts, InstallAction>): boolean {
  return how === "failed" && failure?.reason === "CREDENTIALS_REJECTED";
}

/**
 * Takes the credentials of a client that is to be made from the values.yaml that the installers before this one kept in
 * the data directory: whoever lost a cluster of theirs has them nowhere else at hand. False where there are none.
 */
async function recallCredentials(begun: Begun): Promise<boolean> {
  const { asked, here } = begun;
  const path = here.platform.path.join(asked.wishes.dataDir.value, "values.yaml");
  const text = await diskFiles.readText(path).catch(() => undefined);
  if (text === undefined) return false;
  const { readValues } = await import("../config/yaml-file.ts");
  const seen = readValues(text);
  if (!("values" in seen)) return false;
  for (const secret of secretsIn(seen.values)) begun.redactor.add(secret);
  const { wishes, findings } = withCredentialsOf(asked.wishes, seen.values, path, here.platform);
  const [clientId, clientPassword] = [wishes.clientId.value, wishes.clientPassword.value];
  if (findings.length > 0 || clientId === undefined || clientPassword === undefined) return false;
  // Like what is typed: where the backend knows them no more, both are asked for.
  const isNamed = asked.wishes.clientId.value !== undefined;
  begun.asked = { ...asked, wishes: withTyped(asked.wishes, { ...(!isNamed && { clientId }), clientPassword }, path) };
  begun.screen.emit({ type: "note", room: "release", says: `id and password as in ${path}` });
  return true;
}

/** Asks for id and password on the terminal. False where nobody can be asked, or the person gave up. */
async function askCredentials(begun: Begun, stop: AbortSignal): Promise<boolean> {
  if (begun.options.json || !canAsk()) return false;
  begun.screen.close();
  const known = begun.asked.wishes.clientId;
  const isKnown = known.value !== undefined && known.origin.from !== "prompt";
  const asksAnew = known.origin.from === "prompt";
  const why = "A new client needs the id and password that the dashboard gave it.";
  if (!asksAnew) begun.screen.lines(fold(why, begun.screen.style.width));
  const clientId = isKnown ? known.value : await askCredential(begun, "clientId", "  Client id:       ", stop);
  if (clientId === undefined) return false;
  const clientPassword = await askCredential(begun, "clientPassword", "  Client password: ", stop);
  if (clientPassword === undefined) return false;
  begun.asked = { ...begun.asked, wishes: withTyped(begun.asked.wishes, { clientId }, "typed") } satisfies Asked;
  takePassword(begun, clientPassword, "typed");
  return true;
}

/** Passwords that a release was made with: nobody gave them to this run, and they are as secret. */
function storedSecrets({ release: { records } }: Facts): string[] {
  if (records.state === "unknown") return [];
  return records.value.flatMap(({ content }) => ("values" in content ? secretsIn(content.values) : []));
}

/** Asks until what is typed can be one. Undefined where the person gave up. */
async function askCredential(
  begun: Begun,
  key: "clientId" | "clientPassword",
  question: string,
  stop: AbortSignal,
): Promise<string | undefined> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const typed = await askLine(question, key === "clientPassword", stop);
    if (typed === undefined || typed === "") return undefined;
    const read = readCredential(key, typed, { from: "prompt", name: "typed" }, begun.here.platform);
    if ("value" in read) return read.value;
    begun.screen.finding(read.finding, "failed");
  }
  return undefined;
}

const stdinHasNoEnd: Finding = {
  reason: "DEADLINE",
  room: "config",
  says: "standard input, from which the password was to come, did not end in the time given with --timeout",
  remedies: [{ says: "pipe the password in, or set TRACEBLOC_CLIENT_PASSWORD" }],
};

/** From here on it is a secret that the redactor knows. */
function takePassword(begun: Begun, clientPassword: string, name: string): void {
  begun.redactor.add(clientPassword);
  begun.asked = { ...begun.asked, wishes: withTyped(begun.asked.wishes, { clientPassword }, name) };
}
