import { appendFileSync, readFileSync, rmSync, truncateSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { podImages } from "../../scripts/lab/versions.mjs";
import { installationLabel } from "../../src/cluster/node.ts";
import { converges, crashesOf, cutOffIn } from "./crash.ts";
import { docker } from "./lab.ts";
import {
  creatorOf,
  identityOf,
  isRunning,
  noParts,
  partsOf,
  revisionsOf,
  until,
  useNeighbour,
  waitsOf,
} from "./looks.ts";
import { actionsOf, removeCluster, useProduct } from "./product.ts";

/**
 * The program ended with -9 at each line of its journal outside a running Helm, and started again. Runs follow one
 * another on what the one before left: whatever that was, each comes at least to the line at which it is killed next,
 * and a plain install ends each group.
 */
describe("B09: a run that was killed with -9", () => {
  const product = useProduct("lab-crash");
  const neighbour = useNeighbour("lab-crash-neighbour");
  const { cluster, node } = product;
  const crashes = crashesOf(product);
  const upgrade = ["install", "--force"];

  test("before anything was made leaves nothing that the next one minds", async () => {
    await crashes.at("before release.credentials");
    expect(cutOffIn(await crashes.at("after release.credentials"))).toContain("while asking 127.0.0.1");
    expect(cutOffIn(await crashes.at("before storage.folders"))).toMatch(/UTC\) was cut off;/);
    expect(cutOffIn(await crashes.at("after storage.folders"))).toContain("while making the folders");
    await crashes.at("before cluster.create");
    expect(await partsOf(cluster)).toEqual(noParts);
  });

  test("together with k3d leaves half a cluster of ours: the next one takes it away and makes it anew", async () => {
    await crashes.at("started k3d cluster create");
    await until("k3d to end", async () => (await creatorOf(cluster)) === undefined);
    await removeCluster(cluster);
    await makeHalf();

    expect(cutOffIn(await crashes.at("before cluster.remove"))).toContain(`while creating cluster ${cluster}`);
    await crashes.at("started docker container rm");
    expect(cutOffIn(await crashes.at("after cluster.remove"))).toContain(
      `while removing what is left of cluster ${cluster}`,
    );
    expect(await partsOf(cluster)).toEqual(noParts);
  });

  test("while k3d goes on: the next one waits for it, and takes the cluster that it made", async () => {
    const run = product.start(["install", "--json"]);
    await until("the node to run", () => isRunning(node));
    run.kill("SIGKILL");
    await run.ended;
    const k3d = await creatorOf(cluster);
    expect(k3d).toBeDefined();

    const next = await crashes.at("before cluster.connect");
    expect(cutOffIn(next)).toContain(`while creating cluster ${cluster}`);
    expect(waitsOf(next)).toContain(`k3d cluster create (process ${k3d}) of an earlier run to end`);
    const made = await identityOf(node);
    await crashes.at("after cluster.connect");
    expect(actionsOf((await converges(product)).log())).not.toContain("cluster.create");
    expect(await identityOf(node)).toBe(made);
  });

  test("while it deletes the cluster: the next uninstall finishes that", async () => {
    const uninstall = ["uninstall", "--yes"];
    await crashes.at("before cluster.delete", uninstall);
    await crashes.at("after cluster.delete", uninstall);
    const ran = await product.run([...uninstall, "--json"]);
    expect(ran.result()).toMatchObject({ exit: 0 });
    expect(await partsOf(cluster)).toEqual(noParts);
  });

  test("with a cluster made goes on in that cluster, although a network and a volume were left from before", async () => {
    rmSync(product.data, { recursive: true });
    await docker("network", "create", "--label", "app=k3d", `k3d-${cluster}`);
    await docker(
      "volume",
      "create",
      "--label",
      "app=k3d",
      "--label",
      `k3d.cluster=${cluster}`,
      `k3d-${cluster}-images`,
    );
    await crashes.at("after cluster.create");
    const made = await identityOf(node);
    await crashes.at("before storage.prepare");
    await crashes.at("started docker exec in the node");
    await crashes.at("ended docker exec in the node");
    await crashes.at("after storage.prepare");
    expect(cutOffIn(await crashes.at("before release.apply"))).toMatch(/was cut off;/);
    expect(await identityOf(node)).toBe(made);
    expect(await product.inNode("ls -ldn /tracebloc/tracebloc/data")).toMatch(/^drwxrwsrwx +\d+ +1000 +1000 /);
  });

  test("while Helm goes on: the next one waits for it, and makes no second revision", async () => {
    await crashes.at("started helm upgrade");
    expect(cutOffIn(await crashes.at("before release.await"))).toContain("while installing tracebloc");
    expect(cutOffIn(await crashes.at("after release.await"))).toContain("while waiting for the workloads of tracebloc");
    await converges(product);
    expect(await revisionsOf(product)).toMatchObject([{ revision: 1, status: "deployed" }]);
  });

  test("after Helm had changed the release finds it changed", async () => {
    await crashes.at("ended helm upgrade", upgrade);
    await crashes.at("after release.apply", upgrade);
    expect(actionsOf((await converges(product)).log())).not.toContain("release.apply");
  });

  test("and whose journal was cut off in a line, or is no journal at all, is still told of", async () => {
    await crashes.at("before release.apply", upgrade);
    const journal = product.logs().at(-1) ?? "";
    truncateSync(journal, readFileSync(journal).length - 20);
    expect(cutOffIn(await crashes.at("after release.apply", upgrade))).toContain("was cut off");

    appendFileSync(product.logs().at(-1) ?? "", '\0\0\0{"is":"act');
    expect(cutOffIn(await converges(product))).toContain("was cut off");
  });

  test("was killed at every line that any of these runs wrote, but for those that leave what another does", () => {
    const sameAs = {
      "ended docker container rm": "after cluster.remove",
      "ended k3d cluster create": "before cluster.connect",
      "ended docker network rm": "after cluster.remove",
      "started docker network rm": "after cluster.remove",
      "ended docker volume rm": "after cluster.remove",
      "started docker volume rm": "after cluster.remove",
    };
    expect(crashes.left().filter((mark) => !(mark in sameAs))).toEqual([]);
  });

  test("touched no other container of this machine", async () => {
    expect(await identityOf(neighbour.name)).toBe(neighbour.identity());
  });

  /** A node that was made and never started, and k3d's helper beside it, as k3d leaves them when it is killed. */
  async function makeHalf(): Promise<void> {
    const { id } = JSON.parse(readFileSync(`${product.state}/installation.json`, "utf8")) as { id: string };
    const ofCluster = ["--label", "app=k3d", "--label", `k3d.cluster=${cluster}`];
    await docker("network", "create", "--label", "app=k3d", `k3d-${cluster}`);
    const server = ["--label", "k3d.role=server", "--label", `${installationLabel}=${id}`];
    await docker("create", "--name", node, ...ofCluster, ...server, podImages.busybox, "true");
    const tools = ["--name", `k3d-${cluster}-tools`, "--label", "k3d.role=noRole"];
    await docker("run", "--detach", ...tools, ...ofCluster, podImages.busybox, "sleep", "3600");
  }
});
