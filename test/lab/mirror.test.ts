import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { podImages } from "../../scripts/lab/versions.mjs";
import { betrays, filesWith, watchArguments } from "./canary.ts";
import { docker, labEnvironment } from "./lab.ts";
import { findingOf, noParts, partsOf } from "./looks.ts";
import { actionsOf, useProduct, type Ran } from "./product.ts";
import { makeCertificates, ownAddress, pushImages, startRegistry, type Registry } from "./registry.ts";

/** What shells, YAML, JSON and k3d's own reading of variables each have a way of their own with. */
const canary = "canary $HOME ${PATH} 'q' \"d\" \\ : # §7";
const user = { name: "puller", password: canary };

describe("a mirror with a CA of the site's own and a password", () => {
  const product = useProduct("lab-mirror");
  const path = "site/";
  const certificates = join(product.folder, "certificates");
  const registries = join(product.folder, "registries");
  const opened: Registry[] = [];
  const output: string[] = [];
  let mirror: Registry;
  /** The same store on loopback, which engines trust without TLS, with the same password. */
  let loopback: Registry;
  let ca: string;

  const env = (more: Record<string, string | undefined> = {}) => ({
    // As people paste it.
    TRACEBLOC_IMAGE_REGISTRY: `https://${mirror.host}/${path}`,
    TRACEBLOC_REGISTRY_USERNAME: user.name,
    TRACEBLOC_REGISTRY_PASSWORD: user.password,
    TRACEBLOC_CA_BUNDLE: ca,
    ...more,
  });
  const run = async (args: readonly string[], more?: Record<string, string | undefined>): Promise<Ran> => {
    const ran = await product.run([...args, "--json", "--verbose"], { env: env(more) });
    output.push(ran.stdout, ran.stderr);
    return ran;
  };

  beforeAll(async () => {
    const store = join(product.folder, "store");
    const door = (name: string) => ({ store, folder: join(registries, name) });
    const open = async (address: string, how: Parameters<typeof startRegistry>[1]) => {
      const registry = await startRegistry(address, how);
      opened.push(registry);
      return registry;
    };
    mkdirSync(registries);
    const delivery = await open("127.0.0.1", door("delivery"));
    const { TRACEBLOC_K3D_TOOLS_IMAGE: tools = "" } = labEnvironment();
    await pushImages(delivery, path, [...Object.values(podImages), tools]);
    const address = ownAddress();
    const made = await makeCertificates(certificates, address);
    ca = made.ca;
    mirror = await open(address, { ...door("mirror"), user, tls: made.tls });
    loopback = await open("127.0.0.1", { ...door("loopback"), user });
  });
  afterAll(async () => {
    for (const registry of opened) await registry.stop();
  });

  test("is refused by the engine's pull where the password is wrong, in seconds and before anything is made", async () => {
    const tools = `${loopback.host}/${path}${labEnvironment()["TRACEBLOC_K3D_TOOLS_IMAGE"]?.replace("docker.io/", "")}`;
    const ran = await run(["install"], {
      TRACEBLOC_IMAGE_REGISTRY: `http://${loopback.host}/${path}`,
      TRACEBLOC_REGISTRY_PASSWORD: "not the password",
      TRACEBLOC_K3D_TOOLS_IMAGE: tools,
    });

    expect(ran.exit, ran.last).toBe(4);
    const [failure] = ran.result().failures;
    expect(failure).toMatchObject({ reason: "IMAGE_PULL_DENIED" });
    expect(failure?.remedies[0]?.says).toContain("TRACEBLOC_REGISTRY_PASSWORD");
    expect(await partsOf(product.cluster)).toEqual(noParts);
  });

  test("gives the engine what k3d needs, with the password that is wished for", async () => {
    const tools = `${loopback.host}/${path}${labEnvironment()["TRACEBLOC_K3D_TOOLS_IMAGE"]?.replace("docker.io/", "")}`;
    const more = { TRACEBLOC_IMAGE_REGISTRY: `http://${loopback.host}/${path}`, TRACEBLOC_K3D_TOOLS_IMAGE: tools };
    const started = product.start(["install", "--json"], { env: env(more) });
    await started.until((line) => line.type === "wait" && line.waitingFor.startsWith("k3d to make"));
    started.kill("SIGINT");
    const ran = await started.ended;
    output.push(ran.stdout, ran.stderr);

    expect(await docker("image", "inspect", "--format", "{{.Id}}", tools)).toMatch(/^sha256:/);
    await docker("image", "rm", tools);
    expect(existsSync(join(product.state, `cluster-${product.cluster}`, "docker"))).toBe(false);
    expect(await partsOf(product.cluster)).toEqual(noParts);
  });

  test("whose CA is unknown is told apart, with the certificates as the remedy", async () => {
    const ran = await run(["install"], { TRACEBLOC_CA_BUNDLE: undefined });

    expect(ran.exit, ran.last).toBe(6);
    const found = findingOf(ran, "IMAGE_PULL_TLS");
    expect(found?.details?.join("\n")).toContain("certificate signed by unknown authority");
    expect(found?.remedies[0]?.says).toContain("TRACEBLOC_CA_BUNDLE");
    expect(findingOf(ran, "IMAGE_PULL_DENIED")).toBeUndefined();
  });

  test("is named as what the node of a cluster does not know that was made before", async () => {
    const ran = await run(["plan"]);
    const found = findingOf(ran, "MIRROR_IGNORED");

    expect(found?.says).toContain("TRACEBLOC_CA_BUNDLE");
    expect(found?.remedies.at(-1)?.command).toContain("uninstall");
    expect((await run(["uninstall"])).exit).toBe(0);
  });

  test("that does not take the password is told apart, with the password as the remedy", async () => {
    const ran = await run(["install"], { TRACEBLOC_REGISTRY_PASSWORD: "not the password" });

    expect(ran.exit, ran.last).toBe(6);
    const found = findingOf(ran, "IMAGE_PULL_DENIED");
    expect(found?.remedies[0]?.says).toContain("TRACEBLOC_REGISTRY_PASSWORD");
    expect(findingOf(ran, "IMAGE_PULL_TLS")).toBeUndefined();
    expect(findingOf(ran, "MIRROR_IGNORED")).toBeUndefined();
  });

  test("is pulled from once the password is right, by the cluster that stands", async () => {
    const watch = watchArguments(canary);
    const ran = await run(["install"]);
    const { processes, betraying } = watch.stop();

    expect(ran.exit, ran.last).toBe(0);
    expect(actionsOf(ran.log())).toEqual(["release.apply", "release.await"]);
    expect(betraying).toEqual([]);
    expect(processes).toBeGreaterThan(20);
    const images = await product.kubectl([
      "get",
      "pods",
      "--namespace=tracebloc",
      "--output=jsonpath={.items[*].spec['containers','initContainers'][*].image}",
    ]);
    expect(new Set(images.split(" ").map((image) => image.split("/")[0]))).toEqual(new Set([mirror.host]));
    expect(mirror.log()).toMatch(/site\/tracebloc-lab\/jobs-manager\/manifests.*200/);
  });

  test("is what every later run finds, and leaves", async () => {
    const ran = await run(["install"]);
    expect(ran.result()).toMatchObject({ exit: 0, actions: [] });
    expect(findingOf(ran, "MIRROR_IGNORED")).toBeUndefined();
    expect((await run(["uninstall"])).exit).toBe(0);
  });

  test("is made with in one go, its password in no file that others may read and in no argument", async () => {
    const watch = watchArguments(canary);
    const ran = await run(["install"]);
    const { betraying } = watch.stop();

    expect(ran.exit, ran.last).toBe(0);
    expect(betraying).toEqual([]);
    expect(output.filter((text) => betrays(text, canary))).toEqual([]);
    expect(await product.inNode("stat -c %a /etc/rancher/k3s/registries.yaml")).toBe("600");
    expect(await product.inNode("cat /etc/rancher/k3s/registries.yaml")).toContain("puller");
    const found = filesWith(product.folder, canary);
    expect(found).toEqual([
      { path: join(product.state, `cluster-${product.cluster}`, "values-tracebloc.yaml"), mode: "600" },
    ]);
  });
});
