import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { importFolder } from "../../scripts/lab/docker.mjs";
import { busyboxFolder } from "../../scripts/lab/pod-images.mjs";
import { hostpath, identity, nodeLocal, podOf, render, run } from "../chart/helm.ts";
import { platform, switches } from "../chart/matrix.ts";
import type { Manifest } from "../chart/manifests.ts";
import { createCluster, inLab, labEnvironment, type LabCluster } from "./lab.ts";
import { helmFailure } from "../../src/release/helm.ts";

const name = "lab-charts";
const chart = fileURLToPath(new URL("../../charts/client", import.meta.url));
const lab = fileURLToPath(new URL("../../scripts/lab/values.yaml", import.meta.url));
const agents = "tracebloc-node-agents";

/** Images under the names that the chart gives them: kubectl beside busybox, and a monitor that only stays. */
async function makeImages(): Promise<string[]> {
  const folder = await busyboxFolder();
  copyFileSync(
    (await run("sh", ["-c", "command -v kubectl"], { env: labEnvironment() })).stdout.trim(),
    join(folder, "bin", "kubectl"),
  );
  const images = { kubectl: "docker.io/alpine/k8s:1.30.5", monitor: "docker.io/tracebloc/resource-monitor:prod" };
  await importFolder(folder, images.kubectl, ['ENV PATH="/bin"', 'CMD ["sh"]']);
  await importFolder(await busyboxFolder(), images.monitor, [
    'ENV PATH="/bin"',
    "USER 1001",
    'CMD ["sleep", "100000"]',
  ]);
  return Object.values(images);
}

/** What a cluster with metrics-server has. Nothing answers behind it: the chart asks only whether it is registered. */
const metrics = {
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: "v1beta1.metrics.k8s.io" },
  spec: {
    group: "metrics.k8s.io",
    version: "v1beta1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
    service: { name: "metrics-server", namespace: "kube-system" },
  },
};

describe("the client's chart and the Kubernetes API", () => {
  let cluster: LabCluster;

  beforeAll(async () => {
    await inLab("k3d", ["cluster", "delete", name]);
    cluster = await createCluster(name);
    const images = await makeImages();
    await inLab("k3d", ["image", "import", "--mode", "direct", "--cluster", name, ...images]);
    await apply(metrics);
  });
  afterAll(() => cluster.remove());

  const apply = (object: object) => cluster.kubectl(["apply", "--filename", "-"], JSON.stringify(object));
  const namespace = (of: string) => apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: of } });

  async function helm(args: readonly string[], values: object = {}) {
    const env = { ...labEnvironment(), KUBECONFIG: cluster.kubeconfig };
    const { code, stdout, stderr } = await run("helm", args, {
      env,
      stdin: JSON.stringify({ ...identity, ...values }),
    });
    return { code, said: `${stdout}\n${stderr}` };
  }
  const upgrade = (release: string, values: object, ...more: string[]) =>
    helm(
      [
        "upgrade",
        "--install",
        release,
        chart,
        "--namespace",
        release,
        "--create-namespace",
        "--values",
        lab,
        "--values",
        "-",
        ...more,
      ],
      values,
    );
  /** What an installation would make, asked of the cluster and not made. */
  const tried = (release: string, values: object) =>
    helm(["install", release, chart, "--namespace", release, "--dry-run=server", "--values", "-"], values);

  test.each(Object.keys(switches))("every object is taken, and no field is unknown, with %s", async (which) => {
    const release = "dry-run";
    const values = await switches[which]?.();
    const objects = await render(values ?? {}, { name: release, namespace: release });
    // The lab's API knows none of OpenShift's kinds.
    const known = objects.filter(({ kind }) => kind !== "SecurityContextConstraints");
    for (const each of [release, agents]) await namespace(each);
    const items = JSON.stringify({ apiVersion: "v1", kind: "List", items: known });
    const args = [
      "apply",
      "--server-side",
      "--force-conflicts",
      "--dry-run=server",
      "--validate=strict",
      "--filename",
      "-",
    ];
    const said = await cluster.kubectl([...args, "--output", "name"], items);
    expect(said.split("\n").filter(Boolean)).toHaveLength(known.length);
  });

  test("the profile restricted admits every pod of the release, without hostPath", async () => {
    await namespace("restricted");
    await cluster.kubectl(["label", "namespace", "restricted", "pod-security.kubernetes.io/enforce=restricted"]);
    const objects = await render(await platform("eks"), { name: "restricted", namespace: "restricted" });
    const pods = objects.flatMap((object) => (object.metadata.namespace === "restricted" ? asPod(object) : []));
    expect(pods.length).toBeGreaterThan(5);
    const items = JSON.stringify({ apiVersion: "v1", kind: "List", items: pods });
    await apply({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "restricted-jobs-manager", namespace: "restricted" },
    });
    await apply({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "restricted-storage-assertions-check", namespace: "restricted" },
    });
    const said = await cluster.kubectl(["create", "--dry-run=server", "--filename", "-", "--output", "name"], items);
    expect(said.split("\n").filter(Boolean)).toHaveLength(pods.length);
  });

  test("the agents' namespace is made, or used as it is: by hand, of an older release, or not at all", async () => {
    // No namespace is deleted here: with an API that nobody serves, none would ever go.
    const ours = "agents-of-clinic";
    const values = { ...nodeLocal, nodeAgents: { namespace: { name: ours } } };
    const made = async () => (await tried("clinic", values)).said.includes("kind: Namespace");
    expect(await made()).toBe(true);
    expect(
      (await tried("clinic", { ...nodeLocal, nodeAgents: { namespace: { name: ours, create: false } } })).said,
    ).toContain(`kubectl create namespace ${ours}`);
    await namespace(ours);
    expect(await made()).toBe(false);
    const owner = (release: string) => [
      `meta.helm.sh/release-name=${release}`,
      `meta.helm.sh/release-namespace=${release}`,
    ];
    await cluster.kubectl(["annotate", "namespace", ours, ...owner("gone")]);
    expect(await made()).toBe(false);
    await cluster.kubectl(["annotate", "--overwrite", "namespace", ours, ...owner("clinic")]);
    await cluster.kubectl(["label", "namespace", ours, "app.kubernetes.io/managed-by=Helm"]);
    expect(await made()).toBe(true);

    await cluster.kubectl(["annotate", "--overwrite", "namespace", ours, ...owner("gone")]);
    await cluster.kubectl(["label", "namespace", ours, "pod-security.kubernetes.io/enforce=baseline"]);
    const refused = await tried("clinic", values);
    expect(refused.code).not.toBe(0);
    expect(refused.said).toContain(
      `kubectl label --overwrite namespace ${ours} pod-security.kubernetes.io/enforce=privileged`,
    );
  });

  test("a cluster without the metrics API is told so before anything is made", async () => {
    await cluster.kubectl(["delete", "apiservice", metrics.metadata.name]);
    const refused = await tried("clinic", nodeLocal);
    expect(refused.code).not.toBe(0);
    expect(refused.said).toContain("resourceMonitor needs the metrics API");
    const ended = {
      outcome: "exited",
      exitCode: 1,
      stdout: "",
      stderr: refused.said,
      truncated: false,
      ms: 1,
    } as const;
    expect(helmFailure(ended, { name: "clinic", namespace: "clinic" })).toMatchObject({
      reason: "CHART_INVALID",
      says: "the chart's resource monitor needs the metrics API, and the cluster has none",
    });
    expect((await tried("clinic", { ...nodeLocal, resourceMonitor: false })).code).toBe(0);
    await apply(metrics);
  });

  test("a GPU device plugin that is there is left alone, and taken over by the commands of the notes", async () => {
    const values = { ...nodeLocal, gpu: { devicePlugin: { enabled: true, vendor: "nvidia" } }, resourceMonitor: false };
    const orphan = (await render(values)).find(({ kind }) => kind === "DaemonSet");
    const { labels: _, ...metadata } = orphan?.metadata ?? { name: "" };
    await apply({ ...orphan, metadata });
    const first = await upgrade("clinic", values, "--force-conflicts");
    expect(first.code, first.said).toBe(0);
    const commands = first.said.split("\n").filter((line) => line.startsWith("  kubectl --namespace kube-system "));
    expect(commands).toHaveLength(2);
    for (const command of commands) await cluster.kubectl(command.trim().split(" ").slice(1));
    const second = await upgrade("clinic", values, "--force-conflicts");
    expect(second.code, second.said).toBe(0);
    expect(second.said).not.toContain("was left as it is");
    await helm(["uninstall", "clinic", "--namespace", "clinic"]);
    const left = await cluster.kubectl(["get", "daemonsets", "--namespace", "kube-system", "--output", "name"]);
    expect(left).not.toContain("nvidia");
  });

  test("Pod Security labels come with a namespace that Helm makes, and stay the operator's on one that was there", async () => {
    const values = { ...nodeLocal, namespace: { create: true } };
    expect((await upgrade("labelled", values)).code).toBe(0);
    const labels = await cluster.kubectl(["get", "namespace", "labelled", "--output", "jsonpath={.metadata.labels}"]);
    expect(labels).toContain('"pod-security.kubernetes.io/enforce":"restricted"');
    await helm(["uninstall", "labelled", "--namespace", "labelled"]);
    await cluster.kubectl(["get", "namespace", "labelled"]);

    await namespace("found");
    const { code, said } = await upgrade("found", values);
    expect([code, said.match(/kubectl label --overwrite namespace found.*/)?.[0]]).toEqual([
      0,
      "kubectl label --overwrite namespace found pod-security.kubernetes.io/warn=restricted pod-security.kubernetes.io/audit=restricted pod-security.kubernetes.io/enforce=restricted",
    ]);
    await helm(["uninstall", "found", "--namespace", "found"]);
  });

  test("volumes, secrets and the password outlive an upgrade without values, an uninstallation, and a new start", async () => {
    const secret = async (key: string) =>
      cluster.kubectl(["get", "secret", "ward-secrets", "--namespace", "ward", "--output", `jsonpath={.data.${key}}`]);
    const bound = async () =>
      (
        await cluster.kubectl(["get", "pvc", "--namespace", "ward", "--output", "jsonpath={.items[*].status.phase}"])
      ).split(" ");
    const values = { ...hostpath, serviceDbAccounts: true };
    const first = await upgrade("ward", values, "--wait", "--timeout", "2m");
    expect(first.code, first.said).toBe(0);
    const kept = await Promise.all(["POD_TOKEN_SIGNING_SECRET", "TB_META_PASSWORD", "CLIENT_PASSWORD"].map(secret));

    const second = await upgrade("ward", { ...values, clientId: "", clientPassword: "" });
    expect(second.code, second.said).toBe(0);
    expect(await Promise.all(["POD_TOKEN_SIGNING_SECRET", "TB_META_PASSWORD", "CLIENT_PASSWORD"].map(secret))).toEqual(
      kept,
    );

    const tested = await helm([
      "test",
      "ward",
      "--namespace",
      "ward",
      "--filter",
      "name=ward-storage-assertions-check",
    ]);
    expect(tested.code, tested.said).toBe(0);

    const removed = await helm(["uninstall", "ward", "--namespace", "ward", "--wait", "--timeout", "2m"]);
    expect(removed.code, removed.said).toBe(0);
    expect(await bound()).toEqual(["Bound", "Bound", "Bound"]);
    const again = await upgrade("ward", values, "--wait", "--timeout", "2m");
    expect(again.code, again.said).toBe(0);
    expect(await bound()).toEqual(["Bound", "Bound", "Bound"]);
    await helm(["uninstall", "ward", "--namespace", "ward"]);
  });

  test("a node is prepared from its own kernel's list, and one that cannot be has no agent and says why", async () => {
    const prepared = (filesystems: string[]) =>
      upgrade("prep", { ...nodeLocal, resourceMonitor: true, nodePrep: { filesystems } });
    const pods = ["--namespace", agents, "--selector", "app=prep-resource-monitor"];
    const first = await prepared(["proc", "tmpfs"]);
    expect(first.code, first.said).toBe(0);
    await cluster.kubectl([
      "--namespace",
      agents,
      "rollout",
      "status",
      "daemonset/prep-resource-monitor",
      "--timeout=60s",
    ]);
    expect(await cluster.kubectl(["logs", ...pods, "--container", "prepare-filesystems"])).toContain(
      "OK proc is registered",
    );

    const second = await prepared(["proc", "nosuchfs"]);
    const command = second.said
      .split("\n")
      .find((line) => line.startsWith("  kubectl ") && line.includes("prepare-filesystems"));
    const failed = "jsonpath={.items[0].status.initContainerStatuses[0].lastState.terminated.exitCode}";
    await expect
      .poll(async () => cluster.kubectl(["get", "pods", ...pods, "--output", failed]), { timeout: 60_000 })
      .toBe("1");
    expect(await cluster.kubectl((command ?? "").trim().split(" ").slice(1))).toContain("FAIL nosuchfs: kernel ");
    expect(await cluster.kubectl(["get", "nodes"])).toContain(" Ready ");
    await helm(["uninstall", "prep", "--namespace", "prep"]);
  });

  /** A pod as the workload would make it. */
  function asPod(object: Manifest): object[] {
    const template = podOf(object);
    if (template === undefined) return [];
    const { restartPolicy = "Always", ...spec } = template.spec;
    const metadata = {
      ...template.metadata,
      namespace: object.metadata.namespace,
      name: `${object.metadata.name}-pod`,
    };
    return [{ apiVersion: "v1", kind: "Pod", metadata, spec: { ...spec, restartPolicy } }];
  }
});

test("the lab's own values are values of the chart", async () => {
  const { code, stdout } = await run("helm", ["lint", chart, "--strict", "--values", lab, "--values", "-"], {
    env: labEnvironment(),
    stdin: JSON.stringify({ ...identity, ...hostpath }),
  });
  expect(code, stdout).toBe(0);
});
