import { unknown, known } from "../engine/fact.ts";
import { Failure } from "../engine/finding.ts";
import { within, type Machine } from "../engine/machine.ts";
import { nothing, type Action, type Done, type Performer, type Planned } from "../engine/plan.ts";
import { succeeded } from "../process/runner.ts";
import type { ReleaseRoads } from "./actions.ts";
import { helmFailure, helmUninstall } from "./helm.ts";
import type { Target } from "./identity.ts";
import { readRecords } from "./observe.ts";
import { cannotTell, type ReleaseFacts } from "./plan.ts";

/** Takes a release away. What its chart keeps (the claims and volumes of its data) stays. */
export type RemoveRelease = { do: "release.remove"; because: string; release: string; namespace: string };

const removeLimitMs = 300_000;

/** What removing the release needs. Pure; nothing where there is none. */
export function planRemoveRelease(
  facts: ReleaseFacts,
  target: Target | undefined,
  name: string,
  done: readonly Done<Action>[],
): Planned<RemoveRelease> {
  if (facts.records.state === "unknown") return { ...nothing, refusals: [cannotTell(facts.records.why)] };
  if (target?.record === undefined || done.some(({ action }) => action.do === "release.remove")) return nothing;
  return {
    ...nothing,
    actions: [
      {
        do: "release.remove",
        because: `release ${name} is installed`,
        release: target.name,
        namespace: target.namespace,
      },
    ],
  };
}

/** `helm uninstall`, proven by its record: Helm has kept none, or says `uninstalled`. Throws `Failure` with what Helm's complaint means. */
export function removePerformer(roads: Pick<ReleaseRoads, "api" | "access">): Performer<RemoveRelease> {
  return {
    room: "release",
    reveals: ["release"],
    says: ({ release }) => `removing release ${release}`,
    perform: async ({ release, namespace }, on) => {
      const result = await on.runner.run(
        helmUninstall(roads.access(), { name: release, namespace }, within(on, removeLimitMs)),
      );
      if (!succeeded(result)) throw new Failure(helmFailure(result, { name: release, namespace }));
    },
    prove: async ({ release, namespace }, on: Machine) => {
      const records = await readRecords(roads.api(), on);
      if (records.state === "unknown") return unknown(records.why, records.seen.how, records.seen.ms);
      const there = records.value.some(
        (record) => record.name === release && record.namespace === namespace && record.status !== "uninstalled",
      );
      return known(
        { holds: !there, says: `release ${release} is ${there ? "still there" : "gone"}` },
        records.seen.how,
        records.seen.ms,
      );
    },
  };
}
