import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashWishes, layerValues, type Values } from "../../../src/release/values.ts";

const values = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<Values>;

describe("layering values", () => {
  test("merges objects and replaces everything else, as Helm does with several values files", () => {
    const under = { env: { A: "1", B: "2" }, list: [1, 2], pvc: { data: "50Gi" } };
    const over = { env: { B: "3" }, list: [3], pvc: null };
    expect(layerValues(under, over)).toEqual({ env: { A: "1", B: "3" }, list: [3], pvc: null });
  });

  test("has a neutral element and is associative", () => {
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        expect(layerValues(a, {})).toEqual(layerValues(a));
        expect(layerValues(layerValues(a, b), c)).toEqual(layerValues(a, b, c));
      }),
    );
  });

  test("a key called __proto__ stays a key", () => {
    const layered = layerValues({}, JSON.parse('{"__proto__":{"polluted":true}}') as Values);
    expect(Object.keys(layered)).toEqual(["__proto__"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("the hash of wishes", () => {
  test("does not depend on the order of keys, and fits a label", () => {
    fc.assert(
      fc.property(values, (some) => {
        const turned = Object.fromEntries(Object.entries(some).reverse());
        expect(hashWishes(turned)).toBe(hashWishes(some));
        expect(hashWishes(some)).toMatch(/^[0-9a-f]{32}$/);
      }),
    );
  });

  test.each(["clientPassword", "clientId", "registryToken", "DB_SECRET", "password"])(
    "leaves out %s: it could be guessed from a label",
    (key) => {
      expect(hashWishes({ [key]: "one", env: { [key]: "one" } })).toBe(hashWishes({ [key]: "other", env: {} }));
    },
  );

  test("tells two wishes apart", () => {
    expect(hashWishes({ env: { CLIENT_ENV: "dev" } })).not.toBe(hashWishes({ env: { CLIENT_ENV: "prod" } }));
  });
});
