import { stripVTControlCharacters } from "node:util";

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Finding } from "../../../src/engine/finding.ts";
import { clip, fold } from "../../../src/platform/characters.ts";
import { commandLines, duration, endLines, findingLines, markOf, roomLine } from "../../../src/ui/text.ts";

const wide = { colour: false, width: Number.POSITIVE_INFINITY };
const narrow = { colour: false, width: 60 };

const finding: Finding = {
  reason: "CLUSTER_STOPPED",
  room: "cluster",
  says: "cluster lab does not run, and its release can only be removed while it does",
  remedies: [
    { says: "start it, then run this again", command: "k3d cluster start lab" },
    { says: "or look at what it says" },
  ],
  details: ["Error response from daemon: no such container"],
};

describe("lines for a person", () => {
  test("stay one line each where they end in a file", () => {
    expect(findingLines(finding, "failed", wide)).toEqual([
      "  ✗ Cluster        cluster lab does not run, and its release can only be removed while it does   CLUSTER_STOPPED",
      "                   │ Error response from daemon: no such container",
      "                   start it, then run this again:   k3d cluster start lab",
      "                   or look at what it says",
    ]);
  });

  test("are folded between words on a terminal, under the sentence and never under its label", () => {
    expect(findingLines(finding, "failed", narrow).join("\n").split("\n")).toEqual([
      "  ✗ Cluster        cluster lab does not run, and its release",
      "                   can only be removed while it does",
      "                   CLUSTER_STOPPED",
      "                   │ Error response from daemon: no such",
      "                   │ container",
      "                   start it, then run this again:",
      "                     k3d cluster start lab",
      "                   or look at what it says",
    ]);
  });

  test("begin further left where a path or a command would not stay whole", () => {
    const command = "node /home/ada/tracebloc/dist/bin.cjs install";
    const says = `the folder is /home/ada/.cache/tracebloc/data/tracebloc/data`;
    const told = { ...finding, says, details: [], remedies: [{ says: "repair it", command }] };
    expect(findingLines(told, "failed", narrow).join("\n").split("\n")).toEqual([
      "  ✗ Cluster        the folder is",
      "              /home/ada/.cache/tracebloc/data/tracebloc/data",
      "                   CLUSTER_STOPPED",
      "                   repair it:",
      `               ${command}`,
    ]);
  });

  test("put below its label what is wider than the room beside it", () => {
    const path = "/home/ada/.cache/tracebloc/data/tracebloc/data";
    expect(roomLine("done", "Directories", `${path}, made`, 15_200, narrow).split("\n")).toEqual([
      "  ✓ Directories",
      `             ${path},`,
      "                   made   15 s",
    ]);
  });

  test("give a step its time only where it took one", () => {
    expect(roomLine("done", "Cluster", "runs", 999, wide)).toBe("  ✓ Cluster        runs");
    expect(roomLine("done", "Cluster", "runs", 15_200, wide)).toBe("  ✓ Cluster        runs   15 s");
  });

  test("align to the longest label of their table", () => {
    const style = { ...wide, label: 17 };
    const lines = ["Memory", "Dataset directory"].map((label) => roomLine("done", label, "fine", 0, style));
    expect(new Set(lines.map((line) => line.indexOf("fine"))).size).toBe(1);
  });

  test("carry colour only where it is wanted, and the same text", () => {
    const plain = findingLines(finding, "failed", narrow);
    const coloured = findingLines(finding, "failed", { ...narrow, colour: true });
    expect(coloured).not.toEqual(plain);
    expect(coloured.map(stripVTControlCharacters)).toEqual(plain);
  });

  test("mark what is worth a look differently from what failed", () => {
    expect((["PIN_CHANGED", "STORAGE_UNKNOWN", "STORAGE_BLOCKED", "CLUSTER_NOT_OURS"] as const).map(markOf)).toEqual([
      "repaired",
      "repaired",
      "failed",
      "failed",
    ]);
  });
});

describe("the end of a run", () => {
  const says = "Nothing was changed. Mend it, then run the same command again.";

  test("has its exit code behind it, or below where there is no room", () => {
    expect(endLines(says, 3, wide)).toEqual([`${says}     exit 3`]);
    expect(endLines(says, 3, narrow)).toEqual([
      "Nothing was changed. Mend it, then run the same command",
      "again.     exit 3",
    ]);
    expect(endLines("a".repeat(50), 3, narrow)).toEqual(["a".repeat(50), "exit 3"]);
  });

  test("says nothing of a code where all went well", () => {
    expect(endLines("tracebloc 1.0.0 · healthy", 0, wide)).toEqual(["tracebloc 1.0.0 · healthy"]);
  });

  test("keeps a command whole", () => {
    const command = "tracebloc uninstall --delete-data";
    expect(commandLines("To delete it", command, narrow)).toEqual([`To delete it:   ${command}`]);
    expect(commandLines("Data stays in /srv/tb/tracebloc. To delete it", command, narrow)).toEqual([
      "Data stays in /srv/tb/tracebloc. To delete it:",
      `  ${command}`,
    ]);
  });
});

describe("one thing has one name", () => {
  const titleOf = (reason: Finding["reason"], room: Finding["room"]) =>
    findingLines({ ...finding, reason, room }, "failed", wide)[0]?.split(/ +/)[2];

  test.each([
    ["WORKLOAD_NOT_READY", "release", "Workloads"],
    ["IMAGE_PULL_FAILED", "release", "Workloads"],
    ["IMAGE_PULL_FAILED", "cluster", "Cluster"],
    ["CREDENTIALS_REJECTED", "release", "Client"],
    ["RELEASE_PENDING", "release", "Release"],
    ["STORAGE_BLOCKED", "storage", "Directories"],
  ] as const)("%s in %s is about the %s", (reason, room, title) => {
    expect(titleOf(reason, room)).toBe(title);
  });
});

describe("folding", () => {
  const text = fc.array(
    fc.string({ minLength: 1, maxLength: 30 }).filter((word) => !word.includes(" ")),
    {
      minLength: 1,
    },
  );

  test("loses nothing, and breaks only between words", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 80 }), (words, room) => {
        expect(fold(words.join(" "), room).join(" ")).toBe(words.join(" "));
      }),
    );
  });

  test("is never wider than there is room, but for a word that is wider itself", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 80 }), (words, room) => {
        for (const line of fold(words.join(" "), room)) {
          expect(line.length <= room || !line.includes(" ")).toBe(true);
        }
      }),
    );
  });

  test("keeps a word with blanks in it whole, as a command is", () => {
    expect(fold(["Next:", "node /srv/a status", "·", "again"], 20)).toEqual(["Next:", "node /srv/a status ·", "again"]);
  });

  test("a text that must stay on one line is cut, and shows that it was", () => {
    expect(clip("pulling image", 13)).toBe("pulling image");
    expect(clip("pulling image", 12)).toBe("pulling ima…");
    expect(clip("pulling image", -3)).toBe("…");
  });
});

test.each([
  [0, "0.0 s"],
  [234, "0.2 s"],
  [9_949, "9.9 s"],
  [9_960, "10 s"],
  [41_400, "41 s"],
  [99_400, "99 s"],
  [100_000, "1 min 40 s"],
  [600_000, "10 min"],
  [1_200_000, "20 min"],
])("%i ms are said as %s", (ms, said) => {
  expect(duration(ms)).toBe(said);
});

test("what others said steers no terminal and passes for no line of ours", () => {
  const evil = "\u001b]0;title\u0007\u001b[2Jbad\n  ✓ Cluster        all is well";
  const lines = findingLines(
    { ...finding, says: evil, details: [evil], remedies: [{ says: evil, command: evil }, { says: evil }] },
    "failed",
    wide,
  );
  expect(lines).toEqual([
    "  ✗ Cluster        bad ✓ Cluster        all is well   CLUSTER_STOPPED",
    "                   │ bad",
    "                   │   ✓ Cluster        all is well",
    "                   bad ✓ Cluster        all is well:   bad ✓ Cluster        all is well",
    "                   bad",
    "                     ✓ Cluster        all is well",
  ]);
});
