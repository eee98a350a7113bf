import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { known, notYet, unknown } from "../../../src/engine/fact.ts";
import { nothing, type Done } from "../../../src/engine/plan.ts";
import type { Directory } from "../../../src/storage/layout.ts";
import { storageNotYet } from "../../../src/storage/observe.ts";
import {
  planFolders,
  planShared,
  planStorage,
  resultsOf,
  type PrepareDirectories,
  type StorageAction,
  type StorageGround,
  type StorageProof,
} from "../../../src/storage/plan.ts";
import { behaviourOf } from "../../../src/storage/probe.ts";
import { readReport, type Looked } from "../../../src/storage/report.ts";
import { judge, type DirectoryResult } from "../../../src/storage/result.ts";
import { exited, platform, timedOut } from "../cluster/stand-in.ts";
import { answer, candidates, data, logs, looked, type Answer } from "./answers.ts";

const hostDirs = { dataDir: "/home/ada/.tracebloc", datasetDir: undefined };
const place = { node: "k3d-tracebloc-server-0", platform: platform(), hostDirs };

function ground(directories: readonly Looked[], over: Partial<StorageGround> = {}): StorageGround {
  return { mode: "hostpath", release: "tracebloc", dataBase: "/tracebloc", facts: { directories }, place, ...over };
}

function seen(name: Extract<Answer, `seen: ${string}`>, change = (text: string) => text): Looked[] {
  return readReport("seen", candidates, exited({ stdout: change(answer(name).stdout) }));
}

/** A run that prepared these, with what was then found. */
function done(directories: readonly Directory[], results: readonly DirectoryResult[]): Done<StorageAction> {
  const action: PrepareDirectories = { do: "storage.prepare", because: "", node: place.node, directories, shared: [] };
  const proof: StorageProof = { ...known({ holds: true, says: "" }, ""), results };
  return { action, proof };
}

const prepare = (
  because: string,
  directories: readonly Directory[],
  shared = [{ folder: "/home/ada/.tracebloc", base: "/tracebloc" }],
) => ({
  do: "storage.prepare",
  because,
  node: place.node,
  directories,
  shared,
});

describe("the plan for directories in the node", () => {
  test.each<[string, Looked[], object[], string[]]>([
    ["ready: nothing", seen("seen: ready"), [], []],
    ["missing: both are prepared", seen("seen: missing"), [prepare("data and logs were missing", [data, logs])], []],
    [
      "B01: as the kubelet leaves it",
      seen("seen: as the kubelet leaves it"),
      [prepare("data was 0755 and owned by root, logs was missing", [data, logs])],
      [],
    ],
    [
      "one broken behind our back: that one alone",
      seen("seen: ready", (text) => text.replace("drwxrwsrwt 1000 1000", "drwxrwxr-x 0 0")),
      [prepare("logs was 0775 and owned by root", [logs])],
      [],
    ],
    [
      "client#667: sticky data",
      seen("seen: ready", (text) => text.replace("drwxrwsrwx", "drwxrwsrwt")),
      [prepare("data was 3777 and owned by uid 1000", [data])],
      [],
    ],
    ["exact but strangely owned: nothing", seen("seen: ready", (text) => text.replaceAll("1000 1000", "0 0")), [], []],
    [
      "unreadable: the script may know more",
      seen("seen: unreadable"),
      [prepare("data and logs were unreadable", [data, logs])],
      [],
    ],
    ["B46: a file on the way is left alone", seen("seen: file on the way"), [], ["STORAGE_BLOCKED", "STORAGE_BLOCKED"]],
    [
      "a symlink is left alone, the other one prepared",
      seen("seen: symlink"),
      [prepare("logs was missing", [logs])],
      ["STORAGE_BLOCKED"],
    ],
    ["B24: a read-only mount is left alone", seen("seen: read-only mount"), [], ["STORAGE_BLOCKED", "STORAGE_BLOCKED"]],
    [
      "no such mount: nothing is made in its place",
      seen("seen: missing", (text) =>
        text.replaceAll("1 2 - - - ls: /tracebloc/tracebloc", "1 1 - - - ls: /tracebloc"),
      ),
      [],
      ["STORAGE_BLOCKED", "STORAGE_BLOCKED"],
    ],
    [
      "a directory that did not answer is not touched",
      seen("seen: ready", (text) => text.replace(`${data.path} 0 3 drwxrwsrwx 1000 1000`, `${data.path} 137 - - - -`)),
      [],
      ["STORAGE_UNKNOWN"],
    ],
    [
      "no answer: unknown is never no",
      readReport("seen", candidates, timedOut),
      [],
      ["STORAGE_UNKNOWN", "STORAGE_UNKNOWN"],
    ],
    ["B02: an empty answer", readReport("seen", candidates, exited()), [], ["STORAGE_UNKNOWN", "STORAGE_UNKNOWN"]],
    [
      "not asked",
      [...storageNotYet("tracebloc", "the cluster has to run").directories],
      [],
      ["STORAGE_UNKNOWN", "STORAGE_UNKNOWN"],
    ],
  ])("%s", (_, directories, actions, warnings) => {
    const planned = planStorage(ground(directories), []);
    expect(planned).toMatchObject({ actions, then: [], refusals: [] });
    expect(planned.warnings.map(({ reason }) => reason)).toEqual(warnings);
  });

  test("no node yet: decided later, without a warning", () => {
    expect(planStorage(ground(storageNotYet("tracebloc", "").directories, { dataBase: undefined }), [])).toEqual({
      ...nothing,
      then: ["prepare the directories data and logs, and prove them in the node"],
    });
  });

  test("node-local: nothing, whatever is seen", () => {
    const planned = planStorage(ground(seen("seen: missing"), { mode: "node-local" }), []);
    expect(planned).toEqual(nothing);
    expect(resultsOf(ground(seen("seen: missing"), { mode: "node-local" }), [])).toEqual([]);
  });

  test("datasets on a mount of their own: that place, and both mounts are proven to be shared", () => {
    const dirs = { dataDir: "/home/ada/.tracebloc", datasetDir: "/mnt/datasets" };
    const facts = seen("seen: missing", (text) =>
      text.replace("1 1 - - - ls: /tracebloc-data", "1 2 - - - ls: /tracebloc-data/tracebloc"),
    );
    const planned = planStorage(
      ground(facts, { dataBase: "/tracebloc-data", place: { ...place, hostDirs: dirs } }),
      [],
    );
    expect(planned.actions[0]?.directories.map(({ path }) => path).toSorted()).toEqual([
      "/tracebloc-data/tracebloc/data",
      "/tracebloc/tracebloc/logs",
    ]);
    expect(planned.actions[0]?.shared).toEqual(
      expect.arrayContaining([
        { folder: "/home/ada/.tracebloc", base: "/tracebloc" },
        { folder: "/mnt/datasets", base: "/tracebloc-data" },
      ]),
    );
  });

  test("nothing is tried twice: what is still not exact is told instead", () => {
    const facts = seen("seen: as the kubelet leaves it");
    const blocked = judge(
      looked("prepared: mode ignored")[0],
      behaviourOf(data, { is: "refused", said: "" }, undefined),
    );
    const planned = planStorage(ground(facts), [done([data], [blocked])]);
    expect(planned.actions).toEqual([prepare("logs was missing", [logs])]);
    expect(planned.warnings).toMatchObject([{ reason: "STORAGE_BLOCKED", room: "storage" }]);
    expect(planned.warnings[0]?.says).toMatch(/^data cannot be used by the workloads: .*the mount ignores chmod$/);
  });

  test("whatever was done and seen, it plans nothing for a directory that it prepared, and refuses nothing", () => {
    const names = [
      "seen: ready",
      "seen: missing",
      "seen: symlink",
      "seen: unreadable",
      "seen: read-only mount",
      "seen: as the kubelet leaves it",
    ] as const;
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.subarray([data, logs]), (name, prepared) => {
        const planned = planStorage(ground(seen(name)), [done(prepared, [])]);
        const again = planned.actions
          .flatMap(({ directories }) => directories)
          .filter(({ path }) => prepared.some((one) => one.path === path));
        expect([again, planned.refusals]).toEqual([[], []]);
      }),
    );
  });
});

describe("what is said of the directories at the end", () => {
  const byTrial = judge(looked("prepared: mode ignored")[0], behaviourOf(data, { is: "done" }, { is: "done" }));

  test("what the last look shows, and nothing of what was attempted", () => {
    const claimed = judge(looked("prepared: ready")[0]);
    const results = resultsOf(ground(seen("seen: as the kubelet leaves it")), [done([data, logs], [claimed])]);
    expect(results).toMatchObject([
      { volume: "data", result: "blocked", mode: "0755" },
      { volume: "logs", result: "blocked" },
    ]);
  });

  test("a trial of this run stands while the directory looks as it did then", () => {
    const facts = seen("seen: as the kubelet leaves it");
    expect(resultsOf(ground(facts), [done([data], [byTrial])])[0]).toMatchObject({
      result: "writable by proof",
      mode: "0755",
    });
    const changed = seen("seen: as the kubelet leaves it", (text) => text.replace("drwxr-xr-x", "drwx------"));
    expect(resultsOf(ground(changed), [done([data], [byTrial])])[0]).toMatchObject({ result: "blocked", mode: "0700" });
  });

  test("a trial stands where the last look had no answer, and a mode that became exact needs none", () => {
    const silent = readReport("seen", candidates, timedOut);
    expect(resultsOf(ground(silent), [done([data], [byTrial])])).toMatchObject([
      { result: "writable by proof" },
      { result: "unknown" },
    ]);
    expect(resultsOf(ground(seen("seen: ready")), [done([data], [byTrial])])[0]).toMatchObject({ result: "ready" });
  });

  test("a proof of another action is no proof of storage", () => {
    const other = { action: { do: "cluster.create", because: "" }, proof: unknown("", "") };
    expect(resultsOf(ground(seen("seen: ready")), [other]).map(({ result }) => result)).toEqual(["ready", "ready"]);
  });
});

describe("the plan for folders of this machine", () => {
  const missing = ["/home/ada/.tracebloc/tracebloc/data"];

  test.each<[string, Parameters<typeof planFolders>[0], number]>([
    ["missing: they are made", { mode: "hostpath", missing: known(missing, ""), hostDirs }, 1],
    ["all there: nothing", { mode: "hostpath", missing: known([], ""), hostDirs }, 0],
    ["unknown: the node's look decides", { mode: "hostpath", missing: unknown("EACCES", ""), hostDirs }, 0],
    ["not asked: nothing", { mode: "hostpath", missing: notYet("later"), hostDirs }, 0],
    ["node-local: nothing", { mode: "node-local", missing: known(missing, ""), hostDirs }, 0],
  ])("%s", (_, asked, count) => {
    const planned = planFolders(asked, []);
    expect(planned.actions).toHaveLength(count);
    expect(planned.warnings).toEqual([]);
  });

  test("both mounted folders come first, and nothing is tried twice", () => {
    const both = { dataDir: "/home/ada/.tracebloc", datasetDir: "/mnt/datasets" };
    const [action] = planFolders({ mode: "hostpath", missing: known(missing, ""), hostDirs: both }, []).actions;
    expect(action).toMatchObject({ folders: missing, mounted: ["/home/ada/.tracebloc", "/mnt/datasets"] });
    const proof = known({ holds: false, says: "" }, "");
    const again = planFolders({ mode: "hostpath", missing: known(missing, ""), hostDirs }, [
      { action: action ?? never(), proof },
    ]);
    expect(again).toEqual(nothing);
  });
});

function never(): never {
  throw new Error("no action was planned");
}

describe("a folder that was moved or deleted under a running cluster", () => {
  const [dataHere, logsHere] = ["/home/ada/.tracebloc/tracebloc/data", "/home/ada/.tracebloc/tracebloc/logs"];
  const missing = (...folders: readonly string[]) => known(folders, "stat");
  const gist = (directories: readonly Looked[], folders = missing(dataHere, logsHere), over = {}) =>
    planShared(ground(directories, over), folders).refusals.map(({ reason, says }) => `${reason} ${says}`);

  test("is told, once for each mount: the node has it, and this machine has not", () => {
    const says =
      "STORAGE_NOT_SHARED /home/ada/.tracebloc was moved or deleted while the cluster runs: what k3d-tracebloc-server-0 writes to /tracebloc is not in it";
    expect(gist(seen("seen: ready"))).toEqual([says]);
    expect(gist(seen("seen: ready"), missing(logsHere))).toEqual([says]);
  });

  test("is none where this machine has it, where the node has not, or where either cannot be told", () => {
    expect(gist(seen("seen: ready"), missing())).toEqual([]);
    expect(gist(seen("seen: missing"))).toEqual([]);
    expect(gist(storageNotYet("tracebloc", "later").directories)).toEqual([]);
    expect(planShared(ground(seen("seen: ready")), unknown("permission denied", "stat"))).toEqual(nothing);
  });

  test("is no matter where the cluster keeps the data", () => {
    expect(gist(seen("seen: ready"), missing(dataHere, logsHere), { mode: "node-local" })).toEqual([]);
  });
});
