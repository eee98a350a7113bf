import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { labClient } from "../../scripts/lab/backend.mjs";
import { docker, inLab } from "./lab.ts";
import { failuresOf, findingOf, identityOf, paste } from "./looks.ts";
import { createOldCluster, oldChart, removeOldCluster, type OldCluster } from "./old-installer.ts";
import { useProduct, type RunOptions } from "./product.ts";

/** B12: what the installers before this one made is taken over where it stands, and never made anew. */
describe("a cluster of the old installers", () => {
  const product = useProduct("lab-adopted");
  const { cluster, node, folder, state } = product;
  const [release, namespace] = ["site-client", "site"];
  const theirData = join(folder, "chosen by someone else");
  const home = join(folder, "home");
  let old: OldCluster;
  let before: string[];

  /** As a person runs it who sets nothing: the default data directory would lie below this home. */
  const bare: RunOptions = {
    env: { HOME: home, HOST_DATA_DIR: undefined, TRACEBLOC_CLIENT_ID: undefined, TRACEBLOC_CLIENT_PASSWORD: undefined },
  };
  const identities = () => Promise.all(old.members.map((member) => identityOf(member)));
  const modes = () => product.inNode(`cd /tracebloc/${release} && stat -c '%a %u %n' data logs`);

  beforeAll(async () => {
    mkdirSync(home);
    await removeOldCluster(cluster);
    old = await createOldCluster(cluster, theirData, folder);
    before = await identities();
  });
  afterAll(async () => {
    old?.close();
    await removeOldCluster(cluster);
  });

  test("without a client in it is not taken over, and nothing of it is kept here", async () => {
    const ran = await product.run(["install", "--json"], bare);
    expect(ran.result()).toMatchObject({ exit: 5, state: "refused" });
    expect(failuresOf(ran)).toEqual(["CLUSTER_NOT_OURS"]);
    expect(await identities()).toEqual(before);
    expect(readdirSync(theirData)).toEqual([]);
    expect(await old.helm("list", "--all-namespaces", "--short")).toBe("");
    expect(existsSync(join(state, `cluster-${cluster}`, "kubeconfig.yaml"))).toBe(false);
  });

  test("with a client is adopted: its directories are repaired under its own mount, and Helm does not run", async () => {
    await old.installClient({ release, namespace, clientId: labClient });
    await old.kubectl(
      "--namespace",
      namespace,
      "wait",
      "--for=condition=Available",
      "deployment",
      "--all",
      "--timeout=3m",
    );
    await product.inNode(`cd /tracebloc/${release} && chmod 755 data logs && chown 0:0 data logs`);

    const ran = await product.run(["install", "--json"], bare);
    expect(ran.result()).toMatchObject({
      exit: 0,
      release: { name: release, namespace, revision: 1, status: "deployed", chart: `client-${oldChart}` },
      storage: [{ result: "ready" }, { result: "ready" }],
    });
    const done = ran.result().actions.map((action) => action.do);
    expect(done).toEqual(expect.arrayContaining(["cluster.connect", "storage.prepare"]));
    expect(done).not.toContain("release.apply");
    expect(findingOf(ran, "CHART_OLDER")?.says).toContain(oldChart);
    expect(await modes()).toBe("2777 1000 data\n3777 1000 logs");
    expect(readdirSync(join(theirData, release)).toSorted()).toEqual(["data", "logs", "mysql"]);
    expect(await identities()).toEqual(before);
    expect(readdirSync(home)).toEqual([]);
  });

  test("is healthy from then on: a second run does nothing", async () => {
    const ran = await product.run(["install", "--json"], bare);
    expect(ran.result()).toMatchObject({ exit: 0, state: "healthy", actions: [] });
    expect((await product.run(["status", "--json"], bare)).exit).toBe(0);
  });

  test("is refused where another data directory is asked for, and kept by the command that is named", async () => {
    const asked = { env: { ...bare.env, HOST_DATA_DIR: join(folder, "elsewhere") } };
    const ran = await product.run(["install", "--json"], asked);
    expect(ran.result()).toMatchObject({ exit: 5, actions: [] });
    expect(failuresOf(ran)).toEqual(["CLUSTER_DIFFERS"]);
    expect(findingOf(ran, "CLUSTER_DIFFERS")?.says).toContain(theirData);
    expect(existsSync(join(folder, "elsewhere"))).toBe(false);

    const [keep] = findingOf(ran, "CLUSTER_DIFFERS")?.remedies ?? [];
    await paste(product, keep?.command, bare.env);
  });

  test("is refused to another client, and holds what it held", async () => {
    const ran = await product.run(["install", "--json", "--client-id", "another-client"], bare);
    expect(ran.result()).toMatchObject({ exit: 5, actions: [] });
    expect(failuresOf(ran)).toEqual(["RELEASE_OF_ANOTHER_CLIENT"]);
    expect(await identities()).toEqual(before);
  });

  test("B11: stopped, as after a reboot, is started with all its parts", async () => {
    await inLab("k3d", ["cluster", "stop", cluster]);
    expect((await product.run(["status", "--json"], bare)).exit).toBe(6);
    const ran = await product.run(["install", "--json"], bare);
    expect(ran.result(), ran.stderr).toMatchObject({ exit: 0 });
    expect(ran.result().actions[0]).toMatchObject({ do: "cluster.start" });
    for (const member of old.members) expect(await identityOf(member)).toMatch(/^\w+ running /);
    before = await identities();
  });

  test("gets the chart of this version only when that is asked for, as the hint says", async () => {
    const hint = findingOf(await product.run(["install", "--json"], bare), "CHART_OLDER");
    await paste(product, hint?.remedies[0]?.command, bare.env);
    const [seen] = JSON.parse(await old.helm("list", "--namespace", namespace, "--output", "json")) as object[];
    expect(seen).toMatchObject({ name: release, revision: "2", status: "deployed" });
    expect((await product.run(["status", "--json"], bare)).result()).toMatchObject({ exit: 0 });
  });

  test("keeps standing when the client is uninstalled, and its data too, also where it was never adopted", async () => {
    await docker("exec", node, "touch", `/tracebloc/${release}/data/a-dataset`);
    const never = { env: { ...bare.env, TRACEBLOC_STATE_DIR: join(folder, "state of a machine that knows nothing") } };
    const ran = await product.run(["uninstall", "--yes", "--json"], never);
    expect(ran.result()).toMatchObject({ exit: 0, actions: [{ do: "cluster.connect" }, { do: "release.remove" }] });
    expect(existsSync(join(never.env.TRACEBLOC_STATE_DIR, `cluster-${cluster}`, "kubeconfig.yaml"))).toBe(false);
    expect(await old.helm("list", "--all-namespaces", "--short")).toBe("");
    expect(await identities()).toEqual(before);
    expect(existsSync(join(theirData, release, "data", "a-dataset"))).toBe(true);
  });
});
