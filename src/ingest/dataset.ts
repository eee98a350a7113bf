import type { Finding } from "../engine/finding.ts";
import type { IngestConfig, Path } from "./schema.ts";

/** Where the release's data directory is for the ingestion and for every other pod. */
export const sharedRoot = "/data/shared";

/** A part of a dataset: the key that names it, and where below the dataset's folder it lies. */
export type Part = { key: string; path: string; is: "file" | "folder" };

/** A folder below `sharedRoot` that an IngestConfig reads, and what it expects there. */
export type Dataset = { folder: string; parts: readonly Part[] };

/**
 * The folder that a config reads its dataset from. Staging fills exactly one, by the name that it has for the ingestion;
 * a path that leads anywhere else is told with its place in the file. Pure.
 */
export function datasetOf(
  config: IngestConfig,
  placeOf: (path: Path) => string,
): { dataset: Dataset } | { findings: readonly Finding[] } {
  const looked = named(config).map(({ key, text, is }) => ({ key, is, text, found: below(text) }));
  const findings = looked.flatMap(({ key, text, found }) =>
    "why" in found ? [misplaced(`${key} ${text} (${placeOf([key])}) ${found.why}`)] : [],
  );
  const parts = looked.flatMap(({ key, is, found }) => ("why" in found ? [] : [{ key, is, ...found }]));
  const folders = [...new Set(parts.map(({ folder }) => folder))];
  const [folder = ""] = folders;
  if (findings.length > 0) return { findings };
  if (folders.length > 1) {
    const says = `the dataset lies in ${folders.length} folders, ${folders.join(" and ")}, and --stage fills one`;
    return { findings: [misplaced(says, `put all of it below ${sharedRoot}/${folder}/`)] };
  }
  if (folder === config.table) {
    const says = `table ${config.table} (${placeOf(["table"])}) is the name of the dataset's folder too, into which the ingestion writes`;
    return { findings: [misplaced(says, `call one of them otherwise: ${sharedRoot}/${folder}-files/`)] };
  }
  return { dataset: { folder, parts: parts.map(({ key, path, is }) => ({ key, path, is })) } };
}

function named(config: IngestConfig): readonly { key: string; text: string; is: "file" | "folder" }[] {
  const places = [
    ...(["csv", "json"] as const).map((key) => ({ key, is: "file" as const })),
    ...(["images", "annotations", "masks", "texts", "sequences"] as const).map((key) => ({
      key,
      is: "folder" as const,
    })),
  ];
  return places.flatMap(({ key, is }) => {
    const text = config[key];
    return text === undefined ? [] : [{ key, text, is }];
  });
}

/** The dataset's folder and the way from there, or why a path leads to none. */
function below(text: string): { folder: string; path: string } | { why: string } {
  const steps = text.split("/").filter((step) => step !== "" && step !== ".");
  const root = sharedRoot.split("/").slice(1);
  const isBelow = text.startsWith("/") && root.every((step, index) => steps[index] === step);
  const [folder, ...path] = steps.slice(root.length);
  if (steps.includes("..")) return { why: "leads out of its folder with .." };
  if (!isBelow || folder === undefined) return { why: `is not below ${sharedRoot}` };
  if (path.length === 0) return { why: `lies in no folder of its own below ${sharedRoot}` };
  if (folder.startsWith(".")) return { why: "lies in a hidden folder, which others use" };
  return { folder, path: path.join("/") };
}

function misplaced(says: string, remedy = `allowed: ${sharedRoot}/DATASET/…, one DATASET for all`): Finding {
  return { reason: "DATASET_INVALID", room: "ingest", says, remedies: [{ says: remedy }] };
}
