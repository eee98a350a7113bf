import { rmSync } from "node:fs";

import { clusterPerformers } from "../cluster/performers.ts";
import { openAccess } from "../cluster/access.ts";
import type { Finding } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import { outcomeOf } from "../engine/outcome.ts";
import type { Performers } from "../engine/plan.ts";
import { exitCodes, type ExitCode } from "../engine/reasons.ts";
import { run, type Program } from "../engine/run.ts";
import { isOurs, observe, releaseName, runningNode, storageGround, type Facts } from "../install.ts";
import { removePerformer } from "../release/remove.ts";
import { holdsClient } from "../report.ts";
import { deletePerformer } from "../storage/delete.ts";
import { holdersOf, observeUsers } from "../storage/users.ts";
import { toolPerformers } from "../tools/actions.ts";
import { toolPath } from "../tools/facts.ts";
import { observeTools } from "../tools/observe.ts";
import { forUninstall, planUninstall, type UninstallAction } from "../uninstall.ts";
import { begin, type Begun } from "./begin.ts";
import { finish } from "./finish.ts";
import type { Flags } from "./program.ts";
import { askLine, canAsk } from "./prompt.ts";
import { interrupted, refuse } from "./refuse.ts";
import { changing, looking, type Running } from "./running.ts";

/** `tracebloc uninstall`: what install made goes; data only with `--delete-data`, typed in full or with `--yes`. */
export async function uninstall(flags: Flags): Promise<ExitCode> {
  const begun = await begin("uninstall", flags);
  if (typeof begun === "number") return begun;
  const deleteData = flags["deleteData"] === true;
  begun.asked = forUninstall(begun.asked, { deleteData });
  if (begun.options.dryRun) return looking(begun, (running) => takeAway(begun, running, deleteData));
  const confirmed = !deleteData || (await isConfirmed(begun));
  if (confirmed === undefined) return interrupted(begun);
  if (!confirmed) return refuse(begun, unconfirmed);
  return changing(begun, (running) => takeAway(begun, running, deleteData));
}

async function takeAway(begun: Begun, running: Running, deleteData: boolean): Promise<ExitCode> {
  let first: Facts | undefined;
  let latest: Facts | undefined;
  const program: Program<Facts, UninstallAction> = {
    observe: async (on, before) => {
      const seen = await observe(begun.asked, on, before);
      // Of a release that was not seen yet nothing tells the name, nor where its data lies.
      const isBlind = first === undefined || first.release.records.state === "unknown";
      if (first === undefined || (isBlind && runningNode(seen.cluster) !== undefined)) {
        first = deleteData ? await withUsers(seen, begun, on) : seen;
      }
      const needsHelm = planUninstall(seen, begun.asked, { deleteData }, [], first).actions.some(
        (action) => action.do === "release.remove",
      );
      latest = needsHelm ? { ...seen, tools: await observeTools(["helm"], on, seen.tools) } : seen;
      return latest;
    },
    plan: (facts, done) => planUninstall(facts, begun.asked, { deleteData }, done, first),
    performers: performers(begun, () => latest as Facts),
  };
  const ended = await run(program, running.on, running.journal, { ...begun.options, command: begun.command });
  const outcome = outcomeOf(ended, begun.options.strict, running.interrupted());
  const isGone =
    outcome.exit === exitCodes.done &&
    ended.done.some(({ action }) => action.do === "release.remove" || action.do === "cluster.delete");
  if (isGone) forgetValues(begun, first ?? ended.facts);
  if (!begun.options.dryRun) forgetStranger(begun, ended.facts);
  return finish(begun, running, {
    outcome,
    ended,
    first: first ?? ended.facts,
    says: (action) => program.performers[action.do].says(action as never),
  });
}

function performers(begun: Begun, facts: () => Facts): Performers<UninstallAction> {
  const { asked, state } = begun;
  const access = () => {
    const opened = openAccess(state, asked.wishes.cluster.value);
    if (opened === undefined) throw new Error("the kubeconfig that was stored is gone");
    return { helm: toolPath(facts().tools, "helm") ?? "helm", ...opened };
  };
  return {
    ...toolPerformers,
    ...clusterPerformers(() => toolPath(facts().tools, "k3d") ?? "k3d"),
    "release.remove": removePerformer({ api: () => access().api, access }),
    "storage.delete": deletePerformer,
  };
}

/** The values that Helm was given hold the client's password, and nothing needs them any more. */
function forgetValues({ state, asked }: Begun, facts: Facts): void {
  rmSync(state.values(asked.wishes.cluster.value, releaseName(facts, asked)), { force: true });
}

/** The keys to a cluster that is not ours were for its client alone. */
function forgetStranger({ state, asked }: Begun, facts: Facts): void {
  const node = runningNode(facts.cluster);
  const isLeft = facts.release.records.state === "known" && !holdsClient(facts, asked);
  if (node !== undefined && isLeft && !isOurs(facts.cluster, node)) {
    rmSync(state.kubeconfig(asked.wishes.cluster.value), { force: true });
  }
}

/** Who else works with the data that is to go: asked before anything is taken away, and not when half of it is gone. */
async function withUsers(seen: Facts, { asked }: Begun, on: Machine): Promise<Facts> {
  const holders = holdersOf(storageGround(seen, asked).place.hostDirs);
  return { ...seen, users: await observeUsers(holders, asked.wishes.cluster.value, on) };
}

/** Undefined where the person gave up. */
async function isConfirmed({ options, asked }: Begun): Promise<boolean | undefined> {
  if (options.yes) return true;
  if (options.json || !canAsk()) return false;
  const name = asked.wishes.namespace.value;
  const typed = await askLine(
    `  This deletes datasets, logs and the database of ${name}. Type its name to go on: `,
    false,
    new AbortController().signal,
  );
  return typed === undefined ? undefined : typed === name;
}

const unconfirmed: Finding = {
  reason: "CONFIRMATION_MISSING",
  room: "run",
  says: "deleting data was not confirmed: the name of the release was not typed",
  remedies: [
    { says: "type it when asked, or confirm it beforehand", command: "tracebloc uninstall --delete-data --yes" },
  ],
};
