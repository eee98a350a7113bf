import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { clip } from "../../../src/platform/characters.ts";
import { onOneLine, unsteered } from "../../../src/platform/one-line.ts";

describe("somebody else's words on one line of ours", () => {
  test.each([
    ["a name", "a name"],
    ["Bücher, 本, 👩‍🔬 and \u200bso on", "Bücher, 本, 👩‍🔬 and \u200bso on"],
    ["\u001b[31mred\u001b[0m and \u001b]0;title\u0007done", "red and done"],
    ["\u001b[2J\u001b[1;1H\u001b[8mhidden", "hidden"],
    ["first\n  ✓ Cluster  a line of ours", "first ✓ Cluster  a line of ours"],
    ["50 %\r100 %", "50 % 100 %"],
    ["a\tb\u0007c\u007fd\u0085e", "a b?c?d?e"],
    ["turned \u202egnp.exe\u202c", "turned ?gnp.exe?"],
  ])("%j", (text, expected) => {
    expect(onOneLine(text)).toBe(expected);
  });

  test("never steer a terminal", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom("\u001b", "[", "]", ";", "m", "\n", "1") }),
    );
    fc.assert(
      fc.property(text, (any) => {
        // oxlint-disable-next-line no-control-regex -- they are what is looked for
        expect(onOneLine(any)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
      }),
    );
  });
});

test("a text is cut between characters", () => {
  expect(clip("ab👩cd", 4)).toBe("ab…");
  expect(clip("ab👩cd", 5)).toBe("ab👩…");
});

test("a line that is printed keeps colours of ours where we colour, and nothing else that a terminal obeys", () => {
  const line = "\u001b[32m✓\u001b[39m one\n    two\u001b]0;title\u0007\u001b[2J\r";
  expect(unsteered(line, true)).toBe("\u001b[32m✓\u001b[39m one\n    two?]0;title??[2J?");
  expect(unsteered(line, false)).toBe("?[32m✓?[39m one\n    two?]0;title??[2J?");
});
