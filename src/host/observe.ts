import { readFile } from "node:fs/promises";
import { availableParallelism, hostname, release, totalmem } from "node:os";

import { ask, known, mapFact, unknown, type Fact } from "../engine/fact.ts";
import { within, type Machine } from "../engine/machine.ts";
import { checkHost } from "./checks/all.ts";
import { lookAtDirectory, type Directory } from "./directory.ts";
import { spaceAt, type Space } from "./disk.ts";
import { askDocker, observeSetting } from "./docker.ts";
import { readEngine, type Engine, type EngineState } from "./engine.ts";
import type { HostFacts, HostWishes, Inotify } from "./facts.ts";
import { findMissingHelpers } from "./helpers.ts";
import { mountOf, parseMountinfo, parseMountOutput, type Mount } from "./mounts.ts";
import { observeStandpoint } from "./standpoint.ts";

/** `mount` asks every file system, and one may be gone. */
const mountLimitMs = 5_000;

/** Looks at this machine: read-only, side by side, each question with a bound. Never throws. */
export async function observeHost(wishes: HostWishes, on: Machine): Promise<HostFacts> {
  const start = on.now();
  const [engine, setting, files, datasetDir, missingHelpers, inotify] = await Promise.all([
    observeEngine(on),
    observeSetting(on),
    observeDataDir(wishes.dataDir.value, on),
    wishes.datasetDir.value === undefined ? undefined : observeDirectory(wishes.datasetDir.value, on),
    findMissingHelpers(on),
    observeInotify(on),
  ]);
  const ready = engine.state === "known" && engine.value.is === "ready" ? engine.value.engine : undefined;
  const engineIsHere = ready === undefined ? unknown("the engine did not answer", "not asked") : isHere(ready, on);
  const facts: HostFacts = {
    standpoint: await observeStandpoint(setting, on),
    engine,
    machine: { memoryBytes: totalmem(), cpus: availableParallelism() },
    engineIsHere,
    engineSpace: await observeEngineSpace(ready, engineIsHere),
    ...files,
    datasetDir,
    missingHelpers,
    inotify,
  };
  for (const { about, is, says } of checkHost(facts, wishes)) {
    on.emit({
      type: "fact",
      room: "host",
      about,
      state: is === "skipped" ? "unknown" : "known",
      says,
      ms: on.now() - start,
    });
  }
  return facts;
}

async function observeEngine(on: Machine): Promise<Fact<EngineState>> {
  const [version, info] = await Promise.all([askDocker(on, "version"), askDocker(on, "info")]);
  return readEngine(version, info);
}

/**
 * An engine in a virtual machine has that one's name and, but for WSL2, its kernel. Where it is not certain that the
 * engine is here, its disk is not ours to measure (B18).
 */
function isHere(engine: Engine, on: Machine): Fact<boolean> {
  const how = "docker info, this machine's name and kernel";
  if (on.platform.name !== "linux" && on.platform.name !== "wsl2") return known(false, how);
  if (engine.hostname === undefined || engine.kernel === undefined) {
    return unknown("the engine did not name its machine", how);
  }
  return known(engine.hostname === hostname() && engine.kernel === release(), how);
}

async function observeEngineSpace(engine: Engine | undefined, here: Fact<boolean>): Promise<Fact<Space>> {
  if (here.state === "unknown") return here;
  const rootDir = engine?.rootDir;
  if (!here.value || rootDir === undefined) return unknown("the engine's disk is in a virtual machine", "docker info");
  return ask(`free space at ${rootDir}`, () => spaceAt(rootDir));
}

async function observeDataDir(
  path: string,
  on: Machine,
): Promise<Pick<HostFacts, "dataDir" | "dataSpace" | "dataMount">> {
  const [dataDir, mounts] = await Promise.all([observeDirectory(path, on), observeMounts(on)]);
  const at = dataDir.state === "known" ? dataDir.value.standsOn : path;
  const dataMount = mapFact(mounts, (list) => mountOf(at, list));
  return {
    dataDir,
    dataSpace: dataDir.state === "known" ? await ask(`free space at ${at}`, () => spaceAt(at)) : dataDir,
    dataMount: named(dataMount),
  };
}

function observeDirectory(path: string, on: Machine): Promise<Fact<Directory>> {
  return ask(`look at ${path}`, () => lookAtDirectory(path, on.platform));
}

async function observeMounts(on: Machine): Promise<Fact<readonly Mount[]>> {
  switch (on.platform.name) {
    case "linux":
    case "wsl2":
      return ask("/proc/self/mountinfo", async () => parseMountinfo(await readFile("/proc/self/mountinfo", "utf8")));
    case "macos": {
      const result = await on.runner.run({
        file: "/sbin/mount",
        args: [],
        about: "mount",
        timeoutMs: within(on, mountLimitMs),
        graceMs: 500,
      });
      return known(parseMountOutput(result.stdout), "mount", result.ms);
    }
    case "windows":
      return unknown("Windows does not tell", "not asked");
  }
}

function named(mount: Fact<Mount | undefined>): Fact<Mount> {
  if (mount.state === "unknown") return mount;
  return mount.value === undefined
    ? unknown("no file system was found for it", mount.seen.how)
    : { ...mount, value: mount.value };
}

async function observeInotify(on: Machine): Promise<Fact<Inotify> | undefined> {
  if (on.platform.tools.os !== "linux") return undefined;
  const read = async (name: string) => Number.parseInt(await readFile(`/proc/sys/fs/inotify/${name}`, "utf8"), 10);
  return ask("/proc/sys/fs/inotify", async () => ({
    instances: await read("max_user_instances"),
    watches: await read("max_user_watches"),
  }));
}
