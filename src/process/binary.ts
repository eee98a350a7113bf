import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";

import type { RunResult } from "./runner.ts";

/** Why a program cannot be started, each kind with a remedy of its own, and a clause for a person. */
export type Obstacle = { notStarted: NonNullable<RunResult["notStarted"]>; why: string };

/**
 * Reads from the first bytes whether this kernel can run a file. Linux only. Without this look glibc hands what the
 * kernel refuses to /bin/sh: an empty download "succeeds" (B02), and another machine's program is read as a script.
 */
export function obstacleIn(path: string): Obstacle | undefined {
  const header = headerOf(path);
  if (header === undefined) return undefined;
  const interpreter = /^#![ \t]*(\S+)/.exec(header.toString("latin1"))?.[1];
  if (interpreter !== undefined) {
    return existsSync(interpreter)
      ? undefined
      : { notStarted: "other", why: `${path} needs ${interpreter}, which does not exist` };
  }
  const kind = kindOf(header);
  if (kind === "own" || kernelHandlers().some((handler) => handles(handler, header))) return undefined;
  if (kind === "foreign") return wrongArchitecture(path);
  return { notStarted: "not-executable", why: `${path} is ${header.length === 0 ? "empty" : "not a program"}` };
}

/** The program at this path is for another processor or another system. */
export function wrongArchitecture(path: string): Obstacle {
  return {
    notStarted: "wrong-architecture",
    why: `${path} is built for another kind of machine than this (${process.arch})`,
  };
}

/** ELF's numbers for what Node calls these; on some, kernels run the smaller brother's programs as well. */
const machines: Partial<Record<NodeJS.Architecture, readonly number[]>> = {
  x64: [62, 3],
  arm64: [183, 40],
  arm: [40],
  ia32: [3],
  ppc64: [21],
  riscv64: [243],
  s390x: [22],
};

/** `foreign` runs only where the kernel has a handler for it; `none` is no machine's program. */
export function kindOf(header: Buffer, arch: NodeJS.Architecture = process.arch): "own" | "foreign" | "none" {
  if (header.length < 20) return "none";
  const magic = header.readUInt32BE(0);
  if (magic === 0x7f454c46) {
    const bigEndian = header[5] === 2;
    const machine = bigEndian ? header.readUInt16BE(18) : header.readUInt16LE(18);
    return (machines[arch]?.includes(machine) ?? true) ? "own" : "foreign";
  }
  const ofMacOs = [0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe].includes(magic);
  const ofWindows = header.toString("latin1", 0, 2) === "MZ";
  return ofMacOs || ofWindows ? "foreign" : "none";
}

export type Handler = { offset: number; magic: Buffer; mask: Buffer | undefined };

/** What this kernel runs besides: qemu for other machines, Windows programs under WSL. None where they cannot be seen, as in most containers. */
function kernelHandlers(): Handler[] {
  const folder = "/proc/sys/fs/binfmt_misc";
  try {
    const entries = readdirSync(folder).filter((name) => name !== "status" && name !== "register");
    return entries.flatMap((name) => handlerOf(readFileSync(join(folder, name), "utf8")));
  } catch {
    return [];
  }
}

/** One entry of binfmt_misc. Those that are disabled, or go by a file's ending, count as none. */
export function handlerOf(entry: string): Handler[] {
  const field = (name: string) => new RegExp(`^${name} (\\S+)$`, "m").exec(entry)?.[1];
  const magic = field("magic");
  if (!entry.startsWith("enabled") || magic === undefined) return [];
  const mask = field("mask");
  return [
    {
      offset: Number(field("offset") ?? 0),
      magic: Buffer.from(magic, "hex"),
      mask: mask === undefined ? undefined : Buffer.from(mask, "hex"),
    },
  ];
}

/** Whether the kernel gives a file that begins with `header` to this handler: its magic bytes are there, as far as the mask asks. */
export function handles({ offset, magic, mask }: Handler, header: Buffer): boolean {
  const part = header.subarray(offset, offset + magic.length);
  const masked = (byte: number | undefined, at: number) => (byte ?? 0) & (mask?.[at] ?? 0xff);
  return part.length === magic.length && part.every((byte, at) => masked(byte, at) === masked(magic[at], at));
}

/** As much as the kernel looks at; undefined for a file that may be run and not read. */
function headerOf(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const header = Buffer.alloc(256);
    return header.subarray(0, readSync(file, header, 0, header.length, 0));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
