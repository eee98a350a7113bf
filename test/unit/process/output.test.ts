import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { capture, lineFeed } from "../../../src/process/output.ts";

/** Cuts bytes into chunks of the given sizes, round and round. */
function chunksOf(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

const text = fc.string({ unit: fc.constantFrom("a", "b", "ä", "漢", "🙂", "\n", "\r\n", " "), maxLength: 200 });
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

describe("what is kept of a stream", () => {
  test("is all of it, up to the bound, however it is cut", () => {
    fc.assert(
      fc.property(text, sizes, (said, cuts) => {
        const bytes = Buffer.from(said);
        const kept = capture(bytes.length);
        for (const chunk of chunksOf(bytes, cuts)) kept.push(chunk);
        expect(kept.text()).toEqual({ text: said, truncated: false });
      }),
    );
  });

  test("is whole lines of its head and its tail beyond the bound, and the count of bytes between is right", () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 300 }), fc.integer({ min: 40, max: 400 }), sizes, (count, bound, cuts) => {
        const said = Array.from({ length: count }, (_, index) => `line ${index} 漢`).join("\n");
        const bytes = Buffer.from(said);
        fc.pre(bytes.length > bound);
        const kept = capture(bound);
        for (const chunk of chunksOf(bytes, cuts)) kept.push(chunk);
        const { text: left, truncated } = kept.text();
        const [, head = "", missing, tail = ""] = /^([^]*)\n\[… (\d+) bytes left out …\]\n([^]*)$/.exec(left) ?? [];
        expect(truncated).toBe(true);
        expect(said.startsWith(head) && said.endsWith(tail)).toBe(true);
        expect(said.split("\n")).toEqual(expect.arrayContaining([head.split("\n").at(-1), tail.split("\n")[0]]));
        expect(Buffer.byteLength(head) + Number(missing) + Buffer.byteLength(tail)).toBe(bytes.length);
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(bound);
      }),
    );
  });

  test("is cut well away from the bound, and never in a character, where there are no lines", () => {
    const kept = capture(40_000);
    for (const chunk of chunksOf(Buffer.from("漢".repeat(100_000)), [1000])) kept.push(chunk);
    const { text: left } = kept.text();
    expect(left).toMatch(/^漢+\n\[… \d+ bytes left out …\]\n漢+$/);
    expect(Buffer.byteLength(left)).toBeLessThan(40_000 - 2 * 4096 + 60);
  });

  test("is cut right also when it comes in the smallest of chunks", () => {
    const kept = capture(1000);
    for (let index = 0; index < 200_000; index++) kept.push(Buffer.from("x\n"));
    expect(kept.text().text).toMatch(/^(?:x\n)+x\n\[… 399\d{3} bytes left out …\]\n(?:x\n)+$/);
  });

  test("is no more than a few times the bound in memory while a stream goes on and on", () => {
    const megabyte = 1024 * 1024;
    const kept = capture(megabyte);
    const before = process.memoryUsage().arrayBuffers;
    for (let index = 0; index < 400; index++) kept.push(Buffer.alloc(megabyte, "x"));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200 * megabyte);
    expect(kept.text().truncated).toBe(true);
  });

  test("begins without the byte order mark of some Windows tools", () => {
    const kept = capture(100);
    kept.push(Buffer.from("\uFEFF{}"));
    expect(kept.text().text).toBe("{}");
  });
});

describe("lines of a stream", () => {
  test("come out as they went in, however they are cut", () => {
    fc.assert(
      fc.property(text, sizes, (said, cuts) => {
        const lines: string[] = [];
        const feed = lineFeed((line) => lines.push(line));
        for (const chunk of chunksOf(Buffer.from(said), cuts)) feed.push(chunk);
        feed.end();
        const expected = said.split("\n").map((line) => line.replace(/\r$/, ""));
        expect(lines).toEqual(expected.at(-1) === "" ? expected.slice(0, -1) : expected);
      }),
    );
  });

  test("one that is too long for people is a word about it, and the next is whole again", () => {
    const lines: string[] = [];
    const feed = lineFeed((line) => lines.push(line));
    for (const chunk of chunksOf(Buffer.from(`a\n${"x".repeat(200_000)}\nb`), [60_000])) feed.push(chunk);
    feed.end();
    expect(lines).toEqual(["a", "[… a line of 200000 characters …]", "b"]);
  });
});
