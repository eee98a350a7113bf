import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { beforeEach, describe, expect, test } from "vitest";

import { ownProcess } from "../../src/process/processes.ts";
import { failuresOf, findingOf, inMounts, noParts, partsOf, paste } from "./looks.ts";
import { useProduct } from "./product.ts";

/** What lies in the state directory before a run: by another version, another run, a full disk. None of it needs a cluster. */
describe("the state directory", () => {
  const product = useProduct("lab-state");
  const { state, cluster } = product;
  const [installation, lock] = [join(state, "installation.json"), join(state, "lock")];
  const commands = [["install"], ["plan"], ["uninstall", "--yes"]];

  beforeEach(() => {
    rmSync(state, { recursive: true, force: true });
    mkdirSync(state, { mode: 0o700 });
  });

  const records = [
    { what: "was written by a newer version", reason: "STATE_NEWER", exit: 5, text: '{"format":99,"version":"9.9.9"}' },
    { what: "is cut off", reason: "STATE_UNUSABLE", exit: 3, text: '{"format":1,"version":"1.0.0","id":"0' },
    { what: "is empty, as after a power cut", reason: "STATE_UNUSABLE", exit: 3, text: "" },
  ] as const;

  test.each(records)("whose record $what is left as it is, and nothing is made", async ({ text, reason, exit }) => {
    writeFileSync(installation, text);
    for (const command of commands) {
      const ran = await product.run([...command, "--json"]);
      expect(ran.result(), command[0]).toMatchObject({ exit, state: "refused", actions: [] });
      expect(failuresOf(ran)).toEqual([reason]);
    }
    // Nothing is installed, whatever the record says.
    expect(failuresOf(await product.run(["status", "--json"]))).toEqual(["NOT_INSTALLED"]);
    expect(readFileSync(installation, "utf8")).toBe(text);
    expect(await partsOf(cluster)).toEqual(noParts);
  });

  test("that is read-only is named before anything is done", async () => {
    const readOnly = inMounts(`mount --bind ${state} ${state} && mount -o remount,bind,ro ${state}`);
    const ran = await product.run(["install", "--json"], readOnly);
    expect(failuresOf(ran)).toEqual(["STATE_UNUSABLE"]);
    expect(ran.result()).toMatchObject({
      exit: 3,
      failures: [{ says: expect.stringContaining("read-only") as string }],
    });
  });

  test("that is full is named before anything is done", async () => {
    const full = inMounts(
      `mount -t tmpfs -o size=4k,mode=700 none ${state} && head -c 4096 /dev/zero >${state}/filling`,
    );
    const ran = await product.run(["install", "--json"], full);
    expect(failuresOf(ran)).toEqual(["STATE_UNUSABLE"]);
    expect(ran.result()).toMatchObject({
      exit: 3,
      failures: [{ says: expect.stringContaining("no space left") as string }],
    });
  });

  test("that becomes full in the middle of a run ends it before a cluster is begun that could not be noted", async () => {
    const ran = await product.run(["install", "--json"], inMounts(`mount -t tmpfs -o size=12k,mode=700 none ${state}`));
    expect(failuresOf(ran)).toEqual(["STATE_UNUSABLE"]);
    expect(ran.result()).toMatchObject({
      exit: 3,
      failures: [{ says: expect.stringContaining("no space left") as string }],
    });
    expect(await partsOf(cluster)).toEqual(noParts);
  });

  describe("with a lock", () => {
    const { pid, startedAt } = ownProcess();
    const boot = startedAt.split("/")[0] ?? "";
    const owner = (more: object) =>
      JSON.stringify({
        pid,
        startedAt,
        host: readFileSync("/proc/sys/kernel/hostname", "utf8").trim(),
        since: "2026-01-02T03:04:05.000Z",
        command: "tracebloc install",
        token: "0123456789ab",
        ...more,
      });
    // Ends at once, and later than the lock: a run that gets here holds it.
    const withoutEngine = { env: { DOCKER_HOST: "unix:///nowhere.sock" } };

    const stale = [
      { whose: "a process that has ended", text: owner({ pid: 4_194_000 }) },
      { whose: "a process whose pid another one has now", text: owner({ startedAt: `${boot}/1` }) },
      { whose: "another boot of this machine", text: owner({ startedAt: "00000000-0000-4000-8000-000000000000/1" }) },
      { whose: "nobody, since it was never written to its end", text: '{"pid":' },
    ];

    test.each(stale)("of $whose takes it over", async ({ text }) => {
      writeFileSync(lock, text);
      utimesSync(lock, 0, 0);
      const ran = await product.run(["install", "--json"], withoutEngine);
      expect(failuresOf(ran)).toEqual(["ENGINE_WRONG_CONTEXT"]);
      expect(() => readFileSync(lock)).toThrow("ENOENT");
    });

    test("of a run that is at work ends with 8, and names it", async () => {
      writeFileSync(lock, owner({}));
      for (const command of ["install", "uninstall"]) {
        const ran = await product.run([command, "--json"], withoutEngine);
        expect(ran.result()).toMatchObject({ exit: 8, failures: [{ reason: "RUN_LOCKED" }] });
        const says = findingOf(ran, "RUN_LOCKED")?.says;
        expect(says).toBe(`\`tracebloc install\` (process ${pid}) is at work since 2026-01-02 03:04 UTC`);
      }
      const status = await product.run(["status", "--json"], withoutEngine);
      expect(status.exit).toBe(4);
      expect(readFileSync(lock, "utf8")).toBe(owner({}));
    });

    test("of another machine that shares this directory is left alone, and the command that is named frees it", async () => {
      writeFileSync(lock, owner({ host: "other.example.com", startedAt: "2026-01-02T03:04:00.000Z" }));
      const ran = await product.run(["install", "--json"], withoutEngine);
      expect(ran.exit).toBe(8);
      expect(findingOf(ran, "RUN_LOCKED")?.says).toContain("on other.example.com");
      await paste(product, findingOf(ran, "RUN_LOCKED")?.remedies[0]?.command);
      expect(failuresOf(await product.run(["install", "--json"], withoutEngine))).toEqual(["ENGINE_WRONG_CONTEXT"]);
    });
  });
});
