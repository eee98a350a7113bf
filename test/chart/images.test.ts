import { expect, test } from "vitest";

import { container, containers, describeChart, environment, find, hostpath, podOf, refusal, render } from "./helm.ts";
import type { Manifest } from "./manifests.ts";

const digest = `sha256:${"ab".repeat(32)}`;
const mysql57 = "sha256:f546e47fb339e0982c902cef063b081ccf2cbbaf35b475287d583b9bf3163354";

const squid = "sha256:6a097f68bae708cedbabd6188d68c7e2e7a38cedd05a176e1cc0ba29e3bbe029";

async function images(values: object): Promise<Record<string, string>> {
  const all = containers(await render({ ...hostpath, ...values }));
  return Object.fromEntries(all.map(({ name, image }) => [name, image]));
}

async function policies(values: object): Promise<Record<string, string>> {
  const all = containers(await render({ ...hostpath, ...values }));
  return Object.fromEntries(all.map(({ name, imagePullPolicy }) => [name, imagePullPolicy]));
}

describeChart("images", () => {
  test("are the product's own by default", async () => {
    const busybox = "docker.io/library/busybox:1.35";
    expect(await images({})).toEqual({
      api: "docker.io/tracebloc/jobs-manager:prod",
      "pods-monitor-container": "docker.io/tracebloc/pods-monitor:prod",
      proxy: "docker.io/tracebloc/jobs-manager:prod",
      "mysql-client": `docker.io/tracebloc/mysql-client@${mysql57}`,
      "init-writable-data": busybox,
      "wait-for-mysql": busybox,
      "init-mysql-data": busybox,
      "mysql-format-guard": busybox,
      "tracebloc-resource-monitor": "docker.io/tracebloc/resource-monitor:prod",
      squid: `docker.io/ubuntu/squid@${squid}`,
      check: "docker.io/alpine/k8s:1.30.5",
    });
  });

  test("follow the channel, except MySQL's, which has none", async () => {
    const on = await images({ env: { CLIENT_ENV: "dev" }, images: { mysqlClient: { digest: "" } } });
    expect(on).toMatchObject({
      api: "docker.io/tracebloc/jobs-manager:dev",
      "pods-monitor-container": "docker.io/tracebloc/pods-monitor:dev",
      "mysql-client": "docker.io/tracebloc/mysql-client:prod",
    });
  });

  test("can be replaced part by part, a digest winning over a tag", async () => {
    const replaced = await images({
      images: {
        jobsManager: { registry: "registry.example.com", repository: "team/manager", tag: "7" },
        podsMonitor: { tag: "7", digest },
        busybox: { repository: "tools/busybox", tag: "1" },
      },
    });
    expect(replaced).toMatchObject({
      api: "registry.example.com/team/manager:7",
      proxy: "registry.example.com/team/manager:7",
      "pods-monitor-container": `docker.io/tracebloc/pods-monitor@${digest}`,
      "wait-for-mysql": "docker.io/tools/busybox:1",
    });
  });

  test("of the requests proxy are the jobs manager's, digest included, unless set", async () => {
    expect(await images({ images: { jobsManager: { digest } } })).toMatchObject({
      proxy: `docker.io/tracebloc/jobs-manager@${digest}`,
    });
    const other = `sha256:${"cd".repeat(32)}`;
    expect(await images({ images: { jobsManager: { digest }, requestsProxy: { digest: other } } })).toMatchObject({
      api: `docker.io/tracebloc/jobs-manager@${digest}`,
      proxy: `docker.io/tracebloc/jobs-manager@${other}`,
    });
  });

  test.each([
    ["mirror.example.com"],
    ["mirror.example.com/"],
    ["https://mirror.example.com"],
    ["HTTP://mirror.example.com//"],
    ["mirror.example.com:5000", "mirror.example.com:5000"],
    ["https://mirror.example.com/proxy/hub/", "mirror.example.com/proxy/hub"],
  ])("all come from the mirror when it is written as %s", async (written, mirror = "mirror.example.com") => {
    const objects = await render({
      ...hostpath,
      global: { imageRegistry: written },
      images: { podsMonitor: { registry: "quay.io" } },
    });
    for (const { image } of containers(objects)) expect(image.startsWith(`${mirror}/`), image).toBe(true);
    expect(container(objects, "mysql-client").image).toBe(`${mirror}/tracebloc/mysql-client@${mysql57}`);
    expect(container(objects, "wait-for-mysql").image).toBe(`${mirror}/library/busybox:1.35`);
    expect(environment(container(objects, "api"))).toMatchObject({
      JOB_IMAGE_HOST: `${mirror}/`,
      INGESTOR_IMAGE_REPOSITORY: `${mirror}/tracebloc/ingestor`,
    });
  });

  test("that never move are not asked for again, so that a machine without network restarts (client#569)", async () => {
    expect(await policies({ images: { jobsManager: { digest } } })).toEqual({
      api: "IfNotPresent",
      "pods-monitor-container": "Always",
      proxy: "IfNotPresent",
      "mysql-client": "IfNotPresent",
      "init-writable-data": "IfNotPresent",
      "wait-for-mysql": "IfNotPresent",
      "init-mysql-data": "IfNotPresent",
      "mysql-format-guard": "IfNotPresent",
      "tracebloc-resource-monitor": "Always",
      squid: "IfNotPresent",
      check: "IfNotPresent",
    });
  });

  test("take one policy for all when it is asked for", async () => {
    expect([...new Set(Object.values(await policies({ imagePullPolicy: "Never" })))]).toEqual(["Never"]);
  });
});

describeChart("the ingestor's image", () => {
  const ingestor = async (values: object) => {
    const { INGESTOR_IMAGE_REPOSITORY, INGESTOR_IMAGE_TAG, INGESTOR_IMAGE_DIGEST } = environment(
      container(await render({ ...hostpath, ...values }), "api"),
    );
    return [INGESTOR_IMAGE_REPOSITORY, INGESTOR_IMAGE_TAG, INGESTOR_IMAGE_DIGEST];
  };
  const ours = "ghcr.io/tracebloc/ingestor";
  const pinned = "sha256:05e124945a2ef61868661a9137abb5e75dac96a090cb41a7b4e8be520c4b5873";

  test("is pinned in prod alone, unless a digest or prodPin says otherwise", async () => {
    expect(await ingestor({})).toEqual([ours, "0.8", pinned]);
    expect(await ingestor({ images: { ingestor: { prodPin: false } } })).toEqual([ours, "0.8", ""]);
    expect(await ingestor({ images: { ingestor: { prodPin: null } } })).toEqual([ours, "0.8", pinned]);
    expect(await ingestor({ env: { CLIENT_ENV: "dev" } })).toEqual([ours, "dev", ""]);
    expect(await ingestor({ env: { CLIENT_ENV: "dev" }, images: { ingestor: { digest, tag: "0.9" } } })).toEqual([
      ours,
      "0.9",
      digest,
    ]);
    expect(await ingestor({ images: null })).toEqual([ours, "0.8", ""]);
  });

  test("stays where values put it, mirror or not", async () => {
    const own = {
      images: { ingestor: { repository: "registry.example.com/own/ingestor" } },
      global: { imageRegistry: "mirror.example.com" },
    };
    expect((await ingestor(own))[0]).toBe("registry.example.com/own/ingestor");
  });
});

describeChart("credentials for a registry", () => {
  const credentials = {
    create: true,
    server: "https://mirror.example.com",
    username: "ward-7",
    password: 'a"b\\c',
    email: "",
  };
  const pods = (objects: readonly Manifest[]) => objects.flatMap((object) => podOf(object) ?? []);

  test("make a Secret that every pod pulls with, in each namespace with pods, and the pods that they start", async () => {
    const gpu = { devicePlugin: { enabled: true, vendor: "nvidia" } };
    const objects = await render({ ...hostpath, gpu, dockerRegistry: credentials });
    for (const namespace of ["tracebloc", "tracebloc-node-agents", "kube-system"]) {
      const secret = find(objects, "Secret", "tracebloc-regcred", namespace);
      expect(secret.type).toBe("kubernetes.io/dockerconfigjson");
      const config: unknown = JSON.parse(Buffer.from(secret.data?.[".dockerconfigjson"] ?? "", "base64").toString());
      expect(config).toEqual({
        auths: {
          "https://mirror.example.com": {
            username: "ward-7",
            password: 'a"b\\c',
            auth: Buffer.from('ward-7:a"b\\c').toString("base64"),
          },
        },
      });
    }
    expect(pods(objects).length).toBeGreaterThan(5);
    for (const { spec } of pods(objects)) expect(spec.imagePullSecrets).toEqual([{ name: "tracebloc-regcred" }]);
    expect(environment(container(objects, "api"))).toMatchObject({ IMAGE_PULL_SECRET_NAME: "tracebloc-regcred" });
    expect(environment(container(objects, "pods-monitor-container"))).not.toHaveProperty("IMAGE_PULL_SECRET_NAME");
  });

  test("follow the features in use: no Secret where no pod of the release runs", async () => {
    const secrets = async (values: object) =>
      (await render({ ...hostpath, ...values, dockerRegistry: credentials }))
        .filter(({ metadata }) => metadata.name === "tracebloc-regcred")
        .map(({ metadata }) => metadata.namespace);
    expect(await secrets({})).toEqual(["tracebloc", "tracebloc-node-agents"]);
    expect(await secrets({ resourceMonitor: false })).toEqual(["tracebloc"]);
    expect(await secrets({ nodeAgents: { namespace: { name: "tracebloc" } } })).toEqual(["tracebloc"]);
  });

  test("may be a Secret that exists", async () => {
    const objects = await render({ ...hostpath, dockerRegistry: { existingSecret: "from-the-site" } });
    const secrets = objects.filter(({ kind }) => kind === "Secret").map(({ metadata }) => metadata.name);
    expect([...new Set(secrets)]).toEqual(["tracebloc-secrets"]);
    for (const { spec } of pods(objects)) expect(spec.imagePullSecrets).toEqual([{ name: "from-the-site" }]);
    expect(environment(container(objects, "api"))).toMatchObject({ IMAGE_PULL_SECRET_NAME: "from-the-site" });
  });

  test("are absent unless asked for, and never both kinds", async () => {
    for (const dockerRegistry of [{}, null, { create: null, existingSecret: null }]) {
      const objects = await render({ ...hostpath, dockerRegistry });
      for (const { spec } of pods(objects)) expect(spec).not.toHaveProperty("imagePullSecrets");
      expect(environment(container(objects, "api"))).not.toHaveProperty("IMAGE_PULL_SECRET_NAME");
    }
    const said = await refusal({ ...hostpath, dockerRegistry: { ...credentials, existingSecret: "from-the-site" } });
    expect(said).toContain("existingSecret");
  });
});
