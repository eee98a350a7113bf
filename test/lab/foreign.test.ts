import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { afterEach, describe, expect, test } from "vitest";

import { podImages } from "../../scripts/lab/versions.mjs";
import { installationLabel } from "../../src/cluster/node.ts";
import { exitCodeOf, type Reason } from "../../src/engine/reasons.ts";
import { docker } from "./lab.ts";
import { failuresOf, findingOf, identityOf, noParts, partsOf, paste } from "./looks.ts";
import { removeCluster, useProduct } from "./product.ts";

/**
 * What bears the name of our cluster and is not ours. Stand-ins: containers of busybox with the names, labels, mounts
 * and states that k3d and people give them. Nothing of them may change, whatever is asked for.
 */
describe("B09, B12, B25: under the name of our cluster", () => {
  const product = useProduct("lab-foreign");
  const { cluster, node, folder } = product;
  const ofK3d = ["--label", "app=k3d", "--label", `k3d.cluster=${cluster}`];
  const server = [...ofK3d, "--label", "k3d.role=server"];
  const volume = `${cluster}-data`;
  const tools = `k3d-${cluster}-tools`;

  afterEach(async () => {
    await docker("container", "rm", "--force", node, tools).catch(() => "");
    await docker("volume", "rm", "--force", volume);
    await removeCluster(cluster);
  });

  type Stranger = { what: string; reason: Reason; make: () => Promise<unknown>; name?: string };
  const start = (...options: string[]) =>
    docker("run", "--detach", "--name", node, ...options, podImages.busybox, "sleep", "100000");
  const strangers: readonly Stranger[] = [
    { what: "a container that k3d did not make", reason: "CLUSTER_NOT_OURS", make: () => start() },
    { what: "a cluster without our mount", reason: "CLUSTER_NOT_OURS", make: () => start(...server) },
    {
      what: "a cluster with a mount whose path only begins like ours",
      reason: "CLUSTER_NOT_OURS",
      make: () => start(...server, "--volume", `${folder}:/tracebloc2`),
    },
    {
      what: "a cluster whose data is a volume, lost with it",
      reason: "CLUSTER_NOT_OURS",
      make: () => start(...server, "--volume", `${volume}:/tracebloc`),
    },
    {
      what: "a paused cluster with a folder of this machine",
      reason: "NODE_PAUSED",
      make: async () => {
        await start(...server, "--volume", `${product.data}:/tracebloc`);
        await docker("pause", node);
      },
    },
    {
      what: "a cluster that was never started",
      reason: "CLUSTER_INCOMPLETE",
      make: () => docker("create", "--name", node, ...server, "--volume", `${folder}:/tracebloc`, podImages.busybox),
    },
    {
      what: "a cluster that another installation never started",
      reason: "CLUSTER_INCOMPLETE",
      make: () =>
        docker("create", "--name", node, ...server, "--label", `${installationLabel}=other`, podImages.busybox),
    },
    {
      what: "a helper of k3d without a cluster",
      reason: "CLUSTER_INCOMPLETE",
      name: tools,
      make: () =>
        docker(
          "run",
          "--detach",
          "--name",
          tools,
          ...ofK3d,
          "--label",
          "k3d.role=noRole",
          podImages.busybox,
          "sleep",
          "9",
        ),
    },
  ];

  test.each(strangers)("$what is refused and untouched", async ({ reason, make, name = node }) => {
    await make();
    const identity = await identityOf(name);

    const install = await product.run(["install", "--json"]);
    expect(install.result()).toMatchObject({ exit: exitCodeOf(reason), state: "refused", actions: [] });
    expect(failuresOf(install)).toEqual([reason]);
    expect((await product.run(["status", "--json"])).exit).toBe(6);
    const uninstall = await product.run(["uninstall", "--yes", "--json"]);
    expect(uninstall.result().actions).toEqual([]);

    expect(await identityOf(name)).toBe(identity);
    expect(existsSync(join(product.data, "tracebloc"))).toBe(false);
    expect(readdirSync(product.state).filter((entry) => entry !== "runs")).toEqual([]);
  });

  test("what is named to remove a container of that name does so", async () => {
    await start();
    const refusal = findingOf(await product.run(["install", "--json"]), "CLUSTER_NOT_OURS");
    expect(refusal?.remedies.map(({ command }) => command)).toContain(`docker container rm --force ${node}`);
    await paste(product, `docker container rm --force ${node}`);
    expect((await product.run(["status", "--json"])).result()).toMatchObject({ exit: 3, state: "not installed" });
  });

  test("what is named to remove the rest of a cluster does so", async () => {
    await docker("create", "--name", node, ...server, podImages.busybox);
    const refusal = findingOf(await product.run(["install", "--json"]), "CLUSTER_INCOMPLETE");
    await paste(product, refusal?.remedies[0]?.command);
    expect(await partsOf(cluster)).toEqual(noParts);
  });

  test("another name, as it is advised, is free", async () => {
    await start();
    const refusal = findingOf(await product.run(["install", "--json"]), "CLUSTER_NOT_OURS");
    const advised = refusal?.remedies.find(({ command }) => command?.includes("install"))?.command ?? "";
    expect(advised).toMatch(new RegExp(` install --cluster ${cluster}-2$`));
    const plan = await product.run(["plan", "--cluster", `${cluster}-2`, "--json"]);
    expect(plan.result().actions.map((action) => action.do)).toContain("cluster.create");
  });

  test("nothing is written where the state lies but the logs of the runs", () => {
    expect(readdirSync(join(product.state))).toEqual(["runs"]);
  });
});
