// Takes the lab down: what it started, known by the label of its images and by the process it recorded.

import { existsSync, rmSync } from "node:fs";

import { cacheDirectory } from "./cache.mjs";
import { removeClusters } from "./clusters.mjs";
import { dockerSucceeds, removeImagesExcept } from "./docker.mjs";
import { ensureEngine, recordedEngine, stopEngine } from "./engine.mjs";
import { LabError } from "./errors.mjs";
import { mountsBelow } from "./leftovers.mjs";
import { withLock } from "./lock.mjs";
import { isRunning } from "./processes.mjs";
import { sayFailure, step } from "./screen.mjs";

/** Removes the lab's clusters and stops its engine. With `purge` its images and its cache go too. */
export async function down({ purge = false } = {}) {
  if (!existsSync(cacheDirectory())) return;
  await withLock(async () => {
    if (await engineReachable()) {
      await step("clusters", removeClusters);
      if (purge) await step("images", removeImages);
    }
    await step("container engine", stopEngine);
    if (purge) await step("cache", removeCache);
  });
}

/** An engine of the lab's own that was killed is started once more: only it can take its networks away. */
async function engineReachable() {
  const engine = recordedEngine();
  if (!engine) return false;
  if (engine.own && !isRunning(engine)) {
    await step("container engine", async (now) => (await ensureEngine(now)).outcome).catch(sayFailure);
  }
  return dockerSucceeds(["version"]);
}

async function removeImages() {
  await removeImagesExcept([]);
  return "removed";
}

async function removeCache() {
  const directory = cacheDirectory();
  // A mount left below would be emptied along with the cache, and it may be a person's data.
  const mounts = mountsBelow(directory);
  if (mounts.length > 0) {
    throw new LabError(`not removed: something is mounted in it: ${mounts.join(", ")}`, {
      next: `umount ${mounts.join(" ")}`,
    });
  }
  rmSync(directory, { recursive: true, force: true });
  return `removed ${directory}`;
}
