import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

import { detectPlatform, type Platform } from "../../../src/platform/platform.ts";

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tracebloc-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function platformOf(nodePlatform: "linux" | "darwin" | "win32"): Platform {
  const platform = detectPlatform({ nodePlatform, nodeArch: "x64", environment: {}, readText: () => undefined });
  if (platform === undefined) throw new Error(nodePlatform);
  return platform;
}

export const isRoot = process.geteuid?.() === 0;

/** Does something as another user, as root can: file permissions do not hold root back. */
export function asUser<T>(uid: number, action: () => T): T {
  process.setegid?.(uid);
  process.seteuid?.(uid);
  try {
    return action();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

export const textOf = (path: string) => readFileSync(path, "utf8");

/** A file system of a few kilobytes that goes with the test. */
export function smallDisk(kilobytes: number): string {
  const folder = temporaryFolder();
  const mounted = mount(folder, kilobytes);
  if (!mounted) throw new Error("cannot mount a tmpfs");
  // Lazily: a test that fails leaves files open on it.
  onTestFinished(() => void spawnSync("umount", ["-l", folder]));
  return folder;
}

function mount(folder: string, kilobytes: number): boolean {
  return spawnSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "none", folder]).status === 0;
}

/** Root in a container may often not. */
export const canMount = isRoot && tryToMount();

function tryToMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "tracebloc-test-"));
  const mounted = mount(folder, 4);
  if (mounted) spawnSync("umount", [folder]);
  rmSync(folder, { recursive: true });
  return mounted;
}
