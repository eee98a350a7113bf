import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { cleanPasted, withTyped } from "../../../src/config/credentials.ts";
import { hasControlCharacter } from "../../../src/platform/characters.ts";
import { readCredential } from "../../../src/config/read-settings.ts";
import { platformOf } from "../platform/personalities.ts";
import { load } from "./loading.ts";

describe("cli#516: what terminals put around pasted text", () => {
  test.each([
    ["s3cret", "s3cret"],
    ["\u001b[200~s3cret\u001b[201~", "s3cret"],
    ["[200~s3cret[201~", "s3cret"],
    ["s3\u001b[Dcret\u001b[C", "s3cret"],
    ["s3\u001bOAcret", "s3cret"],
    ["\u001b[1;31ms3cret\u001b[0m", "s3cret"],
    ["s3cret\r\n", "s3cret"],
    ["s3\u0000c\u0008ret\u007f", "s3cret"],
    ["\u009b200~", "200~"],
    ["pässwörd 日本 🔑", "pässwörd 日本 🔑"],
    [" with blanks ", " with blanks "],
    ["a[b]c~", "a[b]c~"],
    ["\u001b[A\u001b[B", ""],
    ["\u001bXy", ""],
    ["\u001bs3cret", "s3cret"],
    ["", ""],
  ])("%j is %j", (pasted, text) => {
    expect(cleanPasted(pasted)).toEqual({ text, removed: text !== pasted });
  });

  test("no control character is left, twice is as good as once, and plain text is not touched", () => {
    const noisy = fc
      .array(
        fc.oneof(
          fc.string({ unit: "binary", maxLength: 4 }),
          fc.constantFrom("\u001b[200~", "\u001b", "[201~", "\u001bOA"),
        ),
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(noisy, (pasted) => {
        const { text } = cleanPasted(pasted);
        expect(hasControlCharacter(text)).toBe(false);
        const isPlain = !hasControlCharacter(pasted) && !/\[20[01]~/.test(pasted);
        expect(isPlain ? text : pasted).toBe(pasted);
      }),
      { numRuns: 1000 },
    );
  });
});

test("what is typed goes before what is configured, and says where it came from", async () => {
  const loaded = await load({ environment: { TRACEBLOC_CLIENT_ID: "a", TRACEBLOC_CLIENT_PASSWORD: "b" } });
  if (!loaded.ok) throw new Error("refused");
  const typed = withTyped(loaded.wishes, { clientPassword: "c" }, "--client-password-stdin");
  expect(typed.clientPassword).toEqual({ value: "c", origin: { from: "prompt", name: "--client-password-stdin" } });
  expect(typed.clientId).toBe(loaded.wishes.clientId);
});

describe("a password that is piped in", () => {
  const read = (written: string) =>
    readCredential("clientPassword", written, { from: "flag", name: "--client-password-stdin" }, platformOf("linux"));

  test.each([
    ["s3cret\n", "s3cret"],
    ["s3cret\r\n", "s3cret"],
    [" two words ", " two words "],
  ])("%j is taken", (written, password) => {
    expect(read(written)).toEqual({ value: password });
  });

  test.each([
    ["", "is empty"],
    ["\n", "is empty"],
    ['"s3cret"', "has quotes around it"],
    ["x".repeat(1001), "is too long"],
    ["s3cret\nof another line\n", "has a line break in it"],
  ])("%j is refused, and not shown", (written, why) => {
    const refused = read(written);
    expect(refused).toMatchObject({
      finding: { reason: "CONFIG_INVALID", says: `clientPassword (--client-password-stdin) ${why}` },
    });
    expect(JSON.stringify(refused)).not.toContain("s3cret");
  });
});
