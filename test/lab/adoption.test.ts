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

  /** Which revision of the chart serves, and whether its claims have the volumes that they had. */
  const seen = async () => {
    const [at] = JSON.parse(await old.helm("list", "--namespace", namespace, "--output", "json")) as object[];
    const columns = "custom-columns=:.metadata.name,:.spec.volumeName";
    const claims = await old.kubectl("get", "pvc", "--namespace", namespace, "--no-headers", "--output", columns);
    const data = await product.inNode(`cat /tracebloc/${release}/data/of-the-old-chart`);
    return {
      at,
      claims: claims
        .trim()
        .split("\n")
        .map((line) => line.split(/\s+/).join(" ")),
      data,
    };
  };
  const held = {
    claims: ["client-logs-pvc site-client-logs-pv", "client-pvc site-client-data-pv", "mysql-pvc site-client-mysql-pv"],
    data: "kept",
  };

  /** The objects of a revision that Helm will keep: it goes by the manifest that it stored. */
  const kept = async (revision: string) => {
    const manifest = await old.helm("get", "manifest", release, "--namespace", namespace, "--revision", revision);
    return manifest
      .split(/^---$/m)
      .filter((one) => one.includes("helm.sh/resource-policy: keep"))
      .map((one) => `${/^kind: (.*)$/m.exec(one)?.[1]} ${/^ {2}name: (.*)$/m.exec(one)?.[1]}`)
      .toSorted();
  };

  test("gets the chart of this version only when that is asked for, as the hint says, and keeps its volumes", async () => {
    await product.inNode(`echo kept > /tracebloc/${release}/data/of-the-old-chart`);
    const hint = findingOf(await product.run(["install", "--json"], bare), "CHART_OLDER");
    await paste(product, hint?.remedies[0]?.command, bare.env);
    expect(await seen()).toMatchObject({ at: { name: release, revision: "2", status: "deployed" }, ...held });
    const claims = ["client-logs-pvc", "client-pvc", "mysql-pvc"].map((name) => `PersistentVolumeClaim ${name}`);
    const volumes = ["data", "logs", "mysql"].map((name) => `PersistentVolume ${release}-${name}-pv`);
    const ofOld = await kept("1");
    expect(ofOld).toEqual(expect.arrayContaining(claims));
    expect(ofOld.filter((one) => volumes.includes(one))).toEqual([]);
    const jsonpath = 'jsonpath={.metadata.managedFields[?(@.manager=="helm")].operation}';
    const helmsWay = ["get", "deployment", `${release}-jobs-manager`, "--show-managed-fields", "--output", jsonpath];
    // Helm 4 goes on from the client's side with what was applied from there: no field changes its owner by itself.
    expect(await old.kubectl(...helmsWay, "--namespace", namespace)).toBe("Update");
    expect(await kept("2")).toEqual(expect.arrayContaining([...claims, ...volumes]));
    expect((await product.run(["status", "--json"], bare)).result()).toMatchObject({ exit: 0 });
  });

  test("goes back to the old chart with Helm's own rollback, and on to this one again", async () => {
    await old.helm("rollback", release, "1", "--namespace", namespace, "--wait", "--timeout", "3m");
    const back = { name: release, revision: "3", status: "deployed", chart: `client-${oldChart}` };
    expect(await seen()).toMatchObject({ at: back, ...held });
    expect((await product.run(["status", "--json"], bare)).result()).toMatchObject({ exit: 0 });

    const ran = await product.run(["install", "--force", "--json"], bare);
    expect(ran.result(), ran.last).toMatchObject({ exit: 0, release: { revision: 4 } });
    expect(await seen()).toMatchObject({ at: { revision: "4", status: "deployed" }, ...held });
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
