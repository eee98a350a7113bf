import { nodeName } from "./cluster/node.ts";
import type { Wish } from "./config/wishes.ts";
import type { Action, Done } from "./engine/plan.ts";
import { releaseName, releaseWishes, standingNode, storageGround, type Asked, type Facts } from "./install.ts";
import { commandLine } from "./platform/shell.ts";
import { targetOf } from "./release/plan.ts";
import { readWorkloads } from "./release/workloads.ts";
import { hostFoldersOf, type Volume } from "./storage/layout.ts";
import { resultsOf } from "./storage/plan.ts";
import type { Result } from "./ui/result.ts";

/** The part of a result that tells what was seen: cluster, release, workloads, directories. Pure. */
export function seenIn(
  facts: Facts,
  asked: Asked,
  done: readonly Done<Action>[],
): Pick<Result, "cluster" | "release" | "workloads" | "storage"> {
  const { cluster } = facts.cluster;
  const target = targetOf(facts.release, releaseWishes(facts, asked));
  const record = target !== undefined && "record" in target ? target.record : undefined;
  const name = facts.cluster.name;
  return {
    cluster: { name, node: nodeName(name), state: cluster.state === "known" ? cluster.value.is : "unknown" },
    ...(record !== undefined && {
      release: {
        name: record.name,
        namespace: record.namespace,
        revision: record.revision,
        status: record.status,
        chart: "chart" in record.content ? `${record.content.chart}-${record.content.chartVersion}` : "",
      },
    }),
    ...(record !== undefined &&
      facts.release.deployments.state === "known" && {
        workloads: readWorkloads(facts.release.deployments.value, record.name, record.namespace),
      }),
    storage: resultsOf(storageGround(facts, asked), done),
  };
}

/** The folders of this machine behind the release's volumes; undefined where the cluster keeps them. */
export function foldersOf(facts: Facts, asked: Asked): Record<Volume, string> | undefined {
  const { mode, place } = storageGround(facts, asked);
  return mode === "node-local" ? undefined : hostFoldersOf(releaseName(facts, asked), place.hostDirs);
}

/** Folders of this machine that keep what a release wrote after it is gone: datasets, logs and the database. */
export function keptFolders(facts: Facts, asked: Asked): string[] {
  const { mode, release, place } = storageGround(facts, asked);
  if (mode === "node-local") return [];
  const { dataDir, datasetDir } = place.hostDirs;
  const holders = [...(datasetDir === undefined ? [] : [datasetDir]), dataDir];
  // A cluster that was down does not tell what its release is called.
  const isNamed = facts.release.records.state === "known";
  return isNamed ? holders.map((holder) => place.platform.path.join(holder, release)) : holders;
}

/**
 * What deletes that data later, to be pasted: by then no cluster tells where it lies, and the wishes of that run may be
 * others. What this run was told by flag has to be said again.
 */
export function deletionOf(facts: Facts, asked: Asked): string {
  const { release, place } = storageGround(facts, asked);
  const { dataDir, datasetDir, namespace } = asked.wishes;
  const flag = (name: string, value: string | undefined, wish: Wish<string | undefined>) =>
    value === undefined || (value === wish.value && wish.origin.from !== "flag") ? [] : [name, value];
  return commandLine(
    place.platform,
    "tracebloc",
    "uninstall",
    "--delete-data",
    ...flag("--data-dir", place.hostDirs.dataDir, dataDir),
    ...flag("--dataset-dir", place.hostDirs.datasetDir, datasetDir),
    ...flag("--namespace", release, namespace),
  );
}

/** True where a cluster keeps the data itself, and so has to stay for it. */
export function keepsData(facts: Facts, asked: Asked): boolean {
  return standingNode(facts.cluster) !== undefined && foldersOf(facts, asked) === undefined;
}

/** True where a client was there: what a run does to it are repairs. */
export function holdsClient(facts: Facts, asked: Asked): boolean {
  const target = targetOf(facts.release, releaseWishes(facts, asked));
  return target !== undefined && "record" in target && target.record !== undefined;
}
