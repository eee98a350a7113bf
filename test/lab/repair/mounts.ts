import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

import { afterEach, beforeAll, describe, expect, test } from "vitest";

import { docker, inLab, runPod } from "../lab.ts";
import { findingOf } from "../looks.ts";
import type { Product } from "../product.ts";

const release = "/tracebloc/tracebloc";
const source = "/var/lib/lab-mount";

/** File systems that do not do as they are told, mounted in the node where the release has its directories. */
export function foreignMounts(product: Product): void {
  const pod = (name: string, uid: number, claim: string, args: readonly string[]) =>
    runPod(product, { name, uid, claim, args, namespace: "tracebloc" });
  /** Once as uid 65534, once as uid 65532: exit codes of both. */
  const tryOut = async (name: string, claim: string) => [
    (await pod(`${name}-writer`, 65534, claim, ["write", "/data/shared/tried"])).exitCode,
    (await pod(`${name}-remover`, 65532, claim, ["remove", "/data/shared/tried"])).exitCode,
  ];

  describe("whose directories lie", () => {
    afterEach(async () => {
      await product.inNode(
        `umount -l ${release} ${source}/seen; mount -o remount,rw,bind /tracebloc; rm -rf ${source}; true`,
      );
    });

    describe.skipIf(!hasBindfs())("on a mount that ignores chmod and chown (B03)", () => {
      beforeAll(() => copyBindfs(product));
      const mount = async (dataMode: string, logsMode: string) => {
        const folders = `mkdir -p ${source}; mkdir -m ${dataMode} ${source}/data; mkdir -m ${logsMode} ${source}/logs`;
        const ignoring = "--chmod-ignore --chown-ignore --chgrp-ignore";
        // By way of a folder of its own: some versions refuse one that is not empty.
        const over = `mkdir ${source}/seen; /opt/lab/bindfs.sh ${ignoring} ${source} ${source}/seen; mount --bind ${source}/seen ${release}`;
        await product.inNode(`set -e; umask 0; ${folders}; ${over}`);
      };

      test("is writable by proof where the workloads can do what they must", async () => {
        await mount("0777", "1777");
        const ran = await product.run(["install", "--json"]);

        expect(ran.exit, ran.last).toBe(0);
        expect(ran.result().storage).toMatchObject([
          { volume: "data", result: "writable by proof", mode: "0777" },
          { volume: "logs", result: "writable by proof", mode: "1777" },
        ]);
        expect(await product.inNode(`ls -A ${source}/data ${source}/logs`)).not.toContain("tracebloc-probe");
        expect(await tryOut("proven", "client-pvc")).toEqual([0, 0]);
        expect(await tryOut("proven-logs", "client-logs-pvc")).toEqual([0, 1]);
      });

      test("is blocked where they cannot write, which is exit 6", async () => {
        await mount("0755", "1777");
        const ran = await product.run(["install", "--json"]);

        expect(ran.exit, ran.last).toBe(6);
        expect(ran.result().storage).toMatchObject([
          { volume: "data", result: "blocked", mode: "0755", owner: "0:0" },
          { volume: "logs", result: "writable by proof" },
        ]);
        const found = findingOf(ran, "STORAGE_BLOCKED");
        expect(found?.says).toContain("uid 65534 cannot write there: the mount ignores chmod");
        // A chmod would change nothing here, so that none is advised.
        expect(found?.remedies.map(({ command }) => command).join()).not.toContain("chmod");
        expect(found?.remedies.at(-1)?.command).toContain("install --data-dir");
        const writer = await pod("blocked-writer", 65534, "client-pvc", ["write", "/data/shared/tried"]);
        expect(writer.exitCode).toBe(1);
      });

      test("is blocked where one cannot remove what another wrote (client#667)", async () => {
        await mount("1777", "0777");
        const ran = await product.run(["install", "--json"]);

        expect(ran.exit, ran.last).toBe(6);
        expect(ran.result().storage).toMatchObject([
          { volume: "data", result: "blocked", mode: "1777" },
          { volume: "logs", result: "ready", note: "workloads can remove each other's files there" },
        ]);
        expect(ran.result().storage?.[0]?.note).toContain("uid 65532 cannot remove what uid 65534 wrote");
        expect(await tryOut("sticky", "client-pvc")).toEqual([0, 1]);
      });
    });

    test("on a mount that is read-only is blocked, whatever the modes are (B24)", async () => {
      await product.inNode("mount -o remount,ro,bind /tracebloc");
      const ran = await product.run(["install", "--json"]);

      expect(ran.exit, ran.last).toBe(6);
      expect(ran.result()).toMatchObject({ state: "degraded", actions: [] });
      expect(ran.result().storage).toMatchObject([
        { volume: "data", result: "blocked", cause: "read-only", mode: "2777" },
        { volume: "logs", result: "blocked", cause: "read-only", mode: "3777" },
      ]);
      const found = findingOf(ran, "STORAGE_BLOCKED");
      expect(found?.remedies[0]?.command).toContain("mount -o remount,rw");
      expect(await product.run(["status"])).toMatchObject({ exit: 6 });

      await product.inNode("mount -o remount,rw,bind /tracebloc");
      expect(await product.run(["status"])).toMatchObject({ exit: 0 });
    });

    test("on a disk without inodes is blocked for want of space (B18)", async () => {
      await product.inNode(`mount -t tmpfs -o nr_inodes=1 none ${release}`);
      const ran = await product.run(["install", "--json"]);

      expect(ran.exit, ran.last).toBe(6);
      expect(ran.result().storage).toMatchObject([
        { volume: "data", result: "blocked", cause: "no space" },
        { volume: "logs", result: "blocked", cause: "no space" },
      ]);
      const found = findingOf(ran, "STORAGE_BLOCKED");
      expect(found?.says).toContain("no space");
      expect(found?.remedies[0]?.command).toBe(`df -h ${product.data}`);
      expect(found?.remedies.map(({ command }) => command).join()).not.toMatch(/prune|rm /);
    });
  });
}

function hasBindfs(): boolean {
  return existsSync("/dev/fuse") && spawnSync("bindfs", ["--version"]).status === 0;
}

/** bindfs of this machine, with its libraries and its own loader: the node's userland has neither. */
async function copyBindfs(product: Product): Promise<void> {
  const program = (await inLab("sh", ["-c", "command -v bindfs"])).trim();
  const needed = (await inLab("ldd", [program])).matchAll(/(?:=> )?(\/\S+) \(0x/g);
  const libraries = [...needed].map(([, path = ""]) => path);
  await product.inNode("mkdir -p /opt/lab");
  for (const path of [program, ...libraries]) await docker("cp", "--follow-link", path, `${product.node}:/opt/lab/`);
  const loader =
    libraries
      .find((path) => path.includes("ld-linux"))
      ?.split("/")
      .at(-1) ?? "";
  const script = `#!/bin/sh\nexec /opt/lab/${loader} --library-path /opt/lab /opt/lab/bindfs "$@"\n`;
  await inLab(
    "docker",
    ["exec", "-i", product.node, "sh", "-c", "cat >/opt/lab/bindfs.sh; chmod +x /opt/lab/bindfs.sh"],
    {
      input: script,
    },
  );
}
