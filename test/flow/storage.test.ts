import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { mountPoints } from "../../src/cluster/node.ts";
import { flow, type Ran } from "./command.ts";
import type { Script } from "./scripted-runner.ts";
import { fromDisk } from "./stand-in-node.ts";

const changing = ({ calls }: Ran) => calls.filter(({ mutates }) => mutates === true);
const verdicts = (ran: Ran) => ran.result().storage?.map(({ volume, result }) => `${volume} ${result}`);
const reasonsOf = (ran: Ran) => ran.result().warnings.map(({ reason }) => reason);

/** What one kind of script in the node gets instead. */
const script =
  (end: RegExp, answer: ReturnType<typeof fromDisk>): Script =>
  ({ args, stdin }) =>
    args[0] === "exec" && end.test(String(stdin)) ? answer : undefined;
const preparing = /end prepared \d/;
const proving = /printf 'shared /;

describe("B02: a preparation whose exit code is 0", () => {
  test.each([
    ["and that says nothing", fromDisk("empty stdin")],
    [
      "and whose end marker is missing",
      {
        ...fromDisk("prepared: ready"),
        stdout: "prepared /tracebloc/tracebloc/data 0 0 0 0 3 drwxrwsrwx 1000 1000 \n",
      },
    ],
    [
      "and that speaks of a directory whose path begins like ours",
      { ...fromDisk("prepared: ready"), stdout: fromDisk("prepared: ready").stdout.replace("/data ", "/data2 ") },
    ],
  ])("%s: is no proof; the install goes on, says so, and fails with --strict", async (_, answer) => {
    const { tracebloc, world } = await flow("linux");
    world.faults.push(script(preparing, answer), script(/end seen \d/, fromDisk("empty stdin")));
    const ran = await tracebloc("install", "--json");
    expect([ran.exit, ran.result().state]).toEqual([0, "unproven"]);
    expect(reasonsOf(ran)).toContain("STORAGE_UNKNOWN");
    expect(world.release?.status).toBe("deployed");
    expect(await tracebloc("install", "--strict")).toMatchObject({ exit: 6 });
  });

  test("counts as failed where a program reads the result (CI)", async () => {
    const { tracebloc, world, set } = await flow("linux");
    set({ CI: "true" });
    world.faults.push(script(preparing, fromDisk("empty stdin")), script(/end seen \d/, fromDisk("empty stdin")));
    expect(await tracebloc("install")).toMatchObject({ exit: 6 });
  });
});

describe("B03: a mount on which chmod succeeds and changes nothing", () => {
  test("is writable by proof where the workloads may do what they must", async () => {
    const { tracebloc, world } = await flow("macos");
    world.ignoresModes = "open to all";
    const ran = await tracebloc("install", "--json");
    expect(verdicts(ran)).toEqual(["data writable by proof", "logs ready"]);
    expect([ran.exit, world.release?.status]).toEqual([0, "deployed"]);
    const uids = ran.calls.flatMap(({ args }) => (args[2] === "--user" ? [args[3]] : []));
    expect(new Set(uids)).toEqual(new Set(["65534:65534", "65532:65532"]));
  });

  test.each([
    ["linux", "--data-dir"],
    ["macos", "Docker Desktop"],
    ["windows", "WSL2"],
    ["wsl2", "in the distribution's own file system"],
  ] as const)("is blocked where they may not, and on %s the way out is %s, not chmod", async (name, way) => {
    const { tracebloc, world } = await flow(name);
    world.ignoresModes = "closed";
    const ran = await tracebloc("install", "--json");
    expect(verdicts(ran)).toEqual(["data blocked", "logs blocked"]);
    expect([ran.exit, ran.result().state, world.release?.status]).toEqual([6, "degraded", "deployed"]);
    const remedies = ran
      .result()
      .failures.flatMap(({ reason, remedies: all }) => (reason === "STORAGE_BLOCKED" ? all : []));
    const told = remedies.map(({ says, command }) => `${says} ${command}`).join("\n");
    expect(told).toContain(way);
    expect(told).not.toContain("chmod");
  });
});

test("B24: a mount that is read-only is blocked, and nothing is tried on it", async () => {
  const { tracebloc, world } = await flow("linux");
  world.faults.push(script(/end seen \d/, fromDisk("seen: read-only mount")));
  const ran = await tracebloc("install", "--json");
  expect([verdicts(ran), ran.exit]).toEqual([["data blocked", "logs blocked"], 6]);
  expect(changing(ran).map(({ file, args }) => `${file} ${args[0]}`)).toEqual(["k3d cluster", "helm upgrade"]);
});

test("B23: where the node does not see the folder, nothing is prepared in it and Helm is not run", async () => {
  const { tracebloc, world } = await flow("linux");
  world.faults.push(script(proving, fromDisk("shared: not there")));
  const ran = await tracebloc("install", "--json");
  expect([ran.exit, ran.result().failures.map(({ reason }) => reason)]).toEqual([5, ["STORAGE_NOT_SHARED"]]);
  expect(changing(ran).map(({ file, args }) => `${file} ${args[0]}`)).toEqual(["k3d cluster"]);
});

describe.each([
  ["linux", (home: string) => join(home, "sets")],
  ["macos", (home: string) => join(home, "Data Sets")],
  ["windows", () => "D:\\Data Sets"],
  ["wsl2", (home: string) => join(home, "sets@work")],
] as const)("on %s, a dataset directory", (name, where) => {
  test("is mounted beside the data, and there data is prepared; logs stay", async () => {
    const { tracebloc, world, person } = await flow(name);
    const folder = where(person.home);
    mkdirSync(folder, { recursive: true });
    const ran = await tracebloc("install", "--json", "--dataset-dir", folder);
    expect(ran.exit, ran.stdout).toBe(0);
    expect(world.cluster?.folders).toEqual([
      [person.data, mountPoints.data],
      [folder, mountPoints.datasets],
    ]);
    const volumes = changing(ran)[0]?.args.filter((_, at, all) => all[at - 1] === "--volume");
    expect(volumes?.[1]).toBe(`${folder.replaceAll("@", "\\@")}:/tracebloc-data@all`);
    expect(ran.result().storage?.map(({ path, result }) => `${path} ${result}`)).toEqual([
      "/tracebloc-data/tracebloc/data ready",
      "/tracebloc/tracebloc/logs ready",
    ]);
    expect(existsSync(join(folder, "tracebloc", "data"))).toBe(true);
    expect(world.release?.values).toMatchObject({ hostPath: { enabled: true, datasetPath: "/tracebloc-data" } });
  });

  test("stays the cluster's own where a later run does not name it (B12)", async () => {
    const { tracebloc, person } = await flow(name);
    const folder = where(person.home);
    mkdirSync(folder, { recursive: true });
    await tracebloc("install", "--dataset-dir", folder);
    const again = await tracebloc("install", "--json");
    expect([again.exit, changing(again)]).toEqual([0, []]);
    expect(again.result().storage?.[0]?.path).toBe("/tracebloc-data/tracebloc/data");
  });
});

describe("storage mode node-local", () => {
  test("mounts nothing, prepares nothing and says so; the cluster then holds the data and is not deleted for it", async () => {
    const { tracebloc, world, person } = await flow("linux");
    const ran = await tracebloc("install", "--json", "--storage-mode", "node-local");
    expect([ran.exit, world.cluster?.folders]).toEqual([0, []]);
    const create = changing(ran)[0]?.args ?? [];
    expect(create.filter((arg) => arg === "--volume" || arg.includes("local-storage"))).toEqual([]);
    expect(ran.calls.filter(({ args, mutates }) => args[0] === "exec" && mutates === true)).toEqual([]);
    expect(world.release?.values).toMatchObject({ hostPath: { enabled: false }, storageClass: { name: "local-path" } });
    expect(existsSync(person.data)).toBe(false);
    const gone = await tracebloc("uninstall", "--json");
    expect(gone.result().actions.map((action) => action.do)).toEqual(["release.remove"]);
    expect(world.cluster).toBeDefined();
  });

  test("cannot be had together with a dataset directory: exit 2, nothing touched", async () => {
    const { tracebloc, person } = await flow("linux");
    const ran = await tracebloc("install", "--json", "--storage-mode", "node-local", "--dataset-dir", "/srv/sets");
    expect([ran.exit, ran.result().failures.map(({ reason }) => reason)]).toEqual([2, ["CONFIG_CONFLICT"]]);
    expect([ran.calls, existsSync(person.state)]).toEqual([[], false]);
  });
});

test("uninstall --delete-data --yes takes the data as well, and nothing beside it", async () => {
  const { tracebloc, person } = await flow("linux");
  await tracebloc("install");
  mkdirSync(join(person.data, "other"));
  mkdirSync(join(person.data, "tracebloc", "mysql"));
  const ran = await tracebloc("uninstall", "--delete-data", "--yes", "--json");
  expect([ran.exit, ran.result().actions.map((action) => action.do)]).toEqual([
    0,
    ["cluster.delete", "storage.delete"],
  ]);
  expect([existsSync(join(person.data, "tracebloc")), existsSync(join(person.data, "other"))]).toEqual([false, true]);
});
