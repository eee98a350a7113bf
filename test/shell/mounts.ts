import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Why file systems cannot be mounted here, or undefined where they can. */
export function whyNoMounts(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root to mount";
  const tried = spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"], { encoding: "utf8" });
  return tried.status === 0 ? undefined : `cannot mount here: ${tried.stderr.trim()}`;
}

/** The same for bindfs, which is a file system in a process. */
export function whyNoBindfs(): string | undefined {
  if (!existsSync("/dev/fuse")) return "there is no /dev/fuse";
  return spawnSync("bindfs", ["--version"]).status === 0 ? whyNoMounts() : "bindfs is not installed";
}

export function mount(...args: readonly string[]): void {
  execFileSync("mount", args);
}

/** Lazily: what still hangs on it must not keep a test from ending. */
export function unmount(path: string): void {
  spawnSync("umount", ["--lazy", path]);
}

/**
 * Mounts `source` where chmod and chown succeed and change nothing, as on virtiofs, 9p and CIFS (B03). Gives the process
 * that serves it: stopped, it is a file server that no longer answers.
 */
export async function mountIgnoringModes(source: string, target: string): Promise<ChildProcess> {
  const args = ["-f", "--chmod-ignore", "--chown-ignore", "--chgrp-ignore", source, target];
  const server = spawn("bindfs", args, { stdio: "ignore" });
  while (!readFileSync("/proc/mounts", "utf8").includes(` ${target} fuse`)) {
    if (server.exitCode !== null) throw new Error(`bindfs ended with ${server.exitCode}`);
    await pause(5);
  }
  return server;
}
