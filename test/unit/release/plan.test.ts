import { describe, expect, test } from "vitest";

import type { Wishes } from "../../../src/config/wishes.ts";
import { known, notYet } from "../../../src/engine/fact.ts";
import type { Action, Done } from "../../../src/engine/plan.ts";
import { bundledChart } from "../../../src/release/chart.ts";
import type { ReleaseRecord } from "../../../src/release/helm-records.ts";
import { planRelease, type ReleaseFacts } from "../../../src/release/plan.ts";
import { wantedValues, type ReleaseWishes } from "../../../src/release/wanted.ts";
import { hashWishes, wishesLabel } from "../../../src/release/values.ts";
import type { Deployment } from "../../../src/release/workloads.ts";
import { asking, defaults } from "../cluster/stand-in.ts";

const signedIn = { clientId: "client-1", clientPassword: "s3cret" };

function wanting(wishes: Wishes = asking(signedIn), more: Partial<ReleaseWishes> = {}): ReleaseWishes {
  return { wishes, file: {}, force: false, shape: { storageMode: "hostpath", datasetPath: undefined }, ...more };
}

function record(more: Partial<ReleaseRecord> = {}): ReleaseRecord {
  const values = wantedValues(undefined, wanting());
  return {
    name: "tracebloc",
    namespace: "tracebloc",
    revision: 3,
    status: "deployed",
    labels: { [wishesLabel]: hashWishes(values) },
    secret: "sh.helm.release.v1.tracebloc.v3",
    lastDeployed: Date.parse("2026-11-30T10:00:00Z"),
    content: { chart: "client", chartVersion: bundledChart.version, values },
    ...more,
  };
}

const workloads = ["mysql-client", "tracebloc-jobs-manager", "tracebloc-requests-proxy"];

function deployment(name: string, ready = 1, replicas = 1): Deployment {
  return {
    metadata: { name, namespace: "tracebloc", generation: 1 },
    spec: { replicas },
    status: {
      observedGeneration: 1,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: ready,
      availableReplicas: ready,
    },
  };
}

function seeing(records: readonly ReleaseRecord[], more: Partial<ReleaseFacts> = {}): ReleaseFacts {
  return {
    records: known(records, ""),
    deployments: known(
      workloads.map((name) => deployment(name)),
      "",
    ),
    ...more,
  };
}

/** All ready but the last, which is as given or not there. */
function late(last?: Deployment): Partial<ReleaseFacts> {
  const others = workloads.slice(0, 2).map((name) => deployment(name));
  return { deployments: known(last === undefined ? others : [...others, last], "") };
}

function gist(facts: ReleaseFacts, wants: ReleaseWishes, done: readonly Done<Action>[] = []): string[] {
  const { actions, refusals, warnings } = planRelease(facts, wants, done);
  return [
    ...actions.map((action) => action.do),
    ...refusals.map(({ reason }) => `refused: ${reason}`),
    ...warnings.map(({ reason }) => `told: ${reason}`),
  ];
}

const did = (kind: string, warnings = []): Done<Action> => ({
  action: { do: kind, because: "" },
  proof: known({ holds: true, says: "", warnings }, ""),
});

const nobody = wanting(defaults);
const again = wanting(asking({ ...signedIn, clientPassword: "another" }));
const older = { content: { chart: "client", chartVersion: "1.4.0", values: { clientId: "client-1" } }, labels: {} };

const elsewhere = wanting(asking({ ...signedIn, namespace: "research" }));
const otherChart = wanting(asking({ ...signedIn, chart: "/charts/client" }));

const login = (registryPassword: string) => wanting(asking({ ...signedIn, registryUsername: "ada", registryPassword }));
function withLogin(password: string): ReleaseRecord {
  const values = wantedValues(undefined, login(password));
  const content = { chart: "client", chartVersion: bundledChart.version, values };
  return record({ labels: { [wishesLabel]: hashWishes(values) }, content });
}

describe("what a release needs", () => {
  test.each<[string, ReleaseFacts, ReleaseWishes, string[]]>([
    ["nothing where all is well, and no credentials for that", seeing([record()]), nobody, []],
    ["a new one signs in first", seeing([]), wanting(), ["release.credentials", "release.apply"]],
    ["a new one needs credentials", seeing([]), nobody, ["release.apply", "refused: CREDENTIALS_MISSING"]],
    ["a failed one is applied again", seeing([record({ status: "failed" })]), nobody, ["release.apply"]],
    ["so is one whose newest record is gone", seeing([record({ status: "superseded" })]), nobody, ["release.apply"]],
    ["other wishes are applied", seeing([record()]), wanting(undefined, { file: { a: 1 } }), ["release.apply"]],
    ["another password signs in first", seeing([record()]), again, ["release.credentials", "release.apply"]],
    ["another password of the registry is applied", seeing([withLogin("one")]), login("two"), ["release.apply"]],
    ["the same one is not", seeing([withLogin("one")]), login("one"), []],
    [
      "with --force credentials that are given are asked about again: they may have been taken unverified",
      seeing([record()]),
      wanting(undefined, { force: true }),
      ["release.credentials", "release.apply"],
    ],
    ["what is asked for by name and is elsewhere is told", seeing([record()]), elsewhere, ["told: CONFIG_IGNORED"]],
    ["so is a chart for a release that has one", seeing([record()]), otherChart, ["told: CONFIG_IGNORED"]],
    [
      "which with --force gets it",
      seeing([record()]),
      { ...otherChart, force: true },
      ["release.credentials", "release.apply"],
    ],
    ["with --force none are needed", seeing([record()]), wanting(defaults, { force: true }), ["release.apply"]],
    [
      "what its volumes keep for life is refused before Helm starts",
      seeing([record()]),
      wanting(defaults, { file: { hostPath: { datasetPath: "/elsewhere" } } }),
      ["refused: RELEASE_FIXED"],
    ],
    ["an adopted or older chart stays, with a hint", seeing([record(older)]), nobody, ["told: CHART_OLDER"]],
    ["a pending one is refused", seeing([record({ status: "pending-upgrade" })]), nobody, ["refused: RELEASE_PENDING"]],
    [
      "so is one that is being removed",
      seeing([record({ status: "uninstalling" })]),
      nobody,
      ["refused: RELEASE_PENDING"],
    ],
    ["unknown records are refused", seeing([], { records: notYet("") }), wanting(), ["refused: RELEASE_UNKNOWN"]],
    ["so are unknown workloads", seeing([record()], { deployments: notYet("") }), nobody, ["refused: RELEASE_UNKNOWN"]],
    [
      "a workload that is coming is waited for",
      seeing([record()], late(deployment("tracebloc-requests-proxy", 0))),
      nobody,
      ["release.await"],
    ],
    [
      "one that was scaled to 0 is told: no wait would end",
      seeing([record()], late(deployment("tracebloc-requests-proxy", 0, 0))),
      nobody,
      ["told: WORKLOAD_NOT_READY"],
    ],
    ["so is one that is missing", seeing([record()], late()), nobody, ["told: WORKLOAD_NOT_READY"]],
  ])("%s", (_, facts, wants, expected) => {
    expect(gist(facts, wants)).toEqual(expected);
  });

  test("Helm is not called twice in a run, nor anything waited for twice", () => {
    const facts = seeing([record({ status: "failed" })], late(deployment("tracebloc-requests-proxy", 0)));
    expect(gist(facts, nobody, [did("release.apply")])).toEqual(["release.await"]);
    expect(gist(facts, nobody, [did("release.apply"), did("release.await")])).toEqual(["told: WORKLOAD_NOT_READY"]);
  });

  test.each([
    [
      "stopped",
      late(deployment("tracebloc-requests-proxy", 0, 0)),
      /^kubectl scale deployment\/tracebloc-requests-proxy /,
    ],
    ["missing", late(), /^tracebloc install --force$/],
  ])("what mends a workload that is %s is not the same command again", (_, more, command) => {
    const { warnings } = planRelease(seeing([record()], more), nobody, []);
    expect(warnings[0]?.remedies[0]?.command).toMatch(command);
  });
});
