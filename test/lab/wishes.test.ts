import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";

import { beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { brokenClient } from "../../scripts/lab/backend.mjs";
import { betrays, filesWith, watchArguments } from "./canary.ts";
import { inLab, runPod } from "./lab.ts";
import { findingOf } from "./looks.ts";
import { actionsOf, callsOf, useProduct, type Ran } from "./product.ts";
import { layValuesOver } from "./values.ts";

/** What shells, YAML 1.1, JSON and forms each have a way of their own with. */
const canary = `canary "on" 'no' 1_000 $HOME \`id\` \\ üñïçødé ☃ & = % #x`;

describe("a client that is asked for by many wishes", () => {
  const product = useProduct("lab-wishes");
  const datasets = join(product.folder, "data sets");
  // The stand-in answers this client with 500, whatever its password: unverified, and installed all the same.
  const client = { TRACEBLOC_CLIENT_ID: brokenClient, TRACEBLOC_CLIENT_PASSWORD: canary };
  const env = { ...client, HOST_DATASET_DIR: datasets };
  const noPassword = { TRACEBLOC_CLIENT_ID: undefined, TRACEBLOC_CLIENT_PASSWORD: undefined };
  const output: string[] = [];
  const keep = (ran: Ran) => {
    output.push(ran.stdout, ran.stderr);
    return ran;
  };
  const inNamespace = ["--namespace", "tracebloc"];
  const storedPassword = async () => {
    const path = "jsonpath={.data.CLIENT_PASSWORD}";
    const encoded = await product.kubectl(["get", "secret", "tracebloc-secrets", ...inNamespace, "--output", path]);
    return Buffer.from(encoded, "base64").toString();
  };
  const variable = (name: string) => {
    const path = `jsonpath={.spec.template.spec.containers[0].env[?(@.name=="${name}")].value}`;
    return product.kubectl(["get", "deployment", "tracebloc-jobs-manager", ...inNamespace, "--output", path]);
  };
  const isRoot = process.getuid?.() === 0;

  beforeAll(() => {
    mkdirSync(product.data);
    mkdirSync(datasets);
  });

  test.skipIf(!isRoot)("is refused before Helm where the engine sees another folder of that name (B23)", async () => {
    // As with a Docker from snap: this program's file system is not the one that the engine mounts from.
    const confined = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', product.data];
    const ran = keep(await product.run(["install", "--json"], { env, under: confined }));

    expect(ran.exit, ran.last).toBe(5);
    expect(ran.result().failures).toMatchObject([{ reason: "STORAGE_NOT_SHARED" }]);
    expect(ran.result().failures[0]?.says).toContain(product.data);
    expect(actionsOf(ran.log()).at(-1)).toBe("storage.prepare");
    expect(callsOf(ran.log()).filter(({ about }) => about === "helm upgrade")).toEqual([]);
    expect(await product.inNode("find /tracebloc -mindepth 1")).toBe("");
  });

  test("is installed on from there, with a warning that the backend could not be asked", async () => {
    const values = layValuesOver(product, { env: { CLIENT_ENV: "dev", RESOURCE_LIMITS: "cpu=1,memory=1Gi" } });
    const watch = watchArguments(canary);
    const ran = keep(await product.run(["install", "--json", "--verbose", "--values", values], { env }));
    const { processes, betraying } = watch.stop();

    expect(ran.exit, ran.last).toBe(0);
    expect(ran.result().state).toBe("unproven");
    expect(ran.result().warnings.map(({ reason }) => reason)).toContain("CREDENTIALS_UNVERIFIED");
    expect(betraying).toEqual([]);
    expect(processes).toBeGreaterThan(50);
    expect(await storedPassword()).toBe(canary);
  });

  test("has the values of the operator's file over those that are generated", async () => {
    expect(await variable("CLIENT_ENV")).toBe("dev");
    expect(await variable("RESOURCE_LIMITS")).toBe("cpu=1,memory=1Gi");
    expect(await variable("SINGLE_NODE")).toBe("true");
  });

  test("has its datasets in their own folder, by the node's mount table", async () => {
    const paths = ["/tracebloc-data/tracebloc/data", "/tracebloc/tracebloc/logs"];
    const ran = keep(await product.run(["install", "--json"], { env: noPassword }));

    expect(ran.exit, ran.last).toBe(0);
    expect(ran.result()).toMatchObject({ state: "healthy", actions: [] });
    expect(ran.result().storage).toMatchObject(paths.map((path) => ({ path, result: "ready" })));
    expect(await product.inNode(`stat -c %a ${paths.join(" ")}`)).toBe("2777\n3777");
    expect(await product.inNode("ls /tracebloc/tracebloc")).not.toContain("data");

    const common = { claim: "client-pvc", namespace: "tracebloc" };
    const writer = { ...common, name: "writer", uid: 65534, args: ["write", "/data/shared/cats"] };
    expect(await runPod(product, writer)).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(datasets, "tracebloc", "data", "cats", "train", "1.csv"))).toBe(true);
    const remover = { ...common, name: "remover", uid: 65532, args: ["remove", "/data/shared/cats"] };
    expect(await runPod(product, remover)).toMatchObject({ exitCode: 0 });
  });

  test("is repaired in the folder for datasets, by a run that knows nothing of it", async () => {
    await product.inNode("chown 0:0 /tracebloc-data/tracebloc/data; chmod 0755 /tracebloc-data/tracebloc/data");
    const ran = keep(await product.run(["install", "--json"], { env: noPassword }));

    expect(ran.exit, ran.last).toBe(0);
    expect(ran.result().actions.map((action) => action.do)).toEqual(["storage.prepare"]);
    expect(await product.inNode("stat -c %a /tracebloc-data/tracebloc/data")).toBe("2777");
  });

  test("is refused another folder for datasets than the cluster was made with", async () => {
    const other = { ...noPassword, HOST_DATASET_DIR: join(product.folder, "elsewhere") };
    mkdirSync(other.HOST_DATASET_DIR);
    const ran = keep(await product.run(["install", "--json"], { env: other }));

    expect(ran.exit, ran.last).toBe(5);
    expect(ran.result().failures).toMatchObject([{ reason: "CLUSTER_DIFFERS" }]);
  });

  test("gets what a variable asks for, whatever the operator's file says", async () => {
    const values = layValuesOver(product, { env: { CLIENT_ENV: "dev" } });
    const asked = { ...noPassword, CLIENT_ENV: "stg" };
    const ran = keep(await product.run(["install", "--json", "--values", values], { env: asked }));

    expect(ran.exit, ran.last).toBe(0);
    expect(ran.result().actions[0]).toMatchObject({ do: "release.apply" });
    expect(await variable("CLIENT_ENV")).toBe("stg");
    expect(await variable("RESOURCE_LIMITS")).toBe("cpu=1,memory=1Gi");
  });

  test.each(["on", "1_000", "  blanks around  "])("gets a new password %j as the text that it is", async (password) => {
    const changed = { ...client, TRACEBLOC_CLIENT_PASSWORD: password };
    const ran = keep(await product.run(["install", "--json"], { env: changed }));

    expect(ran.exit, ran.last).toBe(0);
    expect(ran.result().actions).toMatchObject([
      { do: "release.credentials" },
      { do: "release.apply", because: "the client's password changed" },
    ]);
    expect(await storedPassword()).toBe(password);
    expect(keep(await product.run(["install", "--json"], { env: changed })).result()).toMatchObject({ actions: [] });
  });

  test("is not proven where the backend never answers, which --strict makes exit 6", async () => {
    const connections = new Set<Socket>();
    const silent = createServer((socket) => connections.add(socket));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      for (const socket of connections) socket.destroy();
      silent.close();
    });
    const { port } = silent.address() as { port: number };
    const asked = { ...client, TRACEBLOC_BACKEND_URL: `http://127.0.0.1:${port}` };
    const ran = keep(await product.run(["install", "--json", "--strict"], { env: asked }));

    expect(ran.exit, ran.last).toBe(6);
    expect(ran.result().actions.map((action) => action.do)).toEqual(["release.credentials", "release.apply"]);
    const found = findingOf(ran, "CREDENTIALS_UNVERIFIED");
    expect(found?.says).toContain("did not answer");
    expect(await storedPassword()).toBe(canary);
  });

  test("shows its settings with their origins and without the password", async () => {
    const shown = keep(await product.run(["config", "show"], { env }));

    expect(shown.exit, shown.last).toBe(0);
    expect(shown.stdout).toMatch(/^clientPassword +TRACEBLOC_CLIENT_PASSWORD +\(hidden\)$/m);
    expect(shown.stdout).toMatch(/^cluster +CLUSTER_NAME +lab-wishes$/m);
    expect(shown.stdout).toContain(datasets);
  });

  test("has a kubeconfig of its own, and adds it to another one only when told", async () => {
    const mine = join(product.folder, "mine.yaml");
    const before =
      "apiVersion: v1\nkind: Config\n# mine\ncurrent-context: work\ncontexts: []\nclusters: []\nusers: []\n";
    writeFileSync(mine, before);
    const own = keep(await product.run(["kubeconfig"], { env: { KUBECONFIG: mine } })).stdout.trim();
    const nodes = ["get", "nodes", "--output", "name"];

    expect(statSync(own).mode & 0o777).toBe(0o600);
    expect(await inLab("kubectl", ["--kubeconfig", own, ...nodes])).toBe(`node/${product.node}`);
    expect(readFileSync(mine, "utf8")).toBe(before);

    expect(keep(await product.run(["kubeconfig", "--merge"], { env: { KUBECONFIG: mine } }))).toMatchObject({
      exit: 0,
    });
    expect(readFileSync(mine, "utf8")).toContain("# mine");
    expect(await inLab("kubectl", ["--kubeconfig", mine, "config", "current-context"])).toBe("work");
    const context = ["--context", `k3d-${product.cluster}`];
    expect(await inLab("kubectl", ["--kubeconfig", mine, ...context, ...nodes])).toBe(`node/${product.node}`);
  });

  test("has left its password in no output, log or file but the values that Helm was given", () => {
    expect(output.filter((text) => betrays(text, canary))).toEqual([]);
    expect(filesWith(product.folder, canary)).toEqual([
      { path: join(product.state, `cluster-${product.cluster}`, "values-tracebloc.yaml"), mode: "600" },
    ]);
    expect(product.logs().length).toBeGreaterThan(5);
  });

  test("would have been found out: the search finds a password that is there", async () => {
    const watch = watchArguments(canary);
    const betrayer = spawn("sh", ["-c", "echo started; sleep 60", canary]);
    await new Promise((resolve) => betrayer.stdout.once("data", resolve));
    const { betraying } = watch.stop();
    betrayer.kill("SIGKILL");
    const copy = join(product.folder, "tmp", "copy");
    writeFileSync(copy, JSON.stringify({ password: canary }));

    expect(betraying).toHaveLength(1);
    expect(filesWith(join(product.folder, "tmp"), canary)).toMatchObject([{ path: copy }]);
  });
});
