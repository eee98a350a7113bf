// Removing the lab's clusters: those whose node runs on the lab's image.

import { docker, dockerSucceeds } from "./docker.mjs";
import { label } from "./versions.mjs";

const lines = (text) => text.split("\n").filter(Boolean);

/**
 * Removes every cluster of the lab, finished or not, with its network and volume, and tells which. By Docker alone, since k3d
 * knows nothing of one that it began and did not finish. A container that someone started from a lab image by hand stays.
 */
export async function removeClusters() {
  const ours = ["--all", "--filter", `label=${label}`, "--filter", "label=k3d.cluster"];
  const clusters = new Set(lines(await docker(["ps", ...ours, "--format", '{{.Label "k3d.cluster"}}'])));
  const containers = lines(await docker(["ps", ...ours, "--quiet"]));
  if (containers.length > 0) await docker(["rm", "--force", "--volumes", ...containers]);
  for (const cluster of clusters) {
    await dockerSucceeds(["network", "rm", `k3d-${cluster}`]);
    await dockerSucceeds(["volume", "rm", `k3d-${cluster}-images`]);
  }
  return clusters.size === 0 ? "none" : `removed ${[...clusters].join(", ")}`;
}
