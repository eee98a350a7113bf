import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { didYouMean } from "../../../src/config/did-you-mean.ts";
import { settingKeys } from "../../../src/config/names.ts";

describe("did you mean", () => {
  test.each([
    ["namespcae", "namespace"],
    ["name-space", "namespace"],
    ["NAMESPACE", "namespace"],
    ["storagemod", "storageMode"],
    ["k3simage", "k3sImage"],
    ["k3dToolImage", "k3dToolsImage"],
    ["chartt", "chart"],
    ["cluter", "cluster"],
    ["quux", undefined],
    ["x", undefined],
    ["", undefined],
    ["x".repeat(100_000), undefined],
  ])("%s: %s", (word, meant) => {
    expect(didYouMean(word, settingKeys)).toBe(meant);
  });

  test("a word that is there is meant itself", () => {
    for (const key of settingKeys) expect(didYouMean(key, settingKeys)).toBe(key);
  });

  test("one slip in a word of six letters or more is forgiven, wherever it is", () => {
    const long = settingKeys.filter((key) => key.length >= 6);
    fc.assert(
      fc.property(fc.constantFrom(...long), fc.nat(), fc.constantFrom("drop", "add", "change"), (key, place, slip) => {
        const at = place % key.length;
        const middle = { drop: "", add: `${key[at] ?? ""}q`, change: "q" }[slip];
        expect(didYouMean(`${key.slice(0, at)}${middle}${key.slice(at + 1)}`, settingKeys)).toBe(key);
      }),
    );
  });
});
