import { dirname, join } from "node:path";

import type { Wishes } from "../config/wishes.ts";
import { Failure, type Finding } from "../engine/finding.ts";
import { within, type Machine } from "../engine/machine.ts";
import { succeeded, type RunResult } from "../process/runner.ts";
import { bundledChartFolder } from "../release/chart.ts";
import { helmFailure, helmTemplate } from "../release/helm.ts";
import { generateValues, layerValues, type ClusterShape, type Values } from "../release/values.ts";
import { wantedValues } from "../release/wanted.ts";
import { toolPath } from "../tools/facts.ts";
import { observeTools } from "../tools/observe.ts";
import { ownTool } from "../tools/plan.ts";
import type { readManifests } from "./manifests.ts";
import type { Question } from "./question.ts";

/** Rendering asks no cluster and takes a fraction of a second. */
const limitMs = 60_000;

/** No image depends on who the client is, and the chart refuses to be rendered without. */
const anybody = { clientId: "00000000-0000-4000-8000-000000000000", clientPassword: "not-used" };

/** The chart that submits a dataset asks for one. */
const anyDataset = "apiVersion: tracebloc.io/v1\nkind: IngestConfig\n";

/** The settings, and the operator's own values file, read. */
export type Asked = { wishes: Wishes; file: Values };

/** The objects of both charts that say anything of images. */
type Rendered = { client: readonly unknown[]; ingestor: readonly unknown[] };

/**
 * Renders both charts side by side with the values of a new release, and asks no cluster. With a mirror without
 * `global.imageRegistry`: what is to be copied is what is at its source. Throws `Failure` with Helm's complaint.
 */
export async function renderCharts({ wishes, file }: Asked, question: Question, on: Machine): Promise<Rendered> {
  // Loaded, and warm from the smaller chart, while Helm is at work.
  const reading = import("./manifests.ts");
  const values = layerValues(anybody, question.ownCluster ? givenValues(wishes, file) : newValues(wishes, file));
  const folder = bundledChartFolder();
  const args = [...question.helmArgs, ...(question.mirror === undefined ? [] : ["--set-string=global.imageRegistry="])];
  const name = wishes.namespace.value;
  const charts = [
    { chart: wishes.chart.value ?? folder, values },
    { chart: join(dirname(folder), "ingestor"), values: { ...values, ingestConfig: anyDataset } },
  ];
  const renderWith = (helm: string) =>
    Promise.all(
      charts.map(async (one) => {
        const release = { name, namespace: name, chart: one.chart, values: JSON.stringify(one.values), args };
        const result = await on.runner.run(helmTemplate(helm, release, within(on, limitMs), on));
        if (!succeeded(result) || result.truncated || result.raw === undefined) return { result };
        const { readManifests } = await reading;
        return { result, seen: readManifests(result.raw) };
      }),
    );
  // Asked for its version only when it fails: that costs a third of the time that rendering takes.
  const first = await renderWith("helm");
  if (first.every(({ seen }) => seen !== undefined)) return objectsOf(first);
  const { helm, skipped } = await lookForHelm(on);
  if (helm === undefined) throw new Failure(noHelm(skipped));
  const printed = helm === "helm" ? first : await renderWith(helm);
  const failed = printed.find(({ seen }) => seen === undefined);
  if (failed !== undefined) throw new Failure(complaint(failed.result, name));
  return objectsOf(printed);
}

/** What `install` makes a new release from. */
function newValues(wishes: Wishes, file: Values): Values {
  return wantedValues(undefined, { wishes, file, force: false, shape: shapeOf(wishes) });
}

/** What somebody gives to Helm who has a cluster: storage and nodes are what their values say. */
function givenValues(wishes: Wishes, file: Values): Values {
  return layerValues(file, generateValues(wishes, shapeOf(wishes), false));
}

function shapeOf({ storageMode, datasetDir }: Wishes): ClusterShape {
  const datasetPath = datasetDir.value === undefined ? undefined : "/tracebloc-data";
  return { storageMode: storageMode.value, datasetPath };
}

function objectsOf(printed: readonly { seen?: ReturnType<typeof readManifests> }[]): Rendered {
  const [client = [], ingestor = []] = printed.map(({ seen }) => {
    if (seen === undefined || "why" in seen) throw new Failure(untold(seen?.why ?? "the charts were not rendered"));
    return seen.objects;
  });
  return { client, ingestor };
}

async function lookForHelm(on: Machine): Promise<{ helm: string | undefined; skipped: readonly string[] }> {
  const facts = await observeTools(["helm"], { ...on, emit: () => {} });
  const skipped = facts.helm.state === "known" ? facts.helm.value.skipped : [facts.helm.why];
  return { helm: toolPath(facts, "helm"), skipped };
}

function noHelm(skipped: readonly string[]): Finding {
  return {
    reason: skipped.length === 0 ? "TOOL_MISSING" : "TOOL_UNUSABLE",
    room: "tools",
    says: skipped.length === 0 ? "helm is not on PATH, and renders the chart" : skipped.join("; "),
    remedies: [
      { says: ownTool("helm").says.replace(/^or /, "") },
      { says: "or let a whole installation fetch it for itself", command: "tracebloc install" },
    ],
  };
}

/** A chart that will not be rendered is what it was given: no cluster was asked. */
function complaint(failed: RunResult, name: string): Finding {
  if (succeeded(failed)) return untold("the charts render to more than can be read");
  const { says, details = [] } = helmFailure(failed, { name, namespace: name });
  const isRefusal = failed.outcome === "exited";
  const change = { says: "see what is asked for; what follows -- counts as well" };
  return {
    reason: isRefusal ? "CHART_INVALID" : "HELM_FAILED",
    room: "release",
    says,
    remedies: isRefusal ? [{ ...change, command: "tracebloc config show" }] : [{ says: "run the same command again" }],
    details,
  };
}

/** A list that would not be whole, or could not be told to be. */
export function untold(says: string, ...remedies: Finding["remedies"]): Finding {
  const report = { says: "name the chart that belongs to this version, or leave --chart out" };
  return { reason: "IMAGES_UNKNOWN", room: "release", says, remedies: remedies.length > 0 ? remedies : [report] };
}
