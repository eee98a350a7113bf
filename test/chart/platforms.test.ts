import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import {
  chart,
  container,
  containers,
  core,
  describeChart,
  environment,
  find,
  helm,
  hostpath,
  nodeLocal,
  podOf,
  refusal,
  render,
  run,
} from "./helm.ts";
import type { Claim, Manifest } from "./manifests.ts";
import { platform } from "./matrix.ts";

const rendered = async (name: string) => render(await platform(name));
const kinds = (objects: readonly Manifest[]) => new Set(objects.map(({ kind }) => kind));

describeChart("the values of a platform", () => {
  test("pass helm's own strict check as they are", async () => {
    const files = await readdir(join(chart, "ci"));
    expect(files.sort()).toEqual(["aks-values.yaml", "bm-values.yaml", "eks-values.yaml", "oc-values.yaml"]);
    for (const file of files) {
      const { code, stdout } = await run(helm ?? "", ["lint", chart, "--strict", "--values", join(chart, "ci", file)]);
      expect(code, stdout).toBe(0);
    }
  });

  test("are directories of the node on bare metal, and MySQL's budget would block its one node", async () => {
    const objects = await rendered("bm");
    expect(find(objects, "StorageClass", "tracebloc-storage-class")).toMatchObject({
      provisioner: "kubernetes.io/no-provisioner",
    });
    expect(kinds(objects)).toContain("PersistentVolume");
    expect(kinds(objects)).not.toContain("PodDisruptionBudget");
    const labelled = await render({
      ...(await platform("bm")),
      namespace: { create: true, podSecurity: { enforce: "" } },
    });
    expect(Object.keys(find(labelled, "Namespace", "tracebloc").metadata.labels ?? {})).not.toContain(
      "pod-security.kubernetes.io/enforce",
    );
  });

  test.each([
    ["aks", { provisioner: "file.csi.azure.com", parameters: { skuName: "Standard_LRS" } }],
    ["eks", { provisioner: "efs.csi.aws.com", reclaimPolicy: "Retain", volumeBindingMode: "Immediate" }],
  ])("are claims that all nodes write, of a class of the release's own, on %s", async (name, expected) => {
    const objects = await rendered(name);
    expect(find(objects, "StorageClass", "tracebloc-storage-class")).toMatchObject(expected);
    expect((find(objects, "PersistentVolumeClaim", "client-pvc") as Claim).spec.accessModes).toEqual(["ReadWriteMany"]);
    expect(kinds(objects)).not.toContain("PersistentVolume");
    expect(objects.filter(({ kind }) => kind === "PodDisruptionBudget")).toHaveLength(2);
  });

  test("mount Azure's files as MySQL's user, and trust no policy on EKS, whose plugin enforces none", async () => {
    const { mountOptions } = find(await rendered("aks"), "StorageClass", "tracebloc-storage-class") as Manifest & {
      mountOptions: string[];
    };
    expect(mountOptions).toEqual(["uid=999", "gid=999", "dir_mode=0750", "file_mode=0640"]);
    expect(kinds(await rendered("eks"))).not.toContain("NetworkPolicy");
  });

  test("stay within the namespace on OpenShift, save for what agents of nodes cannot do without", async () => {
    const objects = await rendered("oc");
    expect(kinds(objects)).not.toContain("StorageClass");
    expect((find(objects, "PersistentVolumeClaim", "client-pvc") as Claim).spec.storageClassName).toBe(
      "ocs-storagecluster-cephfs",
    );
    const wide = objects.filter(({ metadata }) => metadata.namespace === undefined);
    expect(wide.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort()).toEqual([
      "ClusterRole/tracebloc-resource-monitor-tracebloc",
      "ClusterRoleBinding/tracebloc-resource-monitor-tracebloc",
      "Namespace/tracebloc-node-agents",
      "SecurityContextConstraints/tracebloc-resource-monitor-tracebloc",
    ]);
    expect(JSON.stringify(find(objects, "NetworkPolicy", "tracebloc-training-egress"))).toContain("openshift-dns");
    // OpenShift gives every pod a user of its project's range; MySQL's files belong to 999 alone.
    const pinned = containers(objects).filter(({ securityContext }) => securityContext.runAsUser !== undefined);
    expect(pinned.map(({ name }) => name).sort()).toEqual(["mysql-client", "mysql-format-guard"]);
  });

  test("of a namespace admin make nothing outside the namespace once the agents are off", async () => {
    const objects = await render({ ...nodeLocal, ...core, clusterScope: false });
    expect(objects.filter(({ metadata }) => metadata.namespace !== "tracebloc")).toEqual([]);
  });
});

describeChart("the namespace of the release", () => {
  const labels = async (values: object) => {
    const objects = await render({
      ...values,
      namespace: { create: true, ...(values as { namespace?: object }).namespace },
    });
    const { metadata } = find(objects, "Namespace", "tracebloc");
    expect(metadata.annotations).toEqual({ "helm.sh/resource-policy": "keep" });
    const ours = Object.entries(metadata.labels ?? {}).filter(([name]) => name.startsWith("pod-security"));
    return Object.fromEntries(ours.map(([name, value]) => [name.replace("pod-security.kubernetes.io/", ""), value]));
  };

  test("is Helm's own affair unless asked for", async () => {
    for (const namespace of [undefined, null, {}, { create: false }]) {
      const made = (await render({ ...nodeLocal, namespace })).filter(({ kind }) => kind === "Namespace");
      expect(made.map(({ metadata }) => metadata.name)).toEqual(["tracebloc-node-agents"]);
    }
  });

  test("is held to the profile restricted, which all its pods keep", async () => {
    const restricted = { warn: "restricted", audit: "restricted", enforce: "restricted" };
    const latest = { "warn-version": "latest", "audit-version": "latest", "enforce-version": "latest" };
    expect(await labels(nodeLocal)).toEqual({ ...restricted, ...latest });
    const podSecurity = { warn: "baseline", audit: "", enforce: "baseline", enforceVersion: "v1.35" };
    expect(await labels({ ...nodeLocal, namespace: { podSecurity } })).toEqual({
      warn: "baseline",
      "warn-version": "latest",
      enforce: "baseline",
      "enforce-version": "v1.35",
    });
  });

  test("only warns where root prepares directories, and refuses to be held to more", async () => {
    expect(Object.keys(await labels(hostpath)).sort()).toEqual(["audit", "audit-version", "warn", "warn-version"]);
    const said = await refusal({ ...hostpath, namespace: { create: true, podSecurity: { enforce: "restricted" } } });
    expect(said).toContain("namespace.podSecurity.enforce");
  });

  test("holds no pod that the profile restricted would refuse, without hostPath", async () => {
    const objects = await render({ ...nodeLocal, networkPolicy: { training: { allowExternalHttps: false } } });
    const pods = objects
      .filter(({ metadata }) => metadata.namespace === "tracebloc")
      .flatMap((object) => podOf(object) ?? []);
    expect(pods.length).toBeGreaterThan(6);
    for (const { spec } of pods) {
      expect(spec.securityContext).toMatchObject({ seccompProfile: { type: "RuntimeDefault" } });
      expect((spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined)).toEqual([]);
      for (const { securityContext, name } of [...(spec.initContainers ?? []), ...spec.containers]) {
        expect(securityContext.runAsNonRoot ?? spec.securityContext?.["runAsNonRoot"], name).toBe(true);
        expect(securityContext, name).toMatchObject({
          allowPrivilegeEscalation: false,
          capabilities: { drop: ["ALL"] },
        });
      }
    }
  });
});

describeChart("a priority class", () => {
  const priority = async (priorityClass: unknown) => {
    const objects = await render({ ...nodeLocal, priorityClass });
    const made = objects.filter(({ kind }) => kind === "PriorityClass");
    const pods = objects.flatMap((object) => (podOf(object)?.spec.priorityClassName === undefined ? [] : [object]));
    return { made, used: pods.map(({ metadata }) => metadata.name) };
  };

  test("is MySQL's alone, made or found, and none by default", async () => {
    expect(await priority(undefined)).toEqual({ made: [], used: [] });
    expect(await priority({ create: false, name: "from-the-site" })).toEqual({ made: [], used: ["mysql-client"] });
    const { made, used } = await priority({ create: true, name: "tracebloc-data" });
    expect(used).toEqual(["mysql-client"]);
    expect(made).toMatchObject([
      {
        metadata: { name: "tracebloc-data", annotations: { "helm.sh/resource-policy": "keep" } },
        value: 1000000,
        globalDefault: false,
      },
    ]);
  });
});

describeChart("a site's certificates", () => {
  const dialling = [
    "api",
    "pods-monitor-container",
    "proxy",
    "tracebloc-resource-monitor",
    "auto-upgrade",
    "image-refresh",
  ];
  const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
  const everything = {
    ...nodeLocal,
    autoUpgrade: { enabled: true, repoUrl: "https://charts.example.com" },
    imageRefresh: { enabled: true },
  };

  test("reach everything that dials out, by the variables that programs read", async () => {
    const objects = await render({ ...everything, caBundle: { pem } });
    for (const namespace of ["tracebloc", "tracebloc-node-agents"]) {
      expect(find(objects, "ConfigMap", "tracebloc-ca-bundle", namespace).data).toEqual({ "ca.crt": pem });
    }
    const told = containers(objects).filter((each) => environment(each)["SSL_CERT_FILE"] !== undefined);
    const names = told.map(({ name }) => name);
    expect(names.filter((name) => name !== "check").sort()).toEqual([...dialling].sort());
    expect(names).toContain("check");
    for (const each of told) {
      const file = "/etc/tracebloc/ca/ca.crt";
      expect(environment(each)).toMatchObject({ SSL_CERT_FILE: file, REQUESTS_CA_BUNDLE: file, CURL_CA_BUNDLE: file });
      expect(each.volumeMounts).toContainEqual({ name: "ca-bundle", mountPath: "/etc/tracebloc/ca", readOnly: true });
    }
    for (const { spec } of objects.flatMap((object) => podOf(object) ?? [])) {
      const mounts = spec.containers.some((each) => each.volumeMounts?.some(({ name }) => name === "ca-bundle"));
      const volume = { name: "ca-bundle", configMap: { name: "tracebloc-ca-bundle" } };
      expect((spec.volumes ?? []).filter(({ name }) => name === "ca-bundle")).toEqual(mounts ? [volume] : []);
    }
  });

  test("may be in an object that exists, one of the three kinds", async () => {
    const volume = async (caBundle: object) =>
      podOf(find(await render({ ...nodeLocal, caBundle }), "Deployment", "tracebloc-requests-proxy"))?.spec.volumes?.at(
        -1,
      );
    expect(await volume({ configMap: "corporate-ca" })).toEqual({
      name: "ca-bundle",
      configMap: { name: "corporate-ca" },
    });
    expect(await volume({ secret: "corporate-ca" })).toEqual({
      name: "ca-bundle",
      secret: { secretName: "corporate-ca" },
    });
    expect(await refusal({ ...nodeLocal, caBundle: { pem, secret: "x" } })).toContain("caBundle");
    const { env } = container(await render({ ...nodeLocal, caBundle: { configMap: "x", key: "bundle.pem" } }), "proxy");
    expect(env).toContainEqual({ name: "SSL_CERT_FILE", value: "/etc/tracebloc/ca/bundle.pem" });
  });

  test("are nobody's concern without any", async () => {
    for (const caBundle of [null, {}, { pem: "" }]) {
      expect(JSON.stringify(await render({ ...everything, caBundle }))).not.toContain("ca-bundle");
    }
  });
});
