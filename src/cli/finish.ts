import type { Outcome } from "../engine/outcome.ts";
import type { Action } from "../engine/plan.ts";
import type { Finding } from "../engine/finding.ts";
import { exitCodes, isHint, type ExitCode } from "../engine/reasons.ts";
import type { Ended } from "../engine/run.ts";
import type { Facts } from "../install.ts";
import { deletionOf, foldersOf, holdsClient, keepsData, keptFolders, seenIn } from "../report.ts";
import { toolPath } from "../tools/facts.ts";
import { closingLines } from "../ui/closing.ts";
import type { Result } from "../ui/result.ts";
import type { Begun } from "./begin.ts";
import type { Running } from "./running.ts";

export type Finished<A extends Action> = {
  outcome: Outcome;
  ended: Ended<Facts, A>;
  /** What was seen before anything was done. */
  first: Facts;
  says: (action: A) => string;
};

/** Tells how a run ended: to a person in a few lines, to a program as the result. Gives the exit code. */
export function finish<A extends Action>(
  begun: Begun,
  { journal }: Running,
  { outcome, ended, first, says }: Finished<A>,
): ExitCode {
  const { asked, screen, options, command } = begun;
  begun.helm.command = toolPath(ended.facts.tools, "helm");
  const isPlan = outcome.state === "planned";
  const done = ended.done.map(({ action }) => action);
  const actions = (isPlan ? ended.planned.actions : done).map((action) => ({
    do: action.do,
    because: action.because,
    says: says(action),
  }));
  const spelled = {
    ...outcome,
    failures: outcome.failures.map(screen.spelled),
    warnings: outcome.warnings.map(screen.spelled),
  };
  const ms = performance.now() - begun.startedAt;
  const then = isPlan ? ended.planned.then : [];
  const log = journal.file();

  // A plan is what was asked for; the end of a run is told like the rest of it.
  const paper = isPlan ? screen.answer : screen;
  paper.lines(
    closingLines(
      {
        command,
        outcome: spelled,
        actions,
        then,
        // A cluster that was down showed no client at first.
        wasInstalled: holdsClient(first, asked) || !done.some((action) => "isNew" in action && action.isNew === true),
        datasets: foldersOf(ended.facts, asked)?.data,
        kept: keptFolders(first, asked),
        inCluster: keepsData(ended.facts, asked),
        deletion: screen.spelledCommand(deletionOf(first, asked)),
        log,
        state: begun.state.root,
        spelled: screen.spelledCommand,
        otherOnPath: begun.here.invocation().otherOnPath,
        quiet: options.quiet,
        ms,
      },
      paper.style,
    ),
  );
  screen.result({
    type: "result",
    command,
    ok: outcome.exit === 0,
    exit: outcome.exit,
    state: command === "uninstall" && outcome.state === "healthy" && !options.dryRun ? "removed" : outcome.state,
    failures: spelled.failures,
    warnings: [...begun.warnings, ...spelled.warnings],
    actions: actions.map(({ do: kind, because }) => ({ do: kind, because })),
    then,
    ...seenIn(ended.facts, asked, ended.done),
    ...(log !== undefined && { log }),
    seconds: Math.round(ms) / 1000,
  });
  return outcome.exit;
}

/** What a look came to, for a program: nothing was done, and what speaks against exit 0 is why it failed. Gives the exit code. */
export function finishLook(
  { asked, screen, command, warnings, startedAt }: Begun,
  facts: Facts,
  { exit, state, findings }: { exit: ExitCode; state: Result["state"]; findings: readonly Finding[] },
): ExitCode {
  const spelled = findings.map(screen.spelled);
  const failures = exit === exitCodes.done ? [] : spelled.filter(({ reason }) => !isHint(reason));
  screen.result({
    type: "result",
    command,
    ok: exit === exitCodes.done,
    exit,
    state,
    failures,
    warnings: [...warnings, ...spelled.filter((finding) => !failures.includes(finding))],
    actions: [],
    then: [],
    ...seenIn(facts, asked, []),
    seconds: Math.round(performance.now() - startedAt) / 1000,
  });
  return exit;
}
