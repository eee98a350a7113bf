import { describe, expect, test } from "vitest";

import { readValues } from "../../../src/config/yaml-file.ts";
import { secretsIn } from "../../../src/release/values.ts";

const values = (text: string) => {
  const seen = readValues(text);
  return "values" in seen ? seen.values : seen.flaw;
};
const flaw = (line: number, why: string) => ({ line, why });

describe("a values file means what it means to Helm", () => {
  // Right: what `helm template` 4.2.3 renders of `toJson .Values`.
  test.each<[string, object]>([
    ["base: &b {q: 1, r: 2}\nm: {<<: *b, r: 3}", { base: { q: 1, r: 2 }, m: { q: 1, r: 3 } }],
    ["a: yes\nb: on\nc: N\nd: y", { a: true, b: true, c: false, d: true }],
    ["a: 0777\nb: 0o777\nc: 0b11\nd: 0x1F\ne: 1_000", { a: 511, b: 511, c: 3, d: 31, e: 1000 }],
    ["a: 1:30\nb: 2001-01-01\nc: 2001-01-01T10:00:00Z", { a: "1:30", b: "2001-01-01", c: "2001-01-01T10:00:00Z" }],
    ["a: ~\nb: null\nc:", { a: null, b: null, c: null }],
    ['a: !!binary aGVsbG8=\nb: !!str 5\nc: !!int "5"', { a: "hello", b: "5", c: 5 }],
    ["a: \"on\"\nb: '0777'", { a: "on", b: "0777" }],
    ["", {}],
    ["# nothing\n", {}],
    ["---\n", {}],
  ])("%s", (text, expected) => {
    expect(values(text)).toEqual(expected);
  });

  test("and may have the names of JavaScript's own for keys", () => {
    expect(JSON.stringify(values('__proto__: {a: 1}\nconstructor: 2\n"a.b": 3'))).toBe(
      '{"__proto__":{"a":1},"constructor":2,"a.b":3}',
    );
  });
});

describe("what is wrong with one is told with its line, and never quoted", () => {
  const doubling = Array.from({ length: 12 }, (_, n) => `k${n + 1}: &k${n + 1} [*k${n}, *k${n}, *k${n}]`).join("\n");

  test.each<[string, ReturnType<typeof flaw>]>([
    ["a: 1\nb: !canary 2", flaw(2, "has a tag that is not known")],
    ["a: !!js/function canary", flaw(1, "has a tag that is not known")],
    ["a: 1\nb: *canary", flaw(2, "names an anchor that is not set before it")],
    ["a: 1\n{{ .Values.canary }}: 2", flaw(2, "has a list or a group for a key: put it in quotes")],
    ["? [canary]\n: 2", flaw(1, "has a list or a group for a key: put it in quotes")],
    [`k0: &k0 [canary]\n${doubling}`, flaw(1, "repeats itself too often by its anchors")],
    ["canary: 1\ncanary: 2", flaw(2, "repeats a key")],
    ["- canary", flaw(1, "holds no values, `key: value`")],
    ["a: 1\n---\nb: 2", flaw(2, "begins a second document, which is not read")],
  ])("%s", (text, expected) => {
    expect(values(text)).toEqual(expected);
  });
});

test("the texts under the name of a secret are secrets; what only names one is not", () => {
  const file = { clientPassword: "a", dockerRegistry: { password: "b", secretName: "regcred" }, api_token: "c", n: 1 };
  expect(secretsIn(file)).toEqual(["a", "b", "c"]);
});
