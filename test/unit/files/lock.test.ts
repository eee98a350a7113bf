import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";

import { takeLock, whoHolds, type Lock, type LockOptions, type Owner } from "../../../src/files/lock.ts";
import { ownProcess, processes, type Processes } from "../../../src/process/processes.ts";
import { asUser, canMount, isRoot, platformOf, smallDisk, temporaryFolder } from "./support.ts";

/** On Linux no program is asked about a process. */
const noRunner = { run: () => Promise.reject(new Error("not to be called")), stopAll: () => Promise.resolve() };
const options: LockOptions = {
  command: "tracebloc install",
  processes: processes(noRunner, "linux"),
  platform: platformOf("linux"),
};

const newPath = () => join(temporaryFolder(), "lock");
const take = (path: string, more: Partial<LockOptions> = {}) => takeLock(path, { ...options, ...more });

/** Puts the lock of another process there. */
function lockOf(path: string, owner: Partial<Owner>): Owner {
  const whole = {
    ...ownProcess(),
    host: hostname(),
    since: "2026-11-30T12:03:04.000Z",
    command: "tracebloc upgrade",
    token: "abc123",
    ...owner,
  };
  writeFileSync(path, JSON.stringify(whole));
  return whole;
}

function ours(lock: Lock) {
  if (lock.state !== "ours") throw new Error(JSON.stringify(lock));
  return lock;
}

const dead = { startedAt: "00000000-0000-0000-0000-000000000000/1" };

describe("a free lock", () => {
  test("is taken, tells by whom, and is there for nobody else to read", async () => {
    const path = newPath();
    const lock = ours(await take(path));
    expect(lock.after).toBeUndefined();
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      ...ownProcess(),
      host: hostname(),
      command: "tracebloc install",
    });
    expect(readdirSync(join(path, ".."))).toEqual(["lock"]);
  });

  test("is free again after it was released, also for the same process", async () => {
    const path = newPath();
    ours(await take(path)).release();
    expect(readdirSync(join(path, ".."))).toEqual([]);
    ours(await take(path));
  });
});

describe("a held lock", () => {
  test("is told with its owner, and stays", async () => {
    const path = newPath();
    const owner = lockOf(path, {});
    expect(await take(path)).toEqual({
      state: "held",
      by: owner,
      says: `\`tracebloc upgrade\` (process ${process.pid}) is at work since 2026-11-30 12:03 UTC`,
      remedies: [{ says: "wait until it has ended, then try again" }],
    });
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(owner);
  });

  test("is not released by who lost it", async () => {
    const path = newPath();
    const lock = ours(await take(path));
    const other = lockOf(path, { token: "fff" });
    lock.release();
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(other);
  });

  test("of another host cannot be judged from here: it is named, with the command for a person who can", async () => {
    const path = newPath();
    lockOf(path, { host: "other.example.com", ...dead });
    expect(await take(path)).toMatchObject({
      state: "held",
      says: expect.stringContaining("on other.example.com) holds the lock since 2026-11-30 12:03 UTC") as string,
      remedies: [{ says: "if it does not", command: `rm ${path}` }],
    });
  });

  test("of this boot is of this machine, whatever name a network has given it since", async () => {
    const path = newPath();
    const own = ownProcess();
    lockOf(path, { host: "old-name.example.com" });
    expect(await take(path)).toMatchObject({ state: "held", says: expect.stringContaining("is at work") as string });
    lockOf(path, { host: "old-name.example.com", startedAt: own.startedAt.replace(/\d+$/, "1") });
    ours(await take(path));
  });

  test("whose owner cannot be seen is held: unknown is not dead", async () => {
    const path = newPath();
    lockOf(path, {});
    const blind: Processes = {
      startedAt: async () => ({ state: "unknown", why: "x" }),
      isAlive: async () => "unknown",
    };
    expect(await take(path, { processes: blind })).toMatchObject({
      state: "held",
      says: expect.stringContaining("cannot be told") as string,
    });
  });

  test.for([
    ["empty", ""],
    ["half written", '{"pid":12,"star'],
  ])("that is %s is held while it is young, and stale later", async ([, content]) => {
    const path = newPath();
    writeFileSync(path, content ?? "");
    expect(await take(path)).toMatchObject({
      state: "held",
      by: undefined,
      says: "another run is just taking the lock",
    });
    utimesSync(path, Date.now() / 1000 - 60, Date.now() / 1000 - 60);
    expect(ours(await take(path)).after).toBeUndefined();
  });
});

describe("who only looks", () => {
  const who = (path: string) => whoHolds(path, options);

  test("is told who is at work, and takes nothing", async () => {
    const path = newPath();
    expect(await who(path)).toBeUndefined();
    expect(readdirSync(join(path, ".."))).toEqual([]);
    const owner = lockOf(path, {});
    const refused = await take(path);
    if (refused.state !== "held") throw new Error(JSON.stringify(refused));
    expect(await who(path)).toEqual({ says: refused.says, remedies: refused.remedies });
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(owner);
  });

  test("is not troubled by a dead process, or by what is no lock; a lock that is just being taken is one", async () => {
    const path = newPath();
    lockOf(path, dead);
    expect(await who(path)).toBeUndefined();
    writeFileSync(path, "half");
    expect((await who(path))?.says).toBe("another run is just taking the lock");
    expect(await who(join(path, "below a file"))).toBeUndefined();
  });
});

describe("a stale lock", () => {
  test("of a dead process is taken over, and its owner named", async () => {
    const path = newPath();
    const child = spawn("true");
    await new Promise((resolve) => child.once("exit", resolve));
    const owner = lockOf(path, { pid: child.pid ?? 0 });
    expect(ours(await take(path)).after).toEqual(owner);
    expect(readdirSync(join(path, ".."))).toEqual(["lock"]);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid, command: "tracebloc install" });
  });

  test("of another boot, or whose pid another process has now, is taken over", async () => {
    const path = newPath();
    const [boot] = ownProcess().startedAt.split("/");
    for (const startedAt of [dead.startedAt, `${boot}/1`]) {
      const owner = lockOf(path, { startedAt });
      const lock = ours(await take(path));
      expect(lock.after).toEqual(owner);
      lock.release();
    }
  });

  test("is taken over although somebody was killed while taking it over", async () => {
    const path = newPath();
    lockOf(path, { ...dead, token: "aaa" });
    lockOf(`${path}.aaa`, { ...dead, token: "bbb" });
    lockOf(`${path}.aaa.bbb`, { ...dead, token: "ccc" });
    ours(await take(path));
    expect(readdirSync(join(path, ".."))).toEqual(["lock"]);
  });

  test("is left to who is just taking it over", async () => {
    const path = newPath();
    lockOf(path, { ...dead, token: "aaa" });
    const owner = lockOf(`${path}.aaa`, { command: "tracebloc install" });
    expect(await take(path)).toMatchObject({ state: "held", by: owner });
  });

  test("goes to one of many processes at a time, again and again", async () => {
    const folder = temporaryFolder();
    const bundle = await rolldown({
      input: fileURLToPath(new URL("../../fixtures/process/lock-racer.ts", import.meta.url)),
      platform: "node",
    });
    await bundle.write({ file: join(folder, "racer.mjs"), format: "esm", codeSplitting: false });
    const path = join(folder, "lock");
    lockOf(path, dead);
    const race = () =>
      new Promise<string>((resolve) => {
        const racer = spawn(process.execPath, [join(folder, "racer.mjs"), path, join(folder, "inside"), "60"]);
        let said = "";
        for (const stream of [racer.stdout, racer.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
        racer.once("close", (code) => resolve(`${code} ${said}`));
      });
    const results = await Promise.all([race(), race(), race(), race()]);
    expect(results.map((result) => result.replace(/"met":\d+/, '"met":0'))).toEqual(
      Array(4).fill('0 {"had":60,"met":0}\n'),
    );
    expect(results.some((result) => !result.includes('"met":0'))).toBe(true);
  });
});

describe("a lock that cannot be made", () => {
  test.skipIf(!canMount)("says why, and throws nothing", async () => {
    const disk = smallDisk(4);
    writeFileSync(join(disk, "full"), Buffer.alloc(4096));
    const path = join(disk, "lock");
    expect(await take(path)).toEqual({
      state: "unusable",
      says: `cannot lock ${path}: no space left on its file system`,
      remedies: [
        { says: "make room there, or let this user write there" },
        expect.objectContaining({ command: "export TRACEBLOC_STATE_DIR=tracebloc-state" }),
      ],
    });
    expect(readdirSync(disk)).toEqual(["full"]);
  });

  test.skipIf(!isRoot)("is in a folder of somebody else, or cannot be read", async () => {
    const path = newPath();
    expect(await asUser(4711, () => take(path))).toMatchObject({
      state: "unusable",
      says: `cannot lock ${path}: permission denied`,
    });
    mkdirSync(join(path, "..", "theirs"));
    chmodSync(join(path, ".."), 0o777);
    lockOf(path, dead);
    chmodSync(path, 0o600);
    expect(await asUser(4711, () => take(path))).toMatchObject({ state: "unusable" });
  });
});
