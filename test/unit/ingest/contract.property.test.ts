import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { categoryNames } from "../../../src/ingest/categories.ts";
import { readIngestConfig } from "../../../src/ingest/read-config.ts";
import { withoutRemedy } from "../../flow/remedies.ts";
import { categories, contract, smallest } from "./contract.ts";

const accepts = new Ajv({ strict: false }).compile(contract);
/** JSON is YAML, and leaves no doubt about what is a text. */
const read = (value: unknown) => readIngestConfig(JSON.stringify(value, null, 1), "cats.yaml");
const isTaken = (value: unknown) => "config" in read(value);

const junk = fc.constantFrom<unknown>(null, "", "x", 0, 1, 1.5, -1, true, [], ["x"], [1, 2], [1, 2, 3], {}, { x: 1 });
const text = fc.constantFrom("label", "a", "/data/shared/x");
const size = fc.constant([64, 64]);
const group = (model: Record<string, fc.Arbitrary<unknown>>) => fc.record(model, { requiredKeys: [] });

/** Right values for every key, so that what is wrong is mostly one thing. */
const right: Record<string, fc.Arbitrary<unknown>> = {
  apiVersion: fc.constant("tracebloc.io/v1"),
  kind: fc.constant("IngestConfig"),
  category: fc.constantFrom(...categories),
  table: fc.constantFrom("t", "_1", "a".repeat(63), "a".repeat(64), "1a", "a-b", "ä"),
  intent: fc.constantFrom("train", "test"),
  csv: text,
  json: text,
  images: text,
  annotations: text,
  masks: text,
  texts: text,
  sequences: text,
  label: fc.oneof(text, group({ column: text, policy: fc.constantFrom("passthrough", "bucket", "none") })),
  schema: fc.dictionary(
    fc.constantFrom("sequence_id", "timestamp", "Körper: größe", "a".repeat(64), "😀".repeat(64), "a".repeat(65), ""),
    fc.oneof({ weight: 5, arbitrary: fc.constant("INT") }, { weight: 1, arbitrary: junk }),
  ),
  time_column: text,
  target_size: size,
  number_of_keypoints: fc.integer({ min: -1, max: 20 }),
  data_id: group({ strategy: fc.constantFrom("uuid", "column", "content_hash", "hash"), column: text }),
  spec: group({
    csv_options: group({ chunk_size: fc.integer({ min: 0, max: 9 }), delimiter: text, quotechar: text, other: text }),
    file_options: group({ target_size: size, extension: fc.constantFrom(".png", ".gif"), other: junk }),
    validators: fc.array(fc.oneof(text, junk), { maxLength: 2 }),
    sidecars: fc.array(
      group({
        column: text,
        source: text,
        dest: text,
        transform: group({ resize: fc.oneof(size, junk) }),
        validators: junk,
      }),
      { maxLength: 2 },
    ),
    processors: fc.array(group({ script: text, class: text, args: fc.oneof(junk, group({ key: junk })) }), {
      maxLength: 2,
    }),
  }),
  unheard_of: junk,
};
const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(...Object.keys(right)).chain((key) => fc.tuple(fc.constant(key), right[key] ?? junk)),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...Object.keys(right)), junk) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...Object.keys(right)), fc.constant(undefined)) },
);
/** The least of a category with a few keys changed, added or taken out. */
const nearlyRight = fc
  .tuple(fc.constantFrom(...categories), fc.array(change, { maxLength: 3 }))
  .map(
    ([category, changes]) =>
      JSON.parse(JSON.stringify({ ...smallest(category), ...Object.fromEntries(changes) })) as object,
  );

describe("an IngestConfig", () => {
  test("has the 16 categories of the contract", () => {
    expect(categories).toHaveLength(16);
    expect([...categoryNames].sort()).toEqual([...categories].sort());
  });

  test.each(categories)("of %s is taken with the least that it needs, and refused without any of it", (category) => {
    const least = smallest(category);
    expect([accepts(least), isTaken(least)]).toEqual([true, true]);
    for (const key of Object.keys(least)) {
      const { [key]: _, ...rest } = least;
      expect([key, accepts(rest), isTaken(rest)]).toEqual([key, false, false]);
    }
  });

  test("is taken exactly when the jobs manager's contract takes it", () => {
    let taken = 0;
    fc.assert(
      fc.property(nearlyRight, (value) => {
        const expected = accepts(value);
        taken += expected ? 1 : 0;
        expect(isTaken(value)).toBe(expected);
      }),
      { numRuns: 1500 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  test("that is refused tells each key once, from top to bottom, with its line and file", () => {
    fc.assert(
      fc.property(nearlyRight, (value) => {
        const lines = JSON.stringify(value, null, 1).split("\n").length;
        const result = read(value);
        if ("config" in result) return;
        const places = result.findings.map(({ says }) => Number(/\(cats\.yaml:(\d+)\) /.exec(says)?.[1]));
        expect(places).toEqual(places.toSorted((one, other) => one - other));
        expect(withoutRemedy(result.findings)).toEqual([]);
        for (const line of places) expect(line >= 1 && line <= lines).toBe(true);
        const keys = result.findings.map(({ says }) => says.split(" ")[0]);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  test("is never more than refused, whatever the file holds", () => {
    const lines = fc.array(
      fc.tuple(
        fc.constantFrom(...Object.keys(right), "x", "- ", "  ", "? ", "<<", "*a", "__proto__", "constructor"),
        fc.constantFrom(": ", ":", "", " : &a ", ": *a", ":\n  - "),
        fc.oneof(
          fc.constantFrom("[", "{", "|", "!!x", "!!binary x", "7", "no", "{a: b}", "2024-01-01", "object_detection"),
          fc.string({ maxLength: 8 }),
        ),
      ),
      { maxLength: 6 },
    );
    const file = fc.oneof(
      lines.map((parts) => parts.map((part) => part.join("")).join("\n")),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(file, (written) => {
        const result = readIngestConfig(written, "cats.yaml");
        if ("config" in result) return;
        expect(result.findings).not.toEqual([]);
        expect(withoutRemedy(result.findings)).toEqual([]);
        for (const { says } of result.findings) expect(says).toContain("cats.yaml");
      }),
      { numRuns: 1000 },
    );
  });
});
