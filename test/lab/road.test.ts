import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { docker, freePort, inLab, labEnvironment } from "./lab.ts";
import { failuresOf, findingOf, revisionsOf } from "./looks.ts";
import { removeCluster, useProduct } from "./product.ts";

const strangersCa = fileURLToPath(new URL("../fixtures/cluster/tls/stranger.crt", import.meta.url));

/** Nobody listens there: whatever takes this road fails at once. */
const deadProxy = "http://127.0.0.1:9";
const throughProxy = { HTTP_PROXY: deadProxy, HTTPS_PROXY: deadProxy, http_proxy: deadProxy, https_proxy: deadProxy };

/** The road to the cluster's API is our own: no kubeconfig, proxy or port of somebody else's leads us astray. */
describe("B07, B13, B28: the road to the cluster", () => {
  const product = useProduct("lab-road");
  const { cluster, folder } = product;
  const kubeconfig = join(product.state, `cluster-${cluster}`, "kubeconfig.yaml");
  const home = join(folder, "home");
  const usersOwn = join(home, ".kube", "config");
  let listener: Server;
  let takenPort: number;

  beforeAll(async () => {
    mkdirSync(join(home, ".kube"), { recursive: true });
    // Whoever opens a pipe to read it waits for a writer: a run that ends has not read the user's own kubeconfig.
    await inLab("mkfifo", [usersOwn]);
    takenPort = await freePort();
    listener = await listenOn(takenPort);
  });
  afterAll(() => void listener.close());

  test("leads past a port that is taken, a proxy that is dead, and a kubeconfig that must not be read", async () => {
    // The default port; where it is taken already, all the better.
    const other = await listenOn(6550).catch(() => undefined);
    const ran = await product.run(["install", "--json"], {
      env: { ...throughProxy, HOME: home, KUBECONFIG: usersOwn },
    });
    other?.close();
    expect(ran.result(), JSON.stringify(ran.result().failures)).toMatchObject({ exit: 0, state: "healthy" });
    const [created] = ran
      .log()
      .flatMap((line) => (line.is === "action" && line.action.do === "cluster.create" ? [line.action] : []));
    expect(created).toMatchObject({ port: expect.any(Number) as number });
    expect((created as unknown as { port: number }).port).not.toBe(6550);
    expect(statSync(usersOwn).isFIFO()).toBe(true);
  });

  test("is not taken where the port was asked for and is another's; the one that is named is free", async () => {
    const plan = (port: number) =>
      product.run(["plan", "--cluster", `${cluster}-2`, "--json"], {
        // A cluster of its own has a folder of its own.
        env: { TRACEBLOC_API_PORT: String(port), HOST_DATA_DIR: `${product.data}-2` },
      });
    const ran = await plan(takenPort);
    expect(ran.result()).toMatchObject({ exit: 3, state: "refused" });
    expect(failuresOf(ran)).toEqual(["PORT_TAKEN"]);
    const named = /to (\d+), which is free/.exec(JSON.stringify(findingOf(ran, "PORT_TAKEN")?.remedies));
    expect((await plan(Number(named?.[1]))).result()).toMatchObject({ exit: 0, state: "planned" });
  });

  const foreign = "apiVersion: v1\nkind: Config\ncurrent-context: theirs\n";
  const usersConfigs = [
    { what: "points at another cluster", text: `${foreign}${theirCluster()}` },
    { what: "is no YAML", text: "\t{{" },
    { what: "is a folder", text: undefined },
  ];

  test.each(usersConfigs)("is not that of a KUBECONFIG that $what, which stays as it is", async ({ text }) => {
    const theirs = join(folder, text === undefined ? "a-folder" : "theirs.yaml");
    if (text === undefined) mkdirSync(theirs);
    else writeFileSync(theirs, text);
    const look = () => [
      statSync(theirs).mtimeMs,
      text === undefined ? readdirSync(theirs) : readFileSync(theirs, "utf8"),
    ];
    const seen = look();
    const before = await revisionsOf(product);

    const env = {
      ...throughProxy,
      HOME: home,
      KUBECONFIG: theirs,
      HELM_KUBECONTEXT: "theirs",
      HELM_NAMESPACE: "theirs",
    };
    const ran = await product.run(["install", "--force", "--json"], { env });
    expect(ran.result(), JSON.stringify(ran.result().failures)).toMatchObject({ exit: 0, state: "healthy" });
    expect(await revisionsOf(product)).toHaveLength(before.length + 1);
    expect(look()).toEqual(seen);
  });

  const broken = [
    { what: "is gone", text: () => "" },
    { what: "was cut off", text: (good: string) => good.slice(0, good.length / 3) },
    {
      what: "leads to another port",
      text: (good: string) => good.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${takenPort}`),
    },
    {
      what: "holds the certificates of another cluster",
      text: (good: string) =>
        good.replace(
          /(certificate-authority-data"?: *"?)[\w+/=]+/,
          `$1${readFileSync(strangersCa).toString("base64")}`,
        ),
    },
  ];

  test.each(broken)("is found again where our own kubeconfig $what", async ({ text }) => {
    const good = readFileSync(kubeconfig, "utf8");
    const bad = text(good);
    expect(bad).not.toBe(good);
    writeFileSync(kubeconfig, bad);
    expect((await product.run(["status", "--json"])).exit).not.toBe(0);
    const ran = await product.run(["install", "--json"]);
    expect(ran.result(), JSON.stringify(ran.result().failures)).toMatchObject({
      exit: 0,
      state: "healthy",
      actions: [{ do: "cluster.connect" }],
    });
    expect(readFileSync(kubeconfig, "utf8")).toBe(good);
    expect((statSync(kubeconfig).mode & 0o777).toString(8)).toBe("600");
  });

  test("ends before a cluster that somebody made anew under the same name, port and mount", async () => {
    const port = /127\.0\.0\.1:(\d+)/.exec(readFileSync(kubeconfig, "utf8"))?.[1] ?? "";
    await removeCluster(cluster);
    const { TRACEBLOC_K3S_IMAGE: image = "", TRACEBLOC_K3D_TOOLS_IMAGE: tools } = labEnvironment();
    const shape = ["--servers", "1", "--agents", "0", "--no-lb", "--api-port", `127.0.0.1:${port}`];
    const rest = ["--volume", `${product.data}:/tracebloc@all`, "--kubeconfig-update-default=false", "--wait"];
    await inLab("k3d", ["cluster", "create", cluster, "--image", image, ...shape, ...rest], {
      env: { K3D_IMAGE_TOOLS: tools },
    });

    const ran = await product.run(["install", "--json"]);
    expect(ran.result()).toMatchObject({ exit: 5, state: "refused" });
    expect(failuresOf(ran)).toEqual(["CLUSTER_NOT_OURS"]);
    expect(await product.kubectl(["get", "namespaces", "--output", "name"])).not.toContain("tracebloc");
    expect(
      await docker("container", "ls", "--filter", `name=^k3d-${cluster}-server-0$`, "--format", "{{.State}}"),
    ).toBe("running");
  });
});

/** A kubeconfig's rest: a cluster that nobody has. */
function theirCluster(): string {
  const server = "https://127.0.0.1:9";
  return `clusters: [{name: theirs, cluster: {server: "${server}"}}]
contexts: [{name: theirs, context: {cluster: theirs, user: theirs, namespace: theirs}}]
users: [{name: theirs, user: {token: not-a-token}}]
`;
}

function listenOn(port: number): Promise<Server> {
  const server = createServer((socket) => void socket.end());
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}
