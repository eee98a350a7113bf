import { describe, expect, test } from "vitest";

import { withoutRemedy } from "../../flow/remedies.ts";
import { known, unknown, type Fact } from "../../../src/engine/fact.ts";
import type { Space } from "../../../src/host/disk.ts";
import { partName, planStaging, type PlannedStaging, type StageFacts } from "../../../src/ingest/stage.ts";
import type { Entry, Tree } from "../../../src/ingest/tree.ts";
import { platformOf } from "../platform/personalities.ts";

const platform = platformOf("linux");
const from = "/home/mia/cats dogs";
const to = "/home/mia/.tracebloc/tracebloc/data/cats-dogs";

const file = (path: string, bytes = 10, modifiedMs = 1e12): Entry => ({ path, is: "file", bytes, modifiedMs });
const folder = (path: string): Entry => ({ path, is: "folder" });
const tree = (...entries: Entry[]): Tree => ({ entries, unread: [] });
const room = (freeBytes = 1e12, freeFiles: number | undefined = 1e6): Fact<Space> =>
  known({ freeBytes, totalBytes: 2e12, freeFiles, totalFiles: 2e6 }, "statfs");

const source = tree(folder("images"), file("images/1.png", 100), file("images/2.png", 200), file("labels.csv", 30));
const dataset = {
  folder: "cats-dogs",
  parts: [
    { key: "csv", path: "labels.csv", is: "file" as const },
    { key: "images", path: "images", is: "folder" as const },
  ],
};
const plan = (changes: Partial<StageFacts> = {}): PlannedStaging =>
  planStaging({ from, source, to, target: undefined, space: room(), ...changes }, dataset, platform);

function told(changes: Partial<StageFacts>): readonly string[] {
  const planned = plan(changes);
  if ("staging" in planned) throw new Error("it was planned");
  expect(withoutRemedy(planned.findings)).toEqual([]);
  return planned.findings.map(({ reason, says }) => `${reason} ${says}`);
}

describe("staging", () => {
  test("of what is nowhere yet copies all of it, folders first", () => {
    expect(plan()).toEqual({
      staging: {
        folders: ["images"],
        copies: [
          { path: "images/1.png", bytes: 100, modifiedMs: 1e12 },
          { path: "images/2.png", bytes: 200, modifiedMs: 1e12 },
          { path: "labels.csv", bytes: 30, modifiedMs: 1e12 },
        ],
        bytes: 330,
        kept: 0,
        foreign: 0,
      },
      warnings: [],
    });
  });

  test("a second time copies nothing, room or no room", () => {
    for (const space of [room(0, 0), unknown("no answer", "statfs")]) {
      const nothing = { folders: [], copies: [], bytes: 0, kept: 3, foreign: 0 };
      expect(plan({ target: source, space })).toEqual({ staging: nothing, warnings: [] });
    }
  });

  test("copies what was cut off, changed or is new, and leaves what only the target has", () => {
    const target = tree(
      file(partName, 7),
      folder("images"),
      file("images/1.png", 99),
      file("images/2.png", 200, 1e12 + 5000),
      file("labels.csv", 30, 1e12 - 1500),
      file("notes.txt"),
    );
    const planned = plan({ target });
    expect("staging" in planned && planned.staging).toMatchObject({ folders: [], bytes: 300, kept: 1, foreign: 1 });
    expect("staging" in planned && planned.staging.copies.map(({ path }) => path)).toEqual([
      "images/1.png",
      "images/2.png",
    ]);
  });

  test("goes on with a warning where the room is not known: unknown is never no", () => {
    const planned = plan({ space: unknown("no answer within 5 s", "statfs") });
    expect(planned).toMatchObject({ staging: { kept: 0 }, warnings: [{ reason: "DISK_LOW" }] });
  });
});

describe("staging is refused", () => {
  test("without a dataset", () => {
    expect(told({ source: undefined })).toEqual([`DATASET_INVALID ${from} does not exist`]);
  });

  test("with links, which lead elsewhere, and says how to resolve them", () => {
    const entries = [...source.entries, ...["a", "b", "c", "d"].map((path): Entry => ({ path, is: "link" }))];
    const planned = plan({ source: tree(...entries) });
    expect(planned).toMatchObject({
      findings: [
        {
          says: `no symbolic link is followed: a, b, c and 1 more in ${from}`,
          remedies: [{ command: `cp -RL '${from}' '${from}-resolved'` }],
        },
      ],
    });
  });

  test("with what is no file, what has no usable name, and what may not be read", () => {
    for (const entry of [{ path: "pipe", is: "other" } as const, file("a\\..\\b"), file(partName)]) {
      expect(told({ source: tree(...source.entries, entry) })).toEqual([expect.stringContaining("cannot be copied")]);
    }
    const unread = [{ path: "images", why: "may not be read by this user" }];
    expect(told({ source: { ...source, unread } })).toEqual([
      `DATASET_INVALID images in ${from} may not be read by this user`,
    ]);
  });

  test.each(["../x", "a/../../x", "/etc/passwd", "a//b", ".", ""])(
    "with the name %j, which leads out of the tree",
    (path) => {
      expect(told({ source: tree(...source.entries, file(path)) })).toEqual([
        expect.stringContaining("cannot be copied"),
      ]);
    },
  );

  test("when a part that the config names is missing or of another kind", () => {
    expect(told({ source: tree(file("images"), file("label.csv")) })).toEqual([
      `DATASET_INVALID csv reads labels.csv, which is not there in ${from}`,
      `DATASET_INVALID images reads images, which is no folder in ${from}`,
    ]);
  });

  test.each([
    [from, `${from}/data`],
    ["/srv/tracebloc/tracebloc/data/cats-dogs/x", "/srv/tracebloc/tracebloc/data/cats-dogs"],
  ])("when %s and %s lie one in the other", (inner, outer) => {
    expect(told({ from: inner, to: outer })).toEqual([expect.stringContaining("lie one in the other")]);
  });

  test("not for folders that only begin alike", () => {
    expect(plan({ from: "/srv/a", to: "/srv/a-b" })).toHaveProperty("staging");
    expect(plan({ from: to, to, target: source })).toMatchObject({ staging: { kept: 3 } });
  });

  test.each<[Entry]>([
    [{ path: "images", is: "link" }],
    [file("images")],
    [folder("labels.csv")],
    [{ path: partName, is: "link" }],
  ])("where %j is in the way, rather than written through or over", (entry) => {
    expect(told({ target: tree(entry) })).toEqual([expect.stringMatching(/^DATASET_IN_THE_WAY .* is something else/)]);
  });

  test("where the target itself is a link, or may not be seen", () => {
    const target = { entries: [], unread: [{ path: "", why: "is a symbolic link" }] };
    expect(told({ target })).toEqual([`DATASET_IN_THE_WAY ${to} is a symbolic link`]);
  });

  test("without room for what is copied and what the ingestion writes of it", () => {
    const large = tree(folder("images"), file("labels.csv", 3e9));
    expect(plan({ source: large, space: room(7.1e9) })).toHaveProperty("staging");
    expect(told({ source: large, space: room(6.9e9) })).toEqual([
      `DISK_TOO_SMALL ${to} has 6.9 GB free; 7.0 GB are needed, to stage 3.0 GB and to ingest 3.0 GB`,
    ]);
    const half = tree(folder("images"), file("labels.csv", 3e9));
    expect(plan({ source: large, target: half, space: room(0) })).toHaveProperty("staging");
  });

  test("without room for so many files; a file system that counts none has room", () => {
    expect(told({ space: room(1e12, 100) })).toEqual([expect.stringContaining("room for 100 more files")]);
    expect(
      plan({
        space: known({ freeBytes: 1e12, totalBytes: 2e12, freeFiles: undefined, totalFiles: undefined }, "statfs"),
      }),
    ).toHaveProperty("staging");
  });
});
