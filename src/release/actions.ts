import type { Api, ChangingApi } from "../cluster/api.ts";
import { known, unknown, type Fact } from "../engine/fact.ts";
import { Failure } from "../engine/finding.ts";
import { within, type Machine } from "../engine/machine.ts";
import type { Performers, Proof } from "../engine/plan.ts";
import { writeAtomically } from "../files/atomic.ts";
import { succeeded } from "../process/runner.ts";
import { bundledChartFolder } from "./chart.ts";
import { verifyCredentials } from "./credentials.ts";
import { helmApply, helmFailure, takeOverCommand, type HelmAccess } from "./helm.ts";
import type { ReleaseRecord } from "./helm-records.ts";
import { readRecords } from "./observe.ts";
import { awaitMetrics } from "./metrics.ts";
import { cannotTell, chartOf, type ReleaseAction } from "./plan.ts";
import { awaitWorkloads } from "./readiness.ts";
import { keepsInNode, wishesLabel } from "./values.ts";
import { freeVolumes } from "./volumes.ts";
import { wantedValues, type ReleaseWishes } from "./wanted.ts";
import { workloadNames } from "./workloads.ts";

/** Helm itself does not wait for workloads here; this is for its calls to the API. */
const applyLimitMs = 600_000;

/** The roads to the cluster, as they are when an action is performed: the cluster may have been made a moment ago. */
export type ReleaseRoads = {
  cluster: string;
  asked: () => ReleaseWishes;
  api: () => ChangingApi;
  access: () => HelmAccess;
};

/** How the actions of a release are done and proven. */
export function releasePerformers(roads: ReleaseRoads): Performers<ReleaseAction> {
  let signedIn: Fact<Proof> = unknown("not asked", "sign-in");
  return {
    "release.credentials": {
      room: "release",
      reveals: [],
      says: ({ backend }) => `asking ${new URL(backend).host} whether it knows the client`,
      perform: async (_, on) => {
        signedIn = await verifyCredentials(roads.asked().wishes, on);
      },
      prove: async () => signedIn,
    },
    "release.apply": {
      room: "release",
      reveals: ["release"],
      says: ({ release, isNew }) =>
        isNew ? `installing ${release}, chart ${chartOf(roads.asked())}` : `upgrading ${release}`,
      perform: async (action, on) => apply(action, roads, on),
      prove: async (action, on) => proveApplied(action, roads, on),
    },
    "release.await": {
      room: "release",
      reveals: ["release"],
      says: ({ release }) => `waiting for the workloads of ${release}`,
      perform: async () => {},
      prove: async ({ release, namespace }, on) => {
        const start = on.now();
        const warnings = await awaitWorkloads({ release, namespace }, roads.api(), on);
        const ready = `${workloadNames(release).join(", ")} ready`;
        const says = warnings.length === 0 ? ready : warnings.map((finding) => finding.says).join("; ");
        return known({ holds: warnings.length === 0, says, warnings }, "the workloads' Pods", on.now() - start);
      },
    },
  };
}

/** Writes the values where only we can read them, and lets Helm make the release. Throws `Failure` with what Helm's complaint means. */
async function apply(
  { release, namespace, wishes }: Extract<ReleaseAction, { do: "release.apply" }>,
  roads: ReleaseRoads,
  on: Machine,
): Promise<void> {
  const asked = roads.asked();
  const values = on.state.values(roads.cluster, release);
  const record = await recordOf(release, namespace, roads.api(), on);
  if (record.state === "unknown") {
    throw new Failure(cannotTell(record.why));
  }
  const wanted = wantedValues(record.value, asked);
  // JSON, which is YAML too: Helm reads YAML 1.1, where a password such as `on` or `1_000` is no text.
  writeAtomically(values, JSON.stringify(wanted, null, 2), 0o600);
  await awaitMetrics(wanted, roads.api(), on);
  for (const volume of keepsInNode(wanted) ? await freeVolumes(release, namespace, roads.api(), on) : []) {
    on.emit({ type: "note", room: "release", says: `${volume} was left by a claim that is gone; it is free again` });
  }

  const chart = asked.wishes.chart.value ?? bundledChartFolder();
  const labels = { [wishesLabel]: wishes };
  const upgrade = { name: release, namespace, chart, values, labels };
  const result = await on.runner.run(helmApply(roads.access(), upgrade, within(on, applyLimitMs)));
  if (!succeeded(result)) throw new Failure(helmFailure(result, upgrade, takeOverCommand(on.platform, upgrade)));
}

/** Looks at the record that Helm left: deployed, and carrying the wishes that were meant. */
async function proveApplied(
  { release, namespace, wishes }: Extract<ReleaseAction, { do: "release.apply" }>,
  roads: ReleaseRoads,
  on: Machine,
): Promise<Fact<Proof>> {
  const record = await recordOf(release, namespace, roads.api(), on);
  if (record.state === "unknown") return record;
  if (record.value === undefined) return unknown(`Helm left no record of ${release}`, "Helm's release records");
  const { revision, status, labels, content } = record.value;
  const chart = "chart" in content ? `, chart ${content.chart} ${content.chartVersion}` : "";
  const holds = status === "deployed" && labels[wishesLabel] === wishes;
  return known(
    { holds, says: `${release}${chart}, revision ${revision}${holds ? "" : ` is ${status}`}` },
    "Helm's release records",
    record.seen.ms,
  );
}

async function recordOf(
  release: string,
  namespace: string,
  api: Api,
  on: Machine,
): Promise<Fact<ReleaseRecord | undefined>> {
  const records = await readRecords(api, on);
  if (records.state === "unknown") return records;
  return { ...records, value: records.value.find(({ name, namespace: at }) => name === release && at === namespace) };
}
