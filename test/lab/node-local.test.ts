import { existsSync, readdirSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { docker, runPod } from "./lab.ts";
import { useProduct } from "./product.ts";

describe("a client whose cluster keeps the data (node-local)", () => {
  const product = useProduct("lab-node-local");
  const env = { TB_STORAGE_MODE: "node-local" };
  const pod = (name: string, uid: number, args: readonly string[]) =>
    runPod(product, { name, uid, claim: "client-pvc", args, namespace: "tracebloc" });

  test("is refused with a dataset directory, before anything is touched", async () => {
    const ran = await product.run(["install", "--json"], {
      env: { ...env, HOST_DATASET_DIR: `${product.folder}/sets` },
    });

    expect(ran.exit, ran.last).toBe(2);
    expect(ran.result().failures).toMatchObject([{ reason: "CONFIG_CONFLICT" }]);
    expect(existsSync(product.state)).toBe(false);
    expect(existsSync(product.data)).toBe(false);
  });

  test("is installed without a folder of this machine, and says that nothing is prepared", async () => {
    const ran = await product.run(["install", "--json"], { env });

    expect(ran.exit, ran.last).toBe(0);
    expect(ran.result()).toMatchObject({ state: "healthy", storage: [] });
    expect(ran.result().actions.map((action) => action.do)).toEqual([
      "release.credentials",
      "cluster.create",
      "release.apply",
      "release.await",
    ]);
    expect(JSON.stringify(ran.lines())).toContain("no directory is prepared");
    const binds = `{{range .Mounts}}{{if eq .Type "bind"}}{{.Destination}} {{end}}{{end}}`;
    expect(await docker("container", "inspect", "--format", binds, product.node)).not.toContain("/tracebloc");
    expect(existsSync(product.data)).toBe(false);
  });

  test("takes a dataset from one uid and lets another remove it", async () => {
    expect(await pod("writer", 65534, ["write", "/data/shared/cats"])).toMatchObject({ exitCode: 0 });
    expect(await pod("remover", 65532, ["remove", "/data/shared/cats"])).toMatchObject({ exitCode: 0 });
    expect(await pod("keeper", 65534, ["write", "/data/shared/dogs"])).toMatchObject({ exitCode: 0 });
  });

  test("stays as it was made when it is installed again without the variable", async () => {
    const ran = await product.run(["install", "--json"]);

    expect(ran.exit, ran.last).toBe(0);
    expect(ran.result()).toMatchObject({ state: "healthy", actions: [], storage: [] });
    expect(await product.run(["status"])).toMatchObject({ exit: 0 });
  });

  test("is uninstalled without its cluster, since the data is in it", async () => {
    const ran = await product.run(["uninstall", "--json"]);

    expect(ran.exit, ran.last).toBe(0);
    expect(ran.result().actions.map((action) => action.do)).toEqual(["release.remove"]);
    expect(ran.result().cluster).toMatchObject({ state: "running" });
    const status = await product.run(["status", "--json"]);
    expect(status.exit, status.last).toBe(6);
    expect(status.result().failures).toMatchObject([{ reason: "RELEASE_MISSING" }]);
  });

  test("finds its data again when it is installed once more", async () => {
    const ran = await product.run(["install", "--json"]);

    expect(ran.exit, ran.last).toBe(0);
    expect(ran.result().state).toBe("healthy");
    expect(await pod("finder", 65532, ["remove", "/data/shared/dogs"])).toMatchObject({ exitCode: 0 });
  });

  test("goes with its cluster when its data is to be deleted", async () => {
    const ran = await product.run(["uninstall", "--json", "--delete-data", "--yes"]);

    expect(ran.exit, ran.last).toBe(0);
    expect(ran.result().actions.map((action) => action.do)).toEqual(["cluster.delete"]);
    expect(
      await docker("container", "ls", "--all", "--quiet", "--filter", `label=k3d.cluster=${product.cluster}`),
    ).toBe("");
    expect(readdirSync(product.folder)).not.toContain("data");
    expect(await product.run(["status"])).toMatchObject({ exit: 3 });
  });
});
