import { describe, expect, test } from "vitest";

import { withoutRemedy } from "../../flow/remedies.ts";
import { readIngestConfig } from "../../../src/ingest/read-config.ts";

const cats = [
  "apiVersion: tracebloc.io/v1",
  "kind: IngestConfig",
  "category: image_classification",
  "table: cats_dogs_train",
  "intent: train",
  "csv: /data/shared/cats-dogs/labels.csv",
  "images: /data/shared/cats-dogs/images/",
  "label: label",
];

/** The file above with lines replaced, by their key, or added. */
function changed(changes: Readonly<Record<string, string | undefined>>): string {
  const lines = new Map(cats.map((line) => [line.slice(0, line.indexOf(":")), line]));
  for (const [key, line] of Object.entries(changes)) {
    if (line === undefined) lines.delete(key);
    else lines.set(key, line);
  }
  return [...lines.values(), ""].join("\n");
}

/** What a person reads of each thing that is wrong, remedies behind it. */
function wrong(text: string): readonly string[] {
  const read = readIngestConfig(text, "cats.yaml");
  if ("config" in read) throw new Error("nothing is wrong");
  expect(withoutRemedy(read.findings)).toEqual([]);
  return read.findings.map(({ says, remedies }) => [says, ...remedies.map((remedy) => remedy.says)].join(" | "));
}

test("an IngestConfig comes out as data, its label in the long form", () => {
  const read = readIngestConfig(changed({}), "cats.yaml");
  expect("config" in read && [read.config, read.placeOf(["images"])]).toEqual([
    {
      apiVersion: "tracebloc.io/v1",
      kind: "IngestConfig",
      category: "image_classification",
      table: "cats_dogs_train",
      intent: "train",
      csv: "/data/shared/cats-dogs/labels.csv",
      images: "/data/shared/cats-dogs/images/",
      label: { column: "label" },
    },
    "cats.yaml:7",
  ]);
});

describe("what is wrong names file, line and key, and what is allowed:", () => {
  const folder = "the path of a folder as the ingestion sees it: /data/shared/cats-dogs";
  const labelForms = "the name of a column, or {column: NAME, policy: passthrough or bucket}";
  const decision = "{column: NAME, policy: bucket}, or passthrough for a number that may leave the cluster as it is";
  const regression = { category: "category: tabular_regression", schema: "schema: {age: INT}" };

  test.each<[string, Readonly<Record<string, string | undefined>>, string]>([
    [
      "a version",
      { apiVersion: "apiVersion: v1" },
      'apiVersion "v1" (cats.yaml:1) is not what it has to be | allowed: tracebloc.io/v1',
    ],
    [
      "a choice",
      { intent: "intent: tran" },
      'intent "tran" (cats.yaml:5) is not one of the choices | did you mean train? | allowed: train, test',
    ],
    [
      "another case",
      { intent: "intent: Test" },
      'intent "Test" (cats.yaml:5) is not one of the choices | did you mean test? | allowed: train, test',
    ],
    [
      "a table",
      { table: "table: cats-dogs" },
      'table "cats-dogs" (cats.yaml:4) will not do | allowed: letters, digits and underscores, at most 63, and no digit in front',
    ],
    ["a misspelt key", { images: "image: /x" }, 'image "/x" (cats.yaml:7) is no key here | did you mean images?'],
    [
      "another word for a key",
      { category: "task: image_classification" },
      'task "image_classification" (cats.yaml:3) is no key here | did you mean category?',
    ],
    [
      "a key in the wrong place",
      { delimiter: "delimiter: ;" },
      'delimiter ";" (cats.yaml:9) is no key here | did you mean spec.csv_options.delimiter?',
    ],
    [
      "a missing folder",
      { images: undefined },
      `images (cats.yaml:3) is missing: image_classification needs it | allowed: ${folder}/images/`,
    ],
    [
      "a missing source",
      { csv: undefined },
      "csv (cats.yaml:1) is missing, and so is json: one of them says where the rows are | allowed: the path of a file as the ingestion sees it: /data/shared/cats-dogs/labels.csv",
    ],
    ["two sources", { json: "json: x" }, 'json "x" (cats.yaml:9) stands beside csv | take one of the two out'],
    ["nothing", { label: "label:" }, `label (cats.yaml:8) has no value | allowed: ${labelForms}`],
    ["an empty text", { label: 'label: ""' }, "label.column (cats.yaml:8) is empty | allowed: the name of a column"],
    [
      "a yes",
      { label: "label: yes" },
      `label true (cats.yaml:8) is read as true, not as a text: put it in quotes | allowed: ${labelForms}`,
    ],
    [
      "a date",
      { table: "table: 2024-01-01" },
      "table (cats.yaml:4) is read as a date, not as a text: put it in quotes | allowed: letters, digits and underscores, at most 63, and no digit in front",
    ],
    [
      "a policy",
      { label: "label: {column: a, policy: buckets}" },
      'label.policy "buckets" (cats.yaml:8) is not one of the choices | did you mean bucket? | allowed: passthrough, bucket',
    ],
    [
      "a size",
      { target_size: "target_size: [64]" },
      "target_size (cats.yaml:9) will not do | allowed: [width, height], two whole numbers of at least 1",
    ],
    [
      "a part of a size",
      { target_size: "target_size: [64, 0]" },
      "target_size[1] 0 (cats.yaml:9) will not do | allowed: [width, height], two whole numbers of at least 1",
    ],
    [
      "a column to identify by",
      { data_id: "data_id:\n  strategy: column" },
      "data_id.column (cats.yaml:10) is missing: the strategy is column | allowed: the name of a column",
    ],
    [
      "a list that is none",
      { spec: "spec:\n  sidecars: a.csv" },
      'spec.sidecars "a.csv" (cats.yaml:10) is a text | allowed: a list of {column, source}, with dest, transform and validators where wanted',
    ],
    [
      "an entry of a list",
      { spec: "spec:\n  sidecars:\n    - column: a" },
      "spec.sidecars[0].source (cats.yaml:11) is missing | allowed: a text that is not empty",
    ],
    [
      "a label where there is none",
      { category: "category: seq2seq", texts: "texts: x" },
      'label "label" (cats.yaml:8) is not for seq2seq, which learns without one | take it out',
    ],
    [
      "a number without a policy",
      regression,
      `label "label" (cats.yaml:8) has no policy, which tabular_regression needs: what of the number leaves the cluster | allowed: ${decision}`,
    ],
    [
      "a number without a label",
      { ...regression, label: undefined },
      `label (cats.yaml:3) is missing: tabular_regression needs it | allowed: ${decision}`,
    ],
    [
      "a schema without columns",
      { schema: "schema: {}" },
      "schema (cats.yaml:9) has no column | allowed: columns with their SQL types, one a line: age: INT",
    ],
    [
      "a column's type",
      { schema: "schema:\n  age: 5" },
      "schema.age 5 (cats.yaml:10) is read as 5, not as a text: put it in quotes | allowed: a SQL type, such as INT or VARCHAR(255), for a column of at most 64 characters",
    ],
    [
      "a column's name",
      { schema: `schema:\n  ${"a".repeat(65)}: INT` },
      `schema."${"a".repeat(60)}" "INT" (cats.yaml:10) has a name that no column can have | allowed: a SQL type, such as INT or VARCHAR(255), for a column of at most 64 characters`,
    ],
    [
      "a fixed column",
      { category: "category: time_series_classification", schema: "schema: {timestamp: INT}" },
      "schema.sequence_id (cats.yaml:9) is missing: time_series_classification needs this column | allowed: a SQL type, such as INT or VARCHAR(255), for a column of at most 64 characters",
    ],
  ])("%s", (_, changes, told) => {
    expect(wrong(changed(changes))).toEqual([told]);
  });

  test("a category, with all 16 of them", () => {
    const [told = ""] = wrong(changed({ category: "category: image_clasification" }));
    expect(told).toMatch(
      /^category "image_clasification" \(cats\.yaml:3\) .* \| did you mean image_classification\? \| allowed: /,
    );
    expect(told.split("allowed: ")[1]?.split(", ")).toHaveLength(16);
  });

  test("a key that resembles none, with those that there are", () => {
    const [told] = wrong(changed({ label: "label: {column: a, colour: b}" }));
    expect(told).toBe('label.colour "b" (cats.yaml:8) is no key here | allowed: column, policy');
    expect(wrong(changed({ xyzzy: "xyzzy: 1" }))[0]).toContain("allowed: apiVersion, kind, category, table,");
  });

  test("all at once, in the order of the file", () => {
    const told = wrong("category: seq2seq\nlabel: a\nintent: x\n");
    expect(told.map((line) => line.split(" ")[0])).toEqual([
      "apiVersion",
      "kind",
      "table",
      "csv",
      "texts",
      "label",
      "intent",
    ]);
  });
});

describe("no message shows", () => {
  test("what a processor of the site's own is given, which may be a key", () => {
    const text =
      "spec:\n  processors:\n    - script: /custom/decrypt.py\n      args: canary-5e1f\n      key: canary-5e1f";
    const told = wrong(changed({ spec: text }));
    expect(told).toHaveLength(3);
    expect(told.join()).not.toContain("canary");
  });

  test("more than the beginning of a value, and nothing that steers a terminal", () => {
    const [told = ""] = wrong(
      changed({
        table: JSON.stringify(`table: "\u001b[2J${"x".repeat(200)}"`)
          .slice(1, -1)
          .replaceAll('\\"', '"'),
      }),
    );
    expect(told).toContain(String.raw`"\u001b[2J`);
    expect(told).not.toContain("x".repeat(61));
    expect(told).not.toContain("\u001b");
  });
});

test.each([
  ["", "cats.yaml holds nothing, not an IngestConfig"],
  ["- a", "cats.yaml holds a list, not an IngestConfig"],
  ["./cats", "cats.yaml holds a text, not an IngestConfig"],
  ["a: [", "cats.yaml:1 is not indented as it should be, or a bracket is not closed"],
])("a file that is no IngestConfig is told as a whole: %j", (text, says) => {
  const read = readIngestConfig(text, "cats.yaml");
  expect(read).toMatchObject({ findings: [{ reason: "INGEST_UNREADABLE", room: "ingest", says }] });
});
