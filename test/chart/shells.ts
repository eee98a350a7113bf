import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, afterEach, beforeAll } from "vitest";

import { program, run, type Ran } from "./helm.ts";

const folders: string[] = [];

/** A new folder that every uid may look into; gone after the test. */
export async function folder(name = ""): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "tracebloc-chart-"));
  folders.push(root);
  await chmod(root, 0o755);
  await mkdir(join(root, name), { recursive: true });
  return join(root, name);
}

afterEach(async () => {
  await Promise.all(folders.splice(0).map((each) => rm(each, { recursive: true, force: true })));
});

/** How to start a shell, and the commands it finds. */
export type Shell = { name: string; start: readonly string[]; path: string };

const busybox = program("busybox");
const applets = join(tmpdir(), `tracebloc-applets-${process.pid}`);

/** Of those, what this machine has. In the containers there is busybox alone. */
export const shells: readonly Shell[] = [
  { name: "dash", start: ["-c"], path: process.env["PATH"] ?? "" },
  { name: "bash", start: ["--norc", "-c"], path: process.env["PATH"] ?? "" },
  { name: "busybox", start: ["sh", "-c"], path: applets },
].flatMap(({ name, start, path }) => {
  const found = program(name);
  return found === undefined ? [] : [{ name, start: [found, ...start], path }];
});

beforeAll(async () => {
  await mkdir(applets, { recursive: true });
  if (busybox !== undefined) await run(busybox, ["--install", "-s", applets]);
});
afterAll(() => rm(applets, { recursive: true, force: true }));

/** A script as the kubelet starts it (`sh -c SCRIPT NAME WORD…`), `words` beginning with the name. */
export async function execute(
  shell: Shell,
  script: string,
  words: readonly string[],
  { uid, gid, env = {} }: { uid?: number; gid?: number; env?: Record<string, string> } = {},
): Promise<Ran> {
  const [command = "", ...start] = shell.start;
  return run(command, [...start, script, ...words], {
    env: { PATH: shell.path, ...env },
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  });
}

/** What a script said, line by line. */
export const lines = ({ stdout }: Ran) => stdout.split("\n").filter((line) => line !== "");
