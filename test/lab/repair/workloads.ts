import { describe, expect, onTestFinished, test } from "vitest";

import type { Finding } from "../../../src/engine/finding.ts";
import { actionsOf, type Product, type Ran } from "../product.ts";
import { layValuesOver } from "../values.ts";

const proxy = "tracebloc-requests-proxy";
const inNamespace = ["--namespace", "tracebloc"];

/** Pods that do not start. What a Deployment says of it is always the same; why it is so is not. */
export function brokenWorkloads(product: Product): void {
  const available = (deployment: string) =>
    product.kubectl([
      "get",
      "deployment",
      deployment,
      ...inNamespace,
      "--output",
      "jsonpath={.status.availableReplicas}",
    ]);
  const patch = (deployment: string, spec: object) => {
    const text = JSON.stringify({ spec: { template: { spec } } });
    return product.kubectl(["patch", "deployment", deployment, ...inNamespace, "--patch", text]);
  };
  const told = (ran: Ran) => [...ran.result().failures, ...ran.result().warnings];
  const about = (findings: readonly Finding[], workload: string) =>
    findings.find(({ says }) => says.startsWith(`${workload}: `));

  test("without one of its workloads is told so at once, and the remedy brings it back", async () => {
    await product.kubectl(["delete", "deployment", proxy, ...inNamespace]);

    const ran = await product.run(["install", "--json"]);
    expect(ran.exit, ran.last).toBe(6);
    const found = about(told(ran), proxy);
    expect(found).toMatchObject({ reason: "WORKLOAD_NOT_READY", says: `${proxy}: does not exist` });
    expect(ran.ms).toBeLessThan(30_000);
    expect(await product.run(["status"])).toMatchObject({ exit: 6 });

    expect(found?.remedies[0]?.command).toMatch(/ install --force$/);
    const forced = await product.run(["install", "--json", "--force"]);
    expect(forced.exit, forced.last).toBe(0);
    expect(forced.result().state).toBe("healthy");
    expect(await available(proxy)).toBe("1");
  });

  describe("with pods that cannot start", () => {
    test("is not healthy because an old one still answers", async () => {
      const file = layValuesOver(product, { images: { requestsProxy: { tag: "no-such-tag" } } });
      onTestFinished(async () => {
        expect(await product.run(["install"])).toMatchObject({ exit: 0 });
      });

      const env = { TRACEBLOC_VALUES_FILE: file };
      const ran = await product.run(["install", "--json"], { env });

      expect(await available(proxy)).toBe("1");
      expect(ran.exit, ran.last).toBe(6);
      expect(ran.result().state).toBe("degraded");
      expect(actionsOf(ran.log())).toEqual(["release.apply", "release.await"]);
      const found = about(told(ran), proxy);
      expect(found?.says).toMatch(/: (ImagePullBackOff|ErrImagePull)/);
      expect(found?.details?.join()).toContain("docker.io/tracebloc-lab/jobs-manager:no-such-tag");
      expect(found?.remedies[0]?.command).toMatch(new RegExp(`describe pod/${proxy}-[a-z0-9]+-[a-z0-9]+ `));

      const status = await product.run(["status", "--json"], { env });
      expect(status.exit, status.last).toBe(6);
      expect(
        status
          .result()
          .failures.map(({ says }) => says)
          .join(),
      ).toContain(proxy);
    });

    test("is told why in different words, with the last lines of the log", async () => {
      onTestFinished(async () => {
        for (const name of ["mysql-client", "tracebloc-jobs-manager", proxy]) {
          await product.kubectl(["rollout", "undo", `deployment/${name}`, ...inNamespace]);
        }
        expect(await product.run(["install"])).toMatchObject({ exit: 0 });
      });
      const cpu = { requests: { cpu: "900" }, limits: { cpu: "900" } };
      await patch("mysql-client", { containers: [{ name: "mysql-client", resources: cpu }] });
      const image = "docker.io/tracebloc-lab/busybox:no-such-tag";
      // Never: the kubelet says at once what a registry that does not answer lets it say after half a minute.
      const init = { name: "init-writable-data", image, imagePullPolicy: "Never" };
      await patch("tracebloc-jobs-manager", { initContainers: [init] });
      await patch(proxy, { containers: [{ name: "proxy", args: ["--bind=no-such-address"] }] });

      const ran = await product.run(["install", "--json", "--timeout", "30s"]);

      // Ended by its own deadline, and still told why: one look at all three is enough.
      expect(ran.exit, ran.last).toBe(7);
      expect(actionsOf(ran.log())).toEqual(["release.await"]);
      const { failures, warnings } = ran.result();
      expect(failures).toMatchObject([{ reason: "DEADLINE" }]);
      const scheduling = about(warnings, "mysql-client");
      expect(scheduling).toMatchObject({ reason: "WORKLOAD_NOT_READY", says: "mysql-client: Unschedulable" });
      expect(scheduling?.details?.join()).toContain("Insufficient cpu");
      const pulling = about(warnings, "tracebloc-jobs-manager");
      expect(pulling).toMatchObject({ reason: "IMAGE_PULL_FAILED" });
      expect(pulling?.details?.join()).toContain("no-such-tag");
      const crashing = about(warnings, proxy);
      expect(crashing).toMatchObject({ reason: "WORKLOAD_NOT_READY", says: `${proxy}: CrashLoopBackOff` });
      expect(crashing?.details?.join("\n")).toContain("exit code 1");
      expect(crashing?.details?.join("\n")).toContain("address no-such-address: missing port in address");

      const doctor = await product.run(["doctor", "--json"]);
      expect(doctor.exit, doctor.last).toBe(6);
      expect(about(doctor.result().failures, proxy)?.says).toBe(`${proxy}: CrashLoopBackOff`);
    });
  });
}
