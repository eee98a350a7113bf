import { describe, expect, onTestFinished, test } from "vitest";

import { docker, inLab } from "../lab.ts";
import { actionsOf, callsOf, type Product } from "../product.ts";

/** A node or an API that is not there, or there and of no use. */
export function brokenNodes(product: Product): void {
  const isHealthy = async () => {
    const again = await product.run(["install", "--json"]);
    expect(again.result()).toMatchObject({ exit: 0, state: "healthy", actions: [] });
  };

  describe("on a node that is paused", () => {
    test("is named by status within seconds, and woken by install", async () => {
      await docker("pause", product.node);
      onTestFinished(async () => void (await docker("unpause", product.node).catch(() => undefined)));

      const status = await product.run(["status", "--json"]);
      expect(status.exit, status.last).toBe(6);
      expect(status.result()).toMatchObject({ state: "degraded", cluster: { state: "paused" } });
      expect(status.result().failures[0]).toMatchObject({ reason: "NODE_PAUSED" });
      expect(status.ms).toBeLessThan(10_000);

      const ran = await product.run(["install", "--json"]);
      expect(ran.exit, ran.last).toBe(0);
      expect(actionsOf(ran.log())[0]).toBe("cluster.unpause");
      await isHealthy();
    });
  });

  describe("whose API accepts connections and never answers", () => {
    test("is named by status within seconds, and by install when its time is over", async () => {
      await product.inNode("kill -STOP $(pidof kube-apiserver)");
      const wake = () => product.inNode("kill -CONT $(pidof kube-apiserver)");
      onTestFinished(async () => void (await wake()));

      const status = await product.run(["status", "--json"]);
      expect(status.exit).not.toBe(0);
      expect(status.result().failures.map(({ reason }) => reason)).toContain("API_NOT_ANSWERING");
      expect(status.ms).toBeLessThan(15_000);

      const ran = await product.run(["install", "--json", "--timeout", "12s"]);
      expect(ran.exit, ran.last).toBe(7);
      expect(ran.result().failures).toMatchObject([{ reason: "DEADLINE" }]);
      expect(ran.result().failures[0]?.details?.join()).toContain("did not answer");
      expect(callsOf(ran.log()).filter(({ file }) => file.endsWith("helm"))).toEqual([]);
      expect(ran.ms).toBeLessThan(30_000);

      await wake();
      expect(await product.run(["install"])).toMatchObject({ exit: 0 });
    });
  });

  const stops = [
    { name: "by docker", stop: () => docker("container", "stop", product.node) },
    { name: "by k3d", stop: () => inLab("k3d", ["cluster", "stop", product.cluster]) },
  ];
  describe.each(stops)("on a node that was stopped $name", ({ stop }) => {
    test("is named by status, and started by install", async () => {
      await stop();

      const status = await product.run(["status", "--json"]);
      expect(status.exit, status.last).toBe(6);
      expect(status.result().failures).toMatchObject([{ reason: "CLUSTER_STOPPED" }]);

      const ran = await product.run(["install", "--json"]);
      expect(ran.exit, ran.last).toBe(0);
      expect(ran.result().state).toBe("healthy");
      expect(actionsOf(ran.log())[0]).toBe("cluster.start");
      await isHealthy();
    });
  });
}
