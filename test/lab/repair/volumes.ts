import { describe, expect, test } from "vitest";

import { findingOf, revisionsOf } from "../looks.ts";
import type { Product } from "../product.ts";
import { layValuesOver } from "../values.ts";

/** Volumes and claims: they outlive the release, and what they are made with cannot change. */
export function keptVolumes(product: Product): void {
  const volumes = async () => {
    const columns = "custom-columns=:.metadata.name,:.status.phase,:.spec.claimRef.name";
    const listed = await product.kubectl(["get", "persistentvolumes", "--no-headers", "--output", columns]);
    return listed
      .trim()
      .split("\n")
      .map((line) => line.split(/\s+/).join(" "));
  };
  const bound = [
    "tracebloc-data-pv Bound client-pvc",
    "tracebloc-logs-pv Bound client-logs-pvc",
    "tracebloc-mysql-pv Bound mysql-pvc",
  ];

  describe("that is asked to keep its data elsewhere", () => {
    test("says before Helm starts that its volumes cannot follow, and stays as it is", async () => {
      const before = await revisionsOf(product);
      const file = layValuesOver(product, { hostPath: { datasetPath: "/elsewhere" }, pvc: { logs: "1Gi" } });
      const ran = await product.run(["install", "--values", file, "--json"]);
      expect(ran.result()).toMatchObject({ exit: 5, state: "refused", actions: [] });
      expect(ran.result().failures.map(({ reason, says }) => [reason, says.split(":")[0]])).toEqual([
        ["RELEASE_FIXED", "hostPath.datasetPath of release tracebloc is /tracebloc and cannot become /elsewhere"],
        ["RELEASE_FIXED", "pvc.logs of release tracebloc is 10Gi and cannot become 1Gi"],
      ]);
      expect(await revisionsOf(product)).toEqual(before);
      expect((await product.run(["install", "--json"])).result()).toMatchObject({ exit: 0, actions: [] });
    });
  });

  describe("whose namespace was deleted", () => {
    test("is installed anew on the volumes that were left, and finds its data", async () => {
      await product.inNode("echo kept > /tracebloc/tracebloc/data/a-dataset");
      await product.kubectl(["delete", "namespace", "tracebloc", "--timeout=120s"]);
      expect(await volumes()).toEqual(bound.map((volume) => volume.replace("Bound", "Released")));

      const ran = await product.run(["install", "--json"]);
      expect(ran.exit, ran.last).toBe(0);
      expect(ran.result()).toMatchObject({ state: "healthy", release: { revision: 1 } });
      const notes = ran.lines().flatMap((line) => (line.type === "note" ? [line.says] : []));
      expect(notes).toContain("tracebloc-data-pv was left by a claim that is gone; it is free again");
      expect(await volumes()).toEqual(bound);
      expect(await product.inNode("cat /tracebloc/tracebloc/data/a-dataset")).toBe("kept");
      expect(findingOf(ran, "VOLUME_NOT_FREED")).toBeUndefined();
    });
  });
}
