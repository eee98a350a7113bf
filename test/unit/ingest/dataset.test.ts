import fc from "fast-check";
import { expect, test } from "vitest";

import { withoutRemedy } from "../../flow/remedies.ts";
import { datasetOf } from "../../../src/ingest/dataset.ts";
import type { IngestConfig } from "../../../src/ingest/schema.ts";

const cats: IngestConfig = {
  apiVersion: "tracebloc.io/v1",
  kind: "IngestConfig",
  category: "object_detection",
  table: "cats_dogs_train",
  intent: "train",
  csv: "/data/shared/cats-dogs/labels.csv",
  images: "/data/shared/cats-dogs/images/",
  annotations: "/data/shared/cats-dogs/more//./boxes",
  label: { column: "label" },
};
const look = (changes: Partial<IngestConfig> = {}) =>
  datasetOf({ ...cats, ...changes }, (path) => `cats.yaml:${path.join(".")}`);

function says(changes: Partial<IngestConfig>): readonly string[] {
  const looked = look(changes);
  const findings = "findings" in looked ? looked.findings : [];
  expect(withoutRemedy(findings)).toEqual([]);
  return findings.map((finding) => finding.says);
}

test("a dataset is the folder that all paths of its config are below", () => {
  expect(look()).toEqual({
    dataset: {
      folder: "cats-dogs",
      parts: [
        { key: "csv", path: "labels.csv", is: "file" },
        { key: "images", path: "images", is: "folder" },
        { key: "annotations", path: "more/boxes", is: "folder" },
      ],
    },
  });
});

test.each<[string, string]>([
  ["/data/shared/../etc/x.csv", "leads out of its folder with .."],
  ["/data/shared/cats-dogs/../x.csv", "leads out of its folder with .."],
  ["labels.csv", "is not below /data/shared"],
  ["data/shared/cats-dogs/labels.csv", "is not below /data/shared"],
  ["/data/shared-2/cats-dogs/labels.csv", "is not below /data/shared"],
  ["/data/shared", "is not below /data/shared"],
  ["/data/shared/labels.csv", "lies in no folder of its own below /data/shared"],
  ["/data/shared/.tracebloc-staging/x/labels.csv", "lies in a hidden folder, which others use"],
])("a path elsewhere is told with its place: %s", (csv, why) => {
  expect(says({ csv })).toEqual([`csv ${csv} (cats.yaml:csv) ${why}`]);
});

test("two folders are one too many", () => {
  expect(says({ images: "/data/shared/dogs/images" })).toEqual([
    "the dataset lies in 2 folders, cats-dogs and dogs, and --stage fills one",
  ]);
});

test("the folder that the ingestion itself fills is not the dataset's", () => {
  const moved = { csv: "/data/shared/t/a", images: "/data/shared/t/i", annotations: "/data/shared/t/b", table: "t" };
  expect(says(moved)).toEqual([
    "table t (cats.yaml:table) is the name of the dataset's folder too, into which the ingestion writes",
  ]);
});

test("no path leads out of the dataset's folder, however it is written", () => {
  const step = fc.constantFrom("data", "shared", "..", ".", "", "a", "b c", "...", "..a", "\\..", "%2e%2e");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const looked = look({ csv: `/data/shared/cats-dogs/${steps.join("/")}` });
      if ("findings" in looked) return;
      for (const { path } of looked.dataset.parts) {
        expect(path.split("/").filter((name) => ["", ".", ".."].includes(name))).toEqual([]);
      }
    }),
  );
});
