import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { docker, inLab } from "../lab.ts";
import { paste } from "../looks.ts";
import { actionsOf, callsOf, readLog, type Product, type Ran } from "../product.ts";

const inNamespace = ["--namespace", "tracebloc"];

/** What Helm's records say, and what is then asked for. */
export function brokenReleases(product: Product): void {
  const helm = async (...args: string[]) => {
    const kubeconfig = (await product.run(["kubeconfig"])).stdout.trim();
    return inLab("helm", [...args, ...inNamespace, "--kubeconfig", kubeconfig]);
  };
  const records = () =>
    product.kubectl(["get", "secrets", ...inNamespace, "--output", "jsonpath={.items[*].metadata.resourceVersion}"]);
  const clientEnv = () => {
    const path = `jsonpath={.spec.template.spec.containers[0].env[?(@.name=="CLIENT_ENV")].value}`;
    return product.kubectl(["get", "deployment", "tracebloc-jobs-manager", ...inNamespace, "--output", path]);
  };

  describe("with a newest revision that failed", () => {
    test("is not healthy though an older one serves, and Helm runs again", async () => {
      const chart = join(product.folder, "program", "charts", "client");
      const tag = "images.requestsProxy.tag=no-such-tag";
      const failing = ["--reuse-values", "--set", tag, "--set-string", "env.LOG_LEVEL=of-the-failed"];
      failing.push("--wait", "--timeout", "2s");
      await expect(helm("upgrade", "tracebloc", chart, ...failing)).rejects.toThrow(/UPGRADE FAILED/);

      const status = await product.run(["status", "--json"]);
      expect(status.exit, status.last).toBe(6);
      expect(status.result().failures).toMatchObject([
        { reason: "RELEASE_FAILED", says: expect.stringMatching(/^revision \d+ failed$/) as string },
      ]);

      const ran = await product.run(["install", "--json"]);
      expect(ran.exit, ran.last).toBe(0);
      expect(ran.result().state).toBe("healthy");
      expect(actionsOf(ran.log()).at(0)).toBe("release.apply");
      // What the failed revision was given is not carried on.
      expect(await helm("get", "values", "tracebloc")).not.toContain("of-the-failed");
      expect((await product.run(["install", "--json"])).result()).toMatchObject({ exit: 0, actions: [] });
    });
  });

  describe("whose newest record is damaged", () => {
    test("is refused with what takes that record alone away; what is left of it is the release, and is mended", async () => {
      expect(await product.run(["install", "--force"])).toMatchObject({ exit: 0 });
      const newest = (await helm("history", "tracebloc", "--output", "json")).split('"revision":').at(-1) ?? "";
      const secret = `sh.helm.release.v1.tracebloc.v${Number.parseInt(newest, 10)}`;
      const pods = await product.kubectl(["get", "pods", ...inNamespace, "--output", "name"]);
      await product.kubectl([
        "patch",
        "secret",
        secret,
        ...inNamespace,
        "--patch",
        '{"data":{"release":"Z2FyYmFnZQ=="}}',
      ]);

      const refused = await product.run(["install", "--json"]);
      expect(refused.result()).toMatchObject({ exit: 5, actions: [], failures: [{ reason: "RELEASE_UNREADABLE" }] });
      const [see, takeAway] = refused.result().failures[0]?.remedies ?? [];
      expect(await paste(product, see?.command)).toContain(secret);
      await paste(product, takeAway?.command);

      // What is marked as superseded now is all that is left: no client would be made beside it.
      const other = await product.run(["plan", "--json"], { env: { TRACEBLOC_CLIENT_ID: "somebody-else" } });
      expect(other.result()).toMatchObject({ exit: 5, failures: [{ reason: "RELEASE_OF_ANOTHER_CLIENT" }] });
      const bare = { env: { TRACEBLOC_CLIENT_ID: undefined, TRACEBLOC_CLIENT_PASSWORD: undefined } };
      const ran = await product.run(["install", "--json"], bare);
      expect(ran.result(), ran.last).toMatchObject({ exit: 0, state: "healthy", actions: [{ do: "release.apply" }] });
      expect((await product.run(["install", "--json"], bare)).result()).toMatchObject({ exit: 0, actions: [] });
      expect(await product.kubectl(["get", "pods", ...inNamespace, "--output", "name"])).toBe(pods);
    });
  });

  describe("of another client", () => {
    test.each(["install", "plan"])("is refused by %s with exit 5, and stays as it is", async (command) => {
      const before = await records();
      const ran = await product.run([command, "--json"], { env: { TRACEBLOC_CLIENT_ID: "another-client" } });

      expect(ran.exit, ran.last).toBe(5);
      expect(ran.result()).toMatchObject({
        state: "refused",
        actions: [],
        failures: [{ reason: "RELEASE_OF_ANOTHER_CLIENT" }],
      });
      expect(await records()).toBe(before);
      const newest = readLog(product.logs().at(-1));
      expect(newest.filter((line) => line.is === "child")).toEqual([]);
    });

    test("is told from one that has another name: that cluster is not there", async () => {
      const status = await product.run(["status", "--json", "--cluster", "lab-repair-2"]);
      expect(status.exit, status.last).toBe(3);
      expect(status.result().failures).toMatchObject([
        { reason: "NOT_INSTALLED", says: expect.stringContaining("lab-repair-2") as string },
      ]);

      const plan = await product.run(["plan", "--json", "--cluster", "lab-repair-2"], {
        env: { HOST_DATA_DIR: `${product.data}-2` },
      });
      expect(plan.result().actions.map((action) => action.do)).toContain("cluster.create");
    });

    test("is told from a container that merely has the node's name", async () => {
      const name = "k3d-lab-repair-3-server-0";
      const image = await docker("container", "inspect", "--format", "{{.Config.Image}}", product.node);
      onTestFinished(async () => void (await docker("container", "rm", "--force", name)));
      await docker("container", "create", "--name", name, "--network", "none", "--entrypoint", "sleep", image, "1");
      const look = () =>
        docker("container", "inspect", "--format", "{{.Id}} {{.State.Status}} {{.State.StartedAt}}", name);
      const before = await look();

      const ran = await product.run(["install", "--json", "--cluster", "lab-repair-3"]);

      expect(ran.exit, ran.last).toBe(5);
      expect(ran.result().failures).toMatchObject([{ reason: "CLUSTER_NOT_OURS" }]);
      expect(await look()).toBe(before);
    });
  });

  describe("that is asked for something else", () => {
    test("gets it by one run of Helm, and keeps it when it is not asked for again", async () => {
      const helmsOf = async (env: Record<string, string>) => {
        const ran = await product.run(["install", "--json"], { env });
        expect(ran.exit, ran.last).toBe(0);
        return callsOf(ran.log()).filter(({ about }) => about === "helm upgrade").length;
      };

      const status = await product.run(["status", "--json"], { env: { CLIENT_ENV: "stg" } });
      expect(status.exit, status.last).toBe(6);
      expect(status.result().failures).toMatchObject([{ reason: "RELEASE_DIFFERS" }]);

      expect(await helmsOf({ CLIENT_ENV: "stg" })).toBe(1);
      expect(await clientEnv()).toBe("stg");
      expect(await helmsOf({ CLIENT_ENV: "stg" })).toBe(0);
      expect(await helmsOf({})).toBe(0);
      expect(await clientEnv()).toBe("stg");
    });

    test("runs Helm once more with --force, with credentials and without", async () => {
      const kinds = (ran: Ran) => ran.result().actions.map((action) => action.do);
      const because = "asked for with --force";

      const ran = await product.run(["install", "--json", "--force"]);
      expect(ran.exit, ran.last).toBe(0);
      expect(kinds(ran).slice(0, 2)).toEqual(["release.credentials", "release.apply"]);
      expect(ran.result().actions).toContainEqual(expect.objectContaining({ do: "release.apply", because }));

      const env = { TRACEBLOC_CLIENT_ID: undefined, TRACEBLOC_CLIENT_PASSWORD: undefined };
      const without = await product.run(["install", "--json", "--force"], { env });
      expect(without.exit, without.last).toBe(0);
      expect(kinds(without)[0]).toBe("release.apply");
    });
  });
}
