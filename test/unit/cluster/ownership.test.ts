import { describe, expect, test } from "vitest";

import type { Installation } from "../../../src/cluster/installation.ts";
import type { Mount, Node } from "../../../src/cluster/node.ts";
import {
  differences,
  effectiveDataDir,
  effectiveDatasetDir,
  effectiveStorageMode,
  ownershipOf,
} from "../../../src/cluster/ownership.ts";
import { asking, defaults } from "./stand-in.ts";

const installation: Installation = { format: 1, id: "id-1", createdAt: "", version: "1.0.0", clusters: {} };

const bind = (destination: string, source: string, asked: string | undefined = source): Mount => ({
  type: "bind",
  destination,
  source,
  asked,
  writable: true,
});

function node(mounts: readonly Mount[], label?: string): Node {
  return {
    name: "k3d-tracebloc-server-0",
    cluster: "tracebloc",
    installation: label,
    state: "running",
    createdAt: "2026-11-30T10:00:00Z",
    startedAt: "2026-11-30T10:00:01Z",
    exitCode: 0,
    outOfMemory: false,
    restarts: 0,
    image: "rancher/k3s:v1.35.5-k3s1",
    mounts,
    api: { host: "127.0.0.1", port: 6550 },
    environment: [],
  };
}

const hostpath = node([bind("/tracebloc", "/home/ada/.tracebloc")]);
const elsewhere = node([bind("/tracebloc", "/srv/tracebloc")]);
const nodeLocal = node([], "id-1");

describe("whose a cluster is", () => {
  test("ours is what carries our label, whatever it mounts", () => {
    expect(ownershipOf(nodeLocal, installation)).toEqual({ whose: "ours" });
  });

  test("a label without our state, or with another installation's id, makes nothing ours", () => {
    expect(ownershipOf(node([], "id-2"), installation)).toMatchObject({ whose: "foreign" });
    expect(ownershipOf(node([], "id-1"), undefined)).toMatchObject({ whose: "foreign" });
    expect(ownershipOf(node([], undefined), undefined)).toMatchObject({ whose: "foreign" });
  });

  test("adoptable is what keeps its data in a folder of this machine", () => {
    expect(ownershipOf(hostpath, installation)).toEqual({ whose: "adoptable" });
    expect(ownershipOf({ ...hostpath, installation: "id-2" }, installation)).toEqual({ whose: "adoptable" });
    expect(ownershipOf(elsewhere, undefined)).toEqual({ whose: "adoptable" });
  });

  test("B25: a volume at /tracebloc is no folder of this machine", () => {
    const volume: Mount = { ...bind("/tracebloc", "/var/lib/docker/volumes/data/_data", "data"), type: "volume" };
    expect(ownershipOf(node([volume]), installation)).toEqual({
      whose: "foreign",
      why: "/tracebloc in its node is a volume, not a folder of this machine",
    });
  });

  test("B12: a mount whose path only begins like ours is not ours", () => {
    expect(ownershipOf(node([bind("/tracebloc2", "/srv/x")]), installation)).toMatchObject({ whose: "foreign" });
  });
});

describe("what the node was made with counts, not what today's settings say", () => {
  test.each([
    ["the wished one, as it is spelled there", hostpath, "/home/ada/.tracebloc"],
    ["another one, where none was asked for", elsewhere, "/srv/tracebloc"],
    ["none, in node-local mode", nodeLocal, undefined],
  ])("the data directory: %s", (_, seen, expected) => {
    expect(effectiveDataDir(seen, defaults)).toBe(expected);
  });

  test("a dataset directory that is mounted is used, though none is wished for", () => {
    expect(effectiveDatasetDir(node([bind("/tracebloc-data", "/srv/datasets")]), defaults)).toBe("/srv/datasets");
    expect(effectiveDatasetDir(hostpath, asking({ datasetDir: "/srv/datasets" }))).toBeUndefined();
  });

  test("the storage mode is told by the mount", () => {
    expect([effectiveStorageMode(hostpath), effectiveStorageMode(nodeLocal)]).toEqual(["hostpath", "node-local"]);
  });

  test.each([
    ["/host_mnt/Users/ada/.tracebloc", "/Users/ada/.tracebloc"],
    ["/run/desktop/mnt/host/c/Users/Ada/.tracebloc", "C:/Users/Ada/.tracebloc"],
    ["/host_mnt/c/Users/Ada/.tracebloc", "C:/Users/Ada/.tracebloc"],
    ["/home/ada/.tracebloc", "/home/ada/.tracebloc"],
  ])("the engine's machine has it at %s, this one at %s", (source, expected) => {
    expect(effectiveDataDir(node([{ ...bind("/tracebloc", source), asked: undefined }]), defaults)).toBe(expected);
  });

  test("Windows: a person's own spelling is kept", () => {
    const windows = node([bind("/tracebloc", "/run/desktop/mnt/host/c/Users/Ada/.tracebloc", undefined)]);
    const wishes = asking({ dataDir: "c:\\Users\\Ada\\.tracebloc\\" });
    expect(effectiveDataDir(windows, wishes)).toBe("c:\\Users\\Ada\\.tracebloc\\");
    expect(differences(windows, wishes)).toEqual([]);
  });
});

describe("B12: what was asked for and differs is named", () => {
  test.each([
    ["nothing, where nothing was asked for", elsewhere, defaults, []],
    ["nothing, where the same was asked for", hostpath, asking({ dataDir: "/home/ada/.tracebloc/" }), []],
    [
      "the data directory",
      hostpath,
      asking({ dataDir: "/data" }),
      [{ setting: "dataDir", wished: "/data", found: "/home/ada/.tracebloc" }],
    ],
    [
      "a directory that differs by case only, on a system that tells",
      hostpath,
      asking({ dataDir: "/home/Ada/.tracebloc" }),
      [{ setting: "dataDir", wished: "/home/Ada/.tracebloc", found: "/home/ada/.tracebloc" }],
    ],
    [
      "a dataset directory that is not there",
      hostpath,
      asking({ datasetDir: "/srv" }),
      [{ setting: "datasetDir", wished: "/srv", found: undefined }],
    ],
    [
      "the storage mode",
      hostpath,
      asking({ storageMode: "node-local" }),
      [{ setting: "storageMode", wished: "node-local", found: "hostpath" }],
    ],
    [
      "the storage mode alone, where there is no directory to compare",
      nodeLocal,
      asking({ storageMode: "hostpath", dataDir: "/data" }),
      [{ setting: "storageMode", wished: "hostpath", found: "node-local" }],
    ],
  ])("%s", (_, seen, wishes, expected) => {
    expect(differences(seen, wishes)).toEqual(expected);
  });
});
