import { expect, test } from "vitest";

import { readDocument, type IngestDocument } from "../../../src/ingest/document.ts";
import recorded from "../../fixtures/ingest/python-yaml.json" with { type: "json" };

function good(text: string): IngestDocument {
  const read = readDocument(text);
  if ("unreadable" in read) throw new Error(JSON.stringify(read.unreadable));
  return read;
}

const flaws = (text: string) => {
  const read = readDocument(text);
  return "unreadable" in read ? read.unreadable : [];
};

test("what Python's yaml reads as something else is never taken for a text", () => {
  // What these mean depends on more than the word; neither stands for a column or a type.
  const special = new Set(["=", "<<"]);
  const texts = Object.keys(recorded.answers).filter((word) => {
    return !special.has(word) && typeof (good(`a: ${word}`).value as { a: unknown }).a === "string";
  });
  const answers = new Map(Object.entries(recorded.answers));
  expect(texts.filter((word) => answers.get(word) !== "str")).toEqual([]);
  // Names that columns have in every other dataset, and that YAML 1.1 by the book would take for yes and no.
  expect(texts).toEqual(expect.arrayContaining(["y", "n", "Y", "N", "label", "VARCHAR(255)", "none"]));
});

test("every key and entry leads back to its line", () => {
  const { value, lineOf } = good(
    [
      "# a dataset",
      "category: seq2seq",
      "spec:",
      "  sidecars:",
      "    - column: a",
      "      source: b",
      "    - {column: c}",
    ].join("\n"),
  );
  expect(value).toMatchObject({ spec: { sidecars: [{ column: "a", source: "b" }, { column: "c" }] } });
  const lines = [[], ["category"], ["spec"], ["spec", "sidecars", 0, "source"], ["spec", "sidecars", 1, "column"]];
  expect(lines.map((path) => lineOf(path))).toEqual([2, 2, 3, 6, 7]);
});

test("what is not in the file leads to the last thing that is", () => {
  const { lineOf } = good("a: 1\nspec:\n  b: 2\n");
  expect([lineOf(["spec", "missing", "more"]), lineOf(["missing"]), lineOf(["a", "b"])]).toEqual([2, 1, 1]);
});

test("anchors and merged groups are followed", () => {
  const { value, lineOf } = good("a: &a\n  b: 1\nc: *a\nd:\n  <<: *a\n  e: 2\n");
  expect(value).toEqual({ a: { b: 1 }, c: { b: 1 }, d: { b: 1, e: 2 } });
  expect([lineOf(["c", "b"]), lineOf(["d", "b"])]).toEqual([2, 4]);
});

test.each([
  ["a: 1\na: 2", [{ line: 2, why: "repeats a key" }]],
  ["a: 1\n---\nb: 2", [{ line: 2, why: "begins a second document, which is not read" }]],
  ["schema:\n  no: INT", [{ line: 2, why: "has a key that is no text: put it in quotes (it is read as false)" }]],
  ["schema:\n  1: INT", [{ line: 2, why: "has a key that is no text: put it in quotes (it is read as 1)" }]],
  ["? [a]\n: b", [{ line: 1, why: "has a key that is no text: put it in quotes" }]],
  ["\ta: 1", [{ line: 1, why: expect.any(String) as string }]],
  ["a: *b", [{ line: 1, why: expect.stringContaining("anchor") as string }]],
])("%j cannot be read, with the line and the reason", (text, expected) => {
  expect(flaws(text)).toEqual(expected);
});

test("a file that repeats itself by its anchors without end is not followed", () => {
  const lines = Array.from({ length: 12 }, (_, index) => `a${index}: &a${index} [${`*a${index - 1},`.repeat(9)}]`);
  expect(flaws(["a0: &a0 [x]", ...lines.slice(1)].join("\n"))).toHaveLength(1);
});
