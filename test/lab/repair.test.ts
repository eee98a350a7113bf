import { describe, expect, test } from "vitest";

import { useProduct } from "./product.ts";
import { brokenDirectories } from "./repair/directories.ts";
import { foreignMounts } from "./repair/mounts.ts";
import { brokenNodes } from "./repair/nodes.ts";
import { brokenReleases } from "./repair/releases.ts";
import { keptVolumes } from "./repair/volumes.ts";
import { brokenWorkloads } from "./repair/workloads.ts";

/** One client that is broken in one way after the other. Each test leaves it healthy: a cluster of its own would cost a minute. */
describe("an installed client", () => {
  const product = useProduct("lab-repair");

  test("is there to be broken", async () => {
    const ran = await product.run(["install"]);
    expect(ran.exit, ran.last).toBe(0);
  });

  brokenDirectories(product);
  foreignMounts(product);
  brokenWorkloads(product);
  brokenReleases(product);
  keptVolumes(product);
  brokenNodes(product);
});
