import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

type Case = { id: string; title: string; later?: string };

const tests = fileURLToPath(new URL("..", import.meta.url));
const { cases } = JSON.parse(readFileSync(join(tests, "fixtures/flow/cases.json"), "utf8")) as { cases: Case[] };

/** Which test files have a case's id in the name of a test, or in a row of a table of names. */
function filesNaming(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".test.ts"));
  for (const file of files) {
    const code = readFileSync(join(tests, file), "utf8")
      .split("\n")
      .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
      .join("\n");
    const texts = code.match(/"[^"\n]*"|'[^'\n]*'|`[^`]*`/g) ?? [];
    const ids = texts.flatMap((text) => text.match(/\bB\d\d\b/g) ?? []);
    for (const id of new Set(ids)) found.set(id, [...(found.get(id) ?? []), file]);
  }
  return found;
}

test("all 48 cases are listed, each once and in order", () => {
  const all = Array.from({ length: 48 }, (_, index) => `B${String(index + 1).padStart(2, "0")}`);
  expect(cases.map(({ id }) => id)).toEqual(all);
});

test.each(cases)("$id, $title: is in the name of a test, or it is said what is later", ({ id, later = "" }) => {
  const files = filesNaming().get(id) ?? [];
  expect(files.length > 0 || later !== "", `${id} is in no test and is not said to come later`).toBe(true);
});

test("no test names a case that is not listed", () => {
  const listed = new Set(cases.map(({ id }) => id));
  expect([...filesNaming().keys()].filter((id) => !listed.has(id))).toEqual([]);
});
