import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  candidatesOf,
  dataBaseOf,
  directoriesOf,
  hostFoldersOf,
  onHost,
  stepsOf,
  volumes,
} from "../../../src/storage/layout.ts";

describe("the directories of a release", () => {
  test("are data where datasets lie, and logs always on the data directory", () => {
    expect(directoriesOf("edge", "/tracebloc-data")).toEqual([
      { volume: "data", base: "/tracebloc-data", path: "/tracebloc-data/edge/data", mode: "2777" },
      { volume: "logs", base: "/tracebloc", path: "/tracebloc/edge/logs", mode: "3777" },
    ]);
  });

  test("are among the candidates, whatever the node's mounts turn out to be", () => {
    for (const base of ["/tracebloc", "/tracebloc-data"]) {
      expect(candidatesOf("edge")).toEqual(expect.arrayContaining(directoriesOf("edge", base)));
    }
  });

  test("client#667: every volume is setgid and open to all, and only logs are sticky", () => {
    expect(Object.entries(volumes).map(([name, { mode }]) => [name, mode])).toEqual([
      ["data", "2777"],
      ["logs", "3777"],
    ]);
  });

  test("know each step of their way", () => {
    expect(directoriesOf("edge", "/tracebloc").map(stepsOf)).toEqual([
      ["/tracebloc", "/tracebloc/edge", "/tracebloc/edge/data"],
      ["/tracebloc", "/tracebloc/edge", "/tracebloc/edge/logs"],
    ]);
  });

  test.each([[""], ["."], [".."], ["a/b"], ["../etc"]])("are those of no release called %j", (release) => {
    expect(() => directoriesOf(release, "/tracebloc")).toThrow(RangeError);
  });

  test("lie below their base and nowhere else", () => {
    const name = fc.string({ minLength: 1 }).filter((text) => !text.includes("/") && ![".", ".."].includes(text));
    fc.assert(
      fc.property(name, (release) => {
        for (const directory of directoriesOf(release, "/tracebloc")) {
          expect(stepsOf(directory)).toHaveLength(3);
          expect(stepsOf(directory).at(-1)).toBe(directory.path);
        }
      }),
    );
  });
});

describe("where datasets lie in the node", () => {
  const bind = (destination: string) => ({ type: "bind", destination });

  test.each([
    ["no mounts", [], "/tracebloc"],
    ["the data directory alone", [bind("/tracebloc")], "/tracebloc"],
    ["both", [bind("/tracebloc"), bind("/tracebloc-data")], "/tracebloc-data"],
    ["B12: one that begins the same", [bind("/tracebloc-data-old"), bind("/tracebloc-data/x")], "/tracebloc"],
    ["B25: a volume in its place", [{ type: "volume", destination: "/tracebloc-data" }], "/tracebloc"],
  ])("%s", (_, mounts, base) => {
    expect(dataBaseOf(mounts)).toBe(base);
  });
});

describe("the machine's own folders", () => {
  test("follow the dataset directory for data, and for data alone", () => {
    const dirs = { dataDir: "/home/ada/.tracebloc", datasetDir: "/mnt/nas/datasets" };
    expect(hostFoldersOf("edge", dirs)).toEqual({
      data: "/mnt/nas/datasets/edge/data",
      logs: "/home/ada/.tracebloc/edge/logs",
    });
    expect(onHost("/tracebloc-data", "/tracebloc-data/edge/data", dirs)).toBe("/mnt/nas/datasets/edge/data");
    expect(onHost("/tracebloc", "/tracebloc", dirs)).toBe("/home/ada/.tracebloc");
  });

  test("have no name where the node's mount is no folder of this machine", () => {
    expect(
      onHost("/tracebloc-data", "/tracebloc-data/edge/data", { dataDir: "/home/ada", datasetDir: undefined }),
    ).toBeUndefined();
  });
});
