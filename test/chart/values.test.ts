import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";
import { parse } from "yaml";

import { releaseSuffixes } from "../../src/config/release-suffixes.ts";
import { bundledChart } from "../../src/release/chart.ts";
import { layerValues, type Values } from "../../src/release/values.ts";
import { workloadNames } from "../../src/release/workloads.ts";
import { chart, core, describeChart, hostpath, lint, nodeLocal, notes, refusal, render } from "./helm.ts";

test("the program and the chart agree on the chart's name and version", async () => {
  const { name, version, kubeVersion } = parse(await readFile(join(chart, "Chart.yaml"), "utf8")) as Record<
    string,
    string
  >;
  expect({ name, version }).toEqual(bundledChart);
  // A Kubernetes with a suffix (v1.29.4-gke.1) is a pre-release to semver: without -0 none of them would do.
  expect(kubeVersion).toBe(">=1.24.0-0");
});

describeChart("values", () => {
  const base = { ...hostpath };

  const wrong: Record<string, Values> = {
    "/clientId": { clientId: 12 },
    "/podTokenTtlSeconds": { podTokenTtlSeconds: 1 },
    "/env/CLIENT_ENV": { env: { CLIENT_ENV: "qa" } },
    "/env/RESOURCE_LIMITS": { env: { RESOURCE_LIMITS: "4 cores" } },
    "/env/RESOURCE_REQUESTS": { env: { RESOURCE_REQUESTS: "cpu=4, memory=8Gi" } },
    "/env/RESOURCE_PROVENANCE": { env: { RESOURCE_PROVENANCE: "me" } },
    "/env/HOST_UID": { env: { HOST_UID: 1000 } },
    "/global/imageRegistry": { global: { imageRegistry: "a b" } },
    "/imagePullPolicy": { imagePullPolicy: "Sometimes" },
    "/images/jobsManager/tag": { images: { jobsManager: { tag: "latest" } } },
    "/images/busybox/digest": { images: { busybox: { digest: "sha256:12" } } },
    "/images/mysqlClient/tag": { images: { mysqlClient: { tag: 8.4 } } },
    "/images/ingestor/tag": { images: { ingestor: { tag: "latest" } } },
    "/images/ingestor/prodDigest": { images: { ingestor: { prodDigest: "x" } } },
    "/images/ingestor/channelTags": { images: { ingestor: { channelTags: { qa: "1" } } } },
    "/dockerRegistry": { dockerRegistry: { create: true } },
    "/dockerRegistry/server": { dockerRegistry: { server: "mirror" } },
    "/storageClass/create": { storageClass: { create: "yes" } },
    "/storageClass/volumeBindingMode": { storageClass: { volumeBindingMode: "Later" } },
    "/storageClass/reclaimPolicy": { storageClass: { reclaimPolicy: "Recycle" } },
    "/hostPath/enabled": { hostPath: { enabled: "true" } },
    "/hostPath/datasetPath": { hostPath: { datasetPath: "relative" } },
    "/pvc/data": { pvc: { data: "50GB" } },
    "/pvcAccessMode": { pvcAccessMode: "Sometimes" },
    "/singleNode": { singleNode: "true" },
    "/podDisruptionBudget/mysql/create": { podDisruptionBudget: { mysql: { create: "x" } } },
    "/clusterScope": { clusterScope: "false" },
    "/env/HTTP_PROXY_HOST": { env: { HTTP_PROXY_HOST: "http://proxy.example.com" } },
    "/env/HTTP_PROXY_PORT": { env: { HTTP_PROXY_PORT: "x" } },
    "/perDatasetPvcs": { perDatasetPvcs: "yes" },
    "/serviceDbAccounts": { serviceDbAccounts: "yes" },
    "/serviceDbAccountsByEnv": { serviceDbAccountsByEnv: { qa: true } },
    "/databasePasswords": { databasePasswords: { root: "x" } },
    "/caBundle/pem": { caBundle: { pem: "/etc/ca.pem" } },
    "/namespace/podSecurity/enforce": { namespace: { podSecurity: { enforce: "strict" } } },
    "/resourceMonitor": { resourceMonitor: "false" },
    "/nodeAgents/namespace/name": { nodeAgents: { namespace: { name: "Not One" } } },
    "/nodePrep/filesystems/0": { nodePrep: { filesystems: ["over lay; reboot"] } },
    "/networkPolicy/training/clusterCidrs": { networkPolicy: { training: { enabled: true, clusterCidrs: [] } } },
    "/egressProxy/allowlist/0": { egressProxy: { allowlist: ["https://api.example.com"] } },
    "/egressProxy/image/tag": { egressProxy: { image: { tag: "latest" } } },
    "/gpu/devicePlugin/vendor": { gpu: { devicePlugin: { enabled: true, vendor: "intel" } } },
    "/priorityClass/name": { priorityClass: { create: true } },
    "/autoUpgrade/repoUrl": { autoUpgrade: { enabled: true } },
    "/autoUpgrade/timeout": { autoUpgrade: { timeout: "10" } },
    "/imageRefresh/rolloutTimeout": { imageRefresh: { rolloutTimeout: "10 minutes" } },
    "/openshift/scc/enabled": { openshift: { scc: { enabled: "yes" } } },
    "/ingestionAuthz/allowed/0": { ingestionAuthz: { allowed: [{ tables: ["*"] }] } },
  };

  test("that are wrong are refused all at once, each by its key", async () => {
    const said = await refusal(layerValues(base, ...Object.values(wrong)));
    const keys = [...said.matchAll(/at '([^']+)'/g)].map(([, key]) => key);
    expect(keys).toEqual(expect.arrayContaining(Object.keys(wrong)));
  });

  test("that are none are refused by what they are", async () => {
    expect(await refusal({ ...base, env: { "two words": "x" } })).toContain("'two words'");
    expect(await refusal({ ...base, hostPath: { enabled: true, datasetPath: "/" } })).toContain(
      "'/hostPath/datasetPath'",
    );
  });

  test("of both storage modes pass helm's own strict check", async () => {
    for (const values of [hostpath, nodeLocal]) {
      const { code, stdout, stderr } = await lint(values);
      expect(code, stdout + stderr).toBe(0);
    }
  });

  test("of other versions of the chart are no error", async () => {
    const foreign = {
      metadataBackfill: { enabled: true },
      images: { training: { digests: {} } },
      training: { tasks: [] },
      unheardOf: 1,
    };
    expect((await render({ ...base, ...foreign })).length).toBe((await render(base)).length);
  });

  test("may be null at any depth", async () => {
    const emptied = (value: unknown): unknown =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, emptied(inner)]))
        : null;
    const defaults = parse(await readFile(join(chart, "values.yaml"), "utf8")) as Record<string, unknown>;
    const { clientId: _, clientPassword: __, storageClass: ___, ...rest } = defaults;
    expect(
      (await render({ ...(emptied(rest) as object), storageClass: nodeLocal.storageClass })).length,
    ).toBeGreaterThan(20);
  });

  test("may be null, as those of an old release can be (backend#2910)", async () => {
    const roots = Object.keys(parse(await readFile(join(chart, "values.yaml"), "utf8")) as object);
    const nothing = Object.fromEntries(
      roots.filter((key) => !/^client(Id|Password)$/.test(key)).map((key) => [key, null]),
    );
    const names = async (values: object) =>
      (await render(values)).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    // What is switched on by a key of its own stays off without it; agents are on without being asked for.
    const { networkPolicy, egressProxy } = core;
    const least = { networkPolicy, egressProxy };
    expect(await names({ ...nothing, ...hostpath })).toEqual(await names({ ...hostpath, ...least }));
    expect(await names({ ...nodeLocal, hostPath: null })).toEqual(await names(nodeLocal));
    const { storageClass, singleNode } = nodeLocal;
    expect(await names({ ...nothing, storageClass, singleNode })).toEqual(await names({ ...nodeLocal, ...least }));
  });

  test("name nothing behind a release's name that the program does not reckon with", async () => {
    const credentials = { server: "https://r.example.com", username: "u", password: "p", email: "" };
    const objects = await render(
      { ...base, singleNode: false, dockerRegistry: { create: true, ...credentials } },
      { name: "ward-7" },
    );
    const known = new Set(releaseSuffixes.map(({ suffix }) => `ward-7${suffix}`));
    const rendered = objects.map(({ metadata }) => metadata.name).filter((name) => name.startsWith("ward-7"));
    expect(rendered.length).toBeGreaterThan(10);
    expect(rendered.filter((name) => !known.has(name))).toEqual([]);
  });

  test("give the program the workloads that it waits for", async () => {
    const deployments = (await render({ ...base, ...core }, { name: "ward-7" })).filter(
      ({ kind }) => kind === "Deployment",
    );
    expect(deployments.map(({ metadata }) => metadata.name).sort()).toEqual([...workloadNames("ward-7")].sort());
  });
});

describeChart("the notes", () => {
  test("tell the real registry and directories, and a next command", async () => {
    const said = await notes(
      {
        ...hostpath,
        hostPath: { enabled: true, datasetPath: "/tracebloc-data" },
        global: { imageRegistry: "https://mirror.example.com/" },
      },
      { name: "ward-7", namespace: "hospital" },
    );
    for (const part of [
      "mirror.example.com",
      "/tracebloc-data/ward-7/data",
      "/tracebloc/ward-7/logs",
      "/tracebloc/ward-7/mysql",
    ]) {
      expect(said).toContain(part);
    }
    expect(said).not.toContain("docker.io");
    expect(said).toContain("kubectl --namespace hospital wait ");
    for (const name of workloadNames("ward-7")) expect(said).toContain(`deployment/${name}`);
  });

  test("name claims and class where there are no directories", async () => {
    const said = await notes(nodeLocal);
    for (const part of ["docker.io", "local-path", "client-pvc", "client-logs-pvc", "mysql-pvc"]) {
      expect(said).toContain(part);
    }
    expect(said).not.toContain("/tracebloc/");
  });
});
