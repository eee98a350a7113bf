// Takes the lab down: what it started, known by the label of its images and by the process it recorded.

import { existsSync, rmSync } from "node:fs";

import { cacheDirectory, inCache } from "./cache.mjs";
import { docker, dockerSucceeds, removeImagesExcept } from "./docker.mjs";
import { engineEnvironment, ensureEngine, recordedEngine, stopEngine } from "./engine.mjs";
import { LabError } from "./errors.mjs";
import { mountsBelow } from "./leftovers.mjs";
import { withLock } from "./lock.mjs";
import { isRunning, succeeds } from "./processes.mjs";
import { step } from "./screen.mjs";
import { label } from "./versions.mjs";

const lines = (text) => text.split("\n").filter(Boolean);

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
  if (engine.own && !isRunning(engine)) await step("container engine", ensureEngine);
  return dockerSucceeds(["version"]);
}

/** Clusters on the lab's node image. A container that someone started from a lab image by hand is not the lab's to remove. */
async function removeClusters(now) {
  const ours = ["--all", "--filter", `label=${label}`, "--filter", "label=k3d.cluster"];
  const clusters = new Set(lines(await docker(["ps", ...ours, "--format", '{{.Label "k3d.cluster"}}'])));
  for (const cluster of clusters) {
    now(cluster);
    await succeeds(inCache("bin", "k3d"), ["cluster", "delete", cluster], {
      env: engineEnvironment(),
      log: inCache("logs", "down.log"),
      seconds: 120,
    });
  }
  // What k3d did not know of, such as the rest of a cluster that was never finished.
  const containers = lines(await docker(["ps", ...ours, "--quiet"]));
  if (containers.length > 0) await docker(["rm", "--force", "--volumes", ...containers]);
  return clusters.size === 0 ? "none" : `removed ${[...clusters].join(", ")}`;
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
