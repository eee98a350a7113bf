import { describe, expect, test } from "vitest";

import type { Wishes } from "../../../src/config/wishes.ts";
import { known, unknown, type Fact } from "../../../src/engine/fact.ts";
import { reasons } from "../../../src/engine/reasons.ts";
import { checkHost } from "../../../src/host/checks/all.ts";
import type { Directory } from "../../../src/host/directory.ts";
import type { Space } from "../../../src/host/disk.ts";
import type { Engine, EngineState } from "../../../src/host/engine.ts";
import type { HostFacts, HostWishes } from "../../../src/host/facts.ts";
import type { Mount } from "../../../src/host/mounts.ts";
import { planHost } from "../../../src/host/plan.ts";
import { standpointOn } from "./answers.ts";

const gibibyte = 2 ** 30;

const engine: Engine = {
  version: "27.3.1",
  api: "1.47",
  system: "Debian GNU/Linux 12 (bookworm)",
  kernel: "6.1.0",
  hostname: "box",
  memoryBytes: 16 * gibibyte,
  cpus: 8,
  rootDir: "/var/lib/docker",
  rootless: false,
};

const space: Space = { freeBytes: 200e9, totalBytes: 500e9, freeFiles: 3e7, totalFiles: 3.2e7 };
const directory: Directory = {
  path: "/home/ann/.tracebloc",
  exists: false,
  standsOn: "/home/ann",
  hindrance: undefined,
  owner: 1000,
};
const mount: Mount = { at: "/", type: "ext4", source: "/dev/vda", options: "rw" };
const wish = <T>(value: T): { value: T; origin: Wishes["dataDir"]["origin"] } => ({
  value,
  origin: { from: "default", name: "default" },
});
const wishes: HostWishes = { dataDir: wish("/home/ann/.tracebloc"), datasetDir: wish(undefined) };

function ready(changes: Partial<Engine> = {}): Fact<EngineState> {
  return known({ is: "ready", engine: { ...engine, ...changes } }, "docker info");
}

function factsWith(changes: Partial<HostFacts> = {}): HostFacts {
  return {
    standpoint: standpointOn("linux"),
    engine: ready(),
    machine: { memoryBytes: 32 * gibibyte, cpus: 8 },
    engineIsHere: known(true, "docker info"),
    engineSpace: known(space, "statfs"),
    dataDir: known(directory, "stat"),
    dataSpace: known(space, "statfs"),
    dataMount: known(mount, "/proc/self/mountinfo"),
    datasetDir: undefined,
    missingHelpers: known([], "config.json"),
    inotify: known({ instances: 128, watches: 65536 }, "/proc"),
    ...changes,
  };
}

/** What a plan says: reasons of refusals and of warnings. */
function planned(changes: Partial<HostFacts>, before: "create" | "repair" = "create", asked = wishes) {
  const { refusals, warnings } = planHost(factsWith(changes), asked, before);
  return { refused: refusals.map(({ reason }) => reason), warned: warnings.map(({ reason }) => reason) };
}

test("a machine that lacks nothing is refused nothing and warned of nothing", () => {
  expect(planHost(factsWith(), wishes)).toEqual({ actions: [], then: [], refusals: [], warnings: [] });
});

test("everything that is in the way is told at once", () => {
  const { refused } = planned({
    engine: known({ is: "troubled", trouble: { kind: "not-running", said: "" } }, "docker info"),
    dataMount: known({ ...mount, type: "nfs4", source: "nas.example.com:/home" }, "mountinfo"),
    dataSpace: known({ ...space, freeBytes: 5e8 }, "statfs"),
  });
  expect(refused).toEqual(["ENGINE_NOT_RUNNING", "DATA_DIR_ON_NETWORK", "DISK_TOO_SMALL"]);
});

describe("B08: what the engine did not answer is not checked, and is not held against the machine", () => {
  const silent = factsWith({
    engine: known({ is: "troubled", trouble: { kind: "not-answering", how: "silent", said: "" } }, "docker info"),
    engineIsHere: unknown("the engine did not answer", "not asked"),
    engineSpace: unknown("the engine did not answer", "not asked"),
  });

  test("only the engine is refused", () => {
    expect(planHost(silent, wishes).refusals.map(({ reason }) => reason)).toEqual(["ENGINE_NOT_ANSWERING"]);
    const skipped = checkHost(silent, wishes).filter(({ is }) => is === "skipped");
    expect(skipped.map(({ about }) => about)).toEqual(["Memory", "CPUs", "Engine disk", "Confinement"]);
    expect(skipped.every(({ says }) => says === "not checked: the engine did not answer")).toBe(true);
  });

  test("an engine of which nothing could be told is a refusal of its own", () => {
    expect(planned({ engine: unknown("exit code 125", "docker info") }).refused).toEqual(["ENGINE_UNKNOWN"]);
  });

  test("an engine that did not say how large it is is not too small", () => {
    expect(planned({ engine: ready({ memoryBytes: undefined, cpus: undefined }) })).toEqual({
      refused: [],
      warned: [],
    });
  });

  test("no other unknown fact refuses anything", () => {
    const no = unknown("no answer within 5 s", "stat");
    const { refused, warned } = planned({
      engineSpace: no,
      dataSpace: no,
      dataMount: no,
      missingHelpers: no,
      inotify: no,
    });
    expect({ refused, warned }).toEqual({ refused: [], warned: [] });
  });
});

describe("a folder that does not answer, as on a file server that is gone", () => {
  const no = unknown("no answer within 5 s", "stat");

  test("keeps a cluster from being made: whoever makes a folder in it is held for ever", () => {
    expect(planned({ dataDir: no }).refused).toEqual(["DATA_DIR_UNUSABLE"]);
    expect(planned({ datasetDir: no }).refused).toEqual(["DATA_DIR_UNUSABLE"]);
    const said = planHost(factsWith({ datasetDir: no }), wishes).refusals[0]?.remedies.map(({ says }) => says);
    expect(said).toEqual([
      "bring its share back, then run the same command again",
      "use another folder with --dataset-dir",
    ]);
    expect(planHost(factsWith({ dataDir: no }), wishes).refusals[0]?.says).toBe(
      "/home/ann/.tracebloc cannot be looked at: no answer within 5 s",
    );
  });

  test("does not keep a cluster that is there from being repaired", () => {
    const { refusals, warnings } = planHost(factsWith({ dataDir: no }), wishes, "repair");
    expect([refusals, warnings.map(({ reason }) => reason)]).toEqual([[], ["DATA_DIR_DOUBTFUL"]]);
  });
});

describe("B17: an engine on another machine", () => {
  test("is refused although it answers", () => {
    const setting = { by: "DOCKER_HOST", context: undefined, endpoint: "ssh://192.0.2.7" } as const;
    expect(planned({ standpoint: standpointOn("linux", { setting }) }).refused).toEqual(["ENGINE_WRONG_CONTEXT"]);
  });
});

describe("B20: memory", () => {
  const memory = (gib: number, changes: Partial<HostFacts> = {}, more: Partial<Engine> = {}) =>
    planHost(factsWith({ engine: ready({ memoryBytes: gib * gibibyte, ...more }), ...changes }), wishes);

  test.each([
    [2, ["MEMORY_TOO_SMALL"], []],
    [4.4, ["MEMORY_TOO_SMALL"], []],
    [4.5, [], ["MEMORY_LOW"]],
    [7.4, [], ["MEMORY_LOW"]],
    [7.5, [], []],
    [16, [], []],
  ])("%s GiB: the engine of a machine said to have 0.5 more is taken for that", (gib, refused, warned) => {
    const { refusals, warnings } = memory(gib);
    expect([refusals.map(({ reason }) => reason), warnings.map(({ reason }) => reason)]).toEqual([refused, warned]);
  });

  test("the engine's memory counts, not the machine's", () => {
    const { refusals } = memory(2, { standpoint: standpointOn("macos") }, { system: "Docker Desktop" });
    expect(refusals[0]?.says).toBe("the container engine has 2 GB of memory; at least 5 GB are needed");
    expect(refusals[0]?.remedies).toEqual([{ says: "set Memory to 8 GB in Docker Desktop's Settings, Resources" }]);
  });

  test("Colima is stopped and started with more (a variable before `colima stop` would be lost, #428)", () => {
    const { refusals } = memory(2, { standpoint: standpointOn("macos") }, { hostname: "colima" });
    expect(refusals[0]?.remedies[0]?.command).toBe("colima stop && colima start --memory 8");
  });

  test.each(["windows", "wsl2"] as const)("%s: the memory of WSL is set in .wslconfig", (name) => {
    const machine = { memoryBytes: (name === "wsl2" ? 4 : 16) * gibibyte, cpus: 4 };
    const { refusals } = memory(3.8, { standpoint: standpointOn(name), machine });
    expect(refusals[0]?.remedies).toEqual([
      { says: "in %UserProfile%\\.wslconfig set memory=8GB below [wsl2], then restart WSL", command: "wsl --shutdown" },
    ]);
  });

  test("a machine that is too small itself needs a larger machine, not a setting (#445)", () => {
    const { refusals } = memory(
      3,
      { machine: { memoryBytes: 6 * gibibyte, cpus: 4 }, standpoint: standpointOn("macos") },
      { system: "Docker Desktop" },
    );
    expect(refusals[0]?.remedies).toEqual([{ says: "this machine has 6 GB in all: use a larger one" }]);
  });

  test("advice leaves the machine something", () => {
    const { warnings } = memory(6, { machine: { memoryBytes: 12 * gibibyte, cpus: 4 } }, { system: "Docker Desktop" });
    expect(warnings[0]?.remedies[0]?.says).toContain("10 GB");
  });

  test("where a cluster runs already, too little is a hint: a repair is not refused for it", () => {
    expect(planned({ engine: ready({ memoryBytes: 2 * gibibyte }) }, "repair")).toEqual({
      refused: [],
      warned: ["MEMORY_LOW"],
    });
  });
});

test("one processor is a hint", () => {
  expect(planned({ engine: ready({ cpus: 1 }) })).toEqual({ refused: [], warned: ["CPU_FEW"] });
  expect(planned({ engine: ready({ cpus: 2 }) })).toEqual({ refused: [], warned: [] });
});

describe("disks", () => {
  const disk = (changes: Partial<Space>) => known({ ...space, ...changes }, "statfs");

  test("B18: the engine's disk and the data's are told apart", () => {
    const { refusals } = planHost(factsWith({ engineSpace: disk({ freeBytes: 3e9 }) }), wishes);
    expect(refusals[0]?.says).toBe("/var/lib/docker has 3.0 GB free of 500 GB; at least 10 GB are needed");
    const data = planHost(factsWith({ dataSpace: disk({ freeBytes: 3e8 }) }), wishes);
    expect(data.refusals[0]?.says).toBe("/home/ann has 0.3 GB free of 500 GB; at least 1.0 GB are needed");
  });

  test("B18: nobody is told to prune what may be theirs", () => {
    const { refusals, warnings } = planHost(
      factsWith({ engineSpace: disk({ freeBytes: 3e9 }), dataSpace: disk({ freeBytes: 4e9 }) }),
      wishes,
    );
    expect(JSON.stringify([refusals, warnings])).not.toMatch(/prune|rm /);
  });

  test("B18: inodes can be used up while bytes are free; a file system that does not count them has enough", () => {
    expect(planned({ dataSpace: disk({ freeFiles: 2 }) }).refused).toEqual(["DISK_TOO_SMALL"]);
    expect(planned({ engineSpace: disk({ freeFiles: 2, totalFiles: 100 }) }).refused).toEqual(["DISK_TOO_SMALL"]);
    expect(planned({ engineSpace: disk({ freeFiles: undefined, totalFiles: undefined }) }).refused).toEqual([]);
  });

  test.each([
    [0.84, [], []],
    [0.86, [], ["DISK_LOW"]],
    [0.94, [], ["DISK_LOW"]],
    [0.955, ["DISK_TOO_SMALL"], []],
  ])("B19: %s of a large disk in use, with more than enough bytes free", (used, refused, warned) => {
    const totalBytes = 4e12;
    expect(planned({ engineSpace: disk({ totalBytes, freeBytes: totalBytes * (1 - used) }) })).toEqual({
      refused,
      warned,
    });
  });

  test("how full the data's disk is is no concern of the kubelet's", () => {
    expect(planned({ dataSpace: disk({ totalBytes: 4e12, freeBytes: 1e11 }) })).toEqual({ refused: [], warned: [] });
  });

  test("a disk in a virtual machine is not measured", () => {
    expect(planned({ engineSpace: unknown("the engine's disk is in a virtual machine", "docker info") })).toEqual({
      refused: [],
      warned: [],
    });
  });
});

describe("the file system of the data directory", () => {
  const on = (changes: Partial<Mount>) => ({ dataMount: known({ ...mount, ...changes }, "mountinfo") });

  test("a network one is refused, with a local one and a home for large datasets", () => {
    const { refusals } = planHost(factsWith(on({ type: "nfs4", source: "nas.example.com:/home" })), wishes);
    expect(refusals).toEqual([
      {
        reason: "DATA_DIR_ON_NETWORK",
        room: "host",
        says: "/home/ann/.tracebloc is on a network file system (nfs4, nas.example.com:/home); MySQL would be damaged there",
        remedies: [
          { says: "use a local disk", command: "tracebloc install --data-dir /var/lib/tracebloc" },
          { says: "large datasets may stay there", command: "tracebloc install --dataset-dir /home/ann/.tracebloc" },
        ],
      },
    ]);
  });

  test("an existing cluster on one is not refused to be repaired", () => {
    expect(planned(on({ type: "cifs" }), "repair")).toEqual({ refused: [], warned: ["DATA_DIR_DOUBTFUL"] });
  });

  test.each([
    ["9p", "rw,aname=drvfs;path=C:\\;uid=1000"],
    ["virtiofs", "rw"],
    ["tmpfs", "rw"],
    ["fuse.bindfs", "rw"],
  ])("%s is doubtful, and no more", (type, options) => {
    expect(planned(on({ type, options }))).toEqual({ refused: [], warned: ["DATA_DIR_DOUBTFUL"] });
  });

  test("a share of Windows is told by its name", () => {
    const share = { ...wishes, dataDir: wish("\\\\nas\\data") };
    const windows = { standpoint: standpointOn("windows"), dataMount: unknown("Windows does not tell", "not asked") };
    expect(planned(windows, "create", share).refused).toEqual(["DATA_DIR_ON_NETWORK"]);
    expect(planned(windows, "create", { ...wishes, dataDir: wish("C:\\Users\\ann\\.tracebloc") }).refused).toEqual([]);
    expect(planned(windows, "create", { ...wishes, dataDir: wish("\\\\?\\C:\\data") }).refused).toEqual([]);
  });
});

describe("the data directory", () => {
  const at = (changes: Partial<Directory>) => factsWith({ dataDir: known({ ...directory, ...changes }, "stat") });

  test("a leftover of sudo is taken over, itself and nothing below it", () => {
    const { refusals } = planHost(
      at({ exists: true, standsOn: directory.path, hindrance: "not yours", owner: 0 }),
      wishes,
    );
    expect(refusals[0]).toMatchObject({
      reason: "DATA_DIR_UNUSABLE",
      says: "/home/ann/.tracebloc belongs to root, as after a run with sudo: ann may not write there",
      remedies: [{ command: "sudo chown ann /home/ann/.tracebloc" }, {}],
    });
  });

  test("one that cannot be made can be had made", () => {
    const { refusals } = planHost(
      at({ path: "/var/lib/trace bloc", standsOn: "/var/lib", hindrance: "not yours", owner: 0 }),
      wishes,
    );
    expect(refusals[0]?.remedies[0]?.command).toBe("sudo install -d -o ann '/var/lib/trace bloc'");
  });

  test.each(["not a directory", "read-only"] as const)("%s", (hindrance) => {
    expect(planHost(at({ hindrance }), wishes).refusals.map(({ reason }) => reason)).toEqual(["DATA_DIR_UNUSABLE"]);
  });

  test.each(["not a directory", "read-only", "not yours"] as const)(
    "%s: names the flag that it came by",
    (hindrance) => {
      const facts = { datasetDir: known({ ...directory, exists: true, hindrance }, "stat") };
      for (const [where, flag] of [
        [at({ hindrance }), "--data-dir"],
        [factsWith(facts), "--dataset-dir"],
      ] as const) {
        const said = planHost(where, wishes).refusals[0]?.remedies.at(-1)?.says;
        expect(said).toBe(`use another folder with ${flag}`);
      }
    },
  );

  test("a wished dataset directory has to be there", () => {
    const missing = { datasetDir: known({ ...directory, path: "/mnt/sets", standsOn: "/mnt" }, "stat") };
    const { refusals } = planHost(factsWith(missing), wishes, "repair");
    expect(refusals[0]).toMatchObject({ reason: "DATA_DIR_UNUSABLE", remedies: [{ command: "mkdir /mnt/sets" }] });
  });
});

describe("B23: Docker from snap", () => {
  const snap = { engine: ready({ rootDir: "/var/snap/docker/common/var-lib-docker" }) };

  test.each([
    ["/home/ann/.tracebloc", ["ENGINE_CONFINED"]],
    ["/srv/data", ["ENGINE_CONFINED"]],
    ["/home/ann/tracebloc", []],
  ])("does it see %s?", (path, warned) => {
    expect(planned(snap, "create", { ...wishes, dataDir: wish(path) }).warned).toEqual(warned);
  });
});

test("B38: inotify limits below what one cluster needs", () => {
  expect(planned({ inotify: known({ instances: 64, watches: 65536 }, "/proc") }).warned).toEqual(["KERNEL_LIMIT_LOW"]);
  expect(planned({ inotify: undefined }).warned).toEqual([]);
});

test("B47: a missing credential helper is a hint as long as nothing needs it", () => {
  const missingHelpers = known(
    [{ helper: "desktop.exe", key: "credsStore", file: "/home/ann/.docker/config.json" }],
    "config.json",
  );
  const { warnings } = planHost(factsWith({ missingHelpers }), wishes);
  expect(warnings[0]?.says).toBe(
    "docker-credential-desktop.exe is not on PATH; /home/ann/.docker/config.json names it (credsStore)",
  );
});

test("no warning of this room ends a run badly", () => {
  const short: Partial<HostFacts> = {
    engine: ready({ memoryBytes: gibibyte, cpus: 1, rootDir: "/var/snap/docker/x" }),
    engineSpace: known({ ...space, freeBytes: 1 }, "statfs"),
    dataSpace: known({ ...space, freeBytes: 1 }, "statfs"),
    dataMount: known({ ...mount, type: "nfs" }, "mountinfo"),
    dataDir: known({ ...directory, hindrance: "read-only" }, "stat"),
    inotify: known({ instances: 1, watches: 1 }, "/proc"),
    missingHelpers: known([{ helper: "x", key: "credsStore", file: "f" }], "config.json"),
  };
  const { refused, warned } = planned(short, "repair");
  expect(refused).toEqual([]);
  expect(warned).toHaveLength(9);
  expect(warned.map((reason) => reasons[reason].kind)).toEqual(warned.map(() => "hint"));
});
