// The file system below the node image: Debian's containerd, runc, CNI plugins, etcd and iptables, with busybox as its userland.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { artefactPath, buildArtefact, inCache, keyOf } from "./cache.mjs";
import { debianMirror, searchPath } from "./debian.mjs";
import { LabError } from "./errors.mjs";
import { run } from "./processes.mjs";
import { versions } from "./versions.mjs";

const prune = join(import.meta.dirname, "node", "prune.sh");

const packages = [
  "busybox-static",
  "ca-certificates",
  "containerd",
  "containernetworking-plugins",
  "etcd-server",
  "iproute2",
  "iptables",
  "kmod",
  "mount",
  "runc",
];

export function rootfsKey() {
  return keyOf(versions.debian, packages.join(" "), readFileSync(prune, "utf8"));
}

export function rootfsPath() {
  return artefactPath("rootfs", rootfsKey());
}

/** Throws a LabError where it is not there and cannot be made. */
export function demandRootfs() {
  if (existsSync(rootfsPath()) || process.getuid() === 0) return;
  throw new LabError("the node's file system is made by debootstrap, which needs root", {
    next: "run the same command as root, once",
  });
}

export function buildRootfs(now) {
  return buildArtefact("rootfs", rootfsKey(), async (root) => {
    demandRootfs();
    const options = { log: inCache("logs", "rootfs.log"), onLine: now, env: { PATH: searchPath() } };
    const include = `--include=${packages.join(",")}`;
    await run("debootstrap", ["--variant=minbase", include, versions.debian, root, debianMirror()], {
      ...options,
      next: "if the Debian mirror did not answer, run the same command again",
    });
    now("making busybox its userland");
    await run("sh", [prune, root], options);
  });
}
