import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { chart, containers, describeChart, environment, find, helm, hostpath, refusal, render, run } from "./helm.ts";
import type { CronJob, Manifest, Role } from "./manifests.ts";
import { execute, folder, lines, shells } from "./shells.ts";

const repository = { enabled: true, repoUrl: "https://charts.example.com/tracebloc" };
const on = { ...hostpath, autoUpgrade: repository };
const gpu = { devicePlugin: { enabled: true, vendor: "nvidia" } };

describeChart("upgrades by itself", () => {
  const named = (objects: readonly Manifest[]) => objects.filter(({ metadata }) => /auto-upgrade/.test(metadata.name));

  test("are off, and never go to a repository that nobody named", async () => {
    for (const autoUpgrade of [undefined, null, {}, { enabled: false }]) {
      expect(named(await render({ ...hostpath, autoUpgrade }))).toEqual([]);
    }
    for (const repoUrl of ["", null]) {
      expect(await refusal({ ...hostpath, autoUpgrade: { enabled: true, repoUrl } })).toMatch(/autoUpgrade.*repoUrl/s);
    }
    const { env } = containers(await render(on)).find(({ name }) => name === "auto-upgrade") ?? {};
    expect(environment({ env } as never)).toMatchObject({
      RELEASE: "tracebloc",
      NAMESPACE: "tracebloc",
      REPO_URL: repository.repoUrl,
      CHART: "client",
    });
  });

  test("come one at a time, and end though the network swallows everything (client#555)", async () => {
    const spec = async (autoUpgrade: object) =>
      (find(await render({ ...hostpath, autoUpgrade }), "CronJob", "tracebloc-auto-upgrade") as CronJob).spec;
    expect(await spec(repository)).toMatchObject({
      schedule: "23 * * * *",
      concurrencyPolicy: "Forbid",
      startingDeadlineSeconds: 600,
      suspend: false,
      jobTemplate: { spec: { backoffLimit: 2, activeDeadlineSeconds: 900 } },
    });
    const deadline = async (timeout: string) =>
      (await spec({ ...repository, timeout })).jobTemplate.spec.activeDeadlineSeconds;
    expect(await Promise.all(["30s", "20m", "1h"].map(deadline))).toEqual([900, 1500, 3900]);
  });

  test("may do what the chart does, kind by kind, and nothing besides (backend#953, backend#1992)", async () => {
    const all = ["create", "delete", "get", "list", "patch", "update"];
    const rules = async (kind: string, name: string, values: object = {}) =>
      (find(await render({ ...on, gpu, ...values }), kind, name) as Role).rules;
    expect(await rules("ClusterRole", "tracebloc-auto-upgrade-scoped")).toEqual([
      { apiGroups: [""], resources: ["namespaces", "persistentvolumes"], verbs: all },
      { apiGroups: ["storage.k8s.io"], resources: ["storageclasses"], verbs: all },
      { apiGroups: ["scheduling.k8s.io"], resources: ["priorityclasses"], verbs: all },
      {
        apiGroups: ["rbac.authorization.k8s.io"],
        resources: ["clusterroles", "clusterrolebindings"],
        verbs: [...all, "bind", "escalate"],
      },
      { apiGroups: ["apiregistration.k8s.io"], resources: ["apiservices"], verbs: ["get"] },
    ]);
    const everything = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
    expect(await rules("Role", "tracebloc-auto-upgrade")).toEqual(everything);
    expect(await rules("Role", "tracebloc-auto-upgrade-node-agents")).toEqual(everything);
    const inSystem = await rules("Role", "tracebloc-auto-upgrade-gpu-device-plugin");
    expect(inSystem.flatMap(({ resources }) => resources)).not.toContain("secrets");
    for (const { verbs, resourceNames } of inSystem) {
      expect(resourceNames === undefined ? verbs : []).toEqual(resourceNames === undefined ? ["create", "list"] : []);
    }
  });

  test("make with refreshing images what the old chart made by default", async () => {
    // 55 objects with volumes in directories of the node, seven of them for `helm test`.
    const objects = await render({ ...on, imageRefresh: { enabled: true } });
    expect(objects).toHaveLength(55);
    expect(objects.filter(({ metadata }) => metadata.annotations?.["helm.sh/hook"] !== undefined)).toHaveLength(7);
  });
});

/** A repository of charts as `helm repo index` makes it: this chart in three versions, and one whose name begins alike. */
let charts: Server;
let url = "";
let packages = "";
beforeAll(async () => {
  if (helm === undefined) return;
  packages = await mkdtemp(join(tmpdir(), "tracebloc-charts-"));
  const at = packages;
  for (const version of ["2.0.0", "2.9.0", "2.10.0"]) {
    await run(helm, ["package", chart, "--version", version, "--destination", at]);
  }
  charts = createServer((request, response) => {
    readFile(join(at, request.url ?? "")).then(
      (file) => response.end(file),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => charts.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(charts.address() as AddressInfo).port}`;
  await run(helm, ["repo", "index", at, "--url", url]);
  const index = await readFile(join(at, "index.yaml"), "utf8");
  const other = index.match(/^ {2}client:\n(?: {2}[- ].*\n| {4}.*\n)*/m)?.[0] ?? "";
  const alike = other.replace("  client:", "  client-tools:").replaceAll("name: client", "name: client-tools");
  await writeFile(join(at, "index.yaml"), index.replace(other, other + alike.replaceAll("2.10.0", "9.9.9")));
});
afterAll(async () => {
  if (helm === undefined) return;
  charts.close();
  await rm(packages, { recursive: true });
});

type Cluster = {
  /** As `helm list` and `helm history` of 4.2.3 print them. */
  chart?: string;
  status?: string;
  updated?: string;
  history?: readonly (readonly [revision: number, status: string])[];
  upgradeEnds?: number;
};

/** Runs the job's script: repositories are asked by the real helm, the release is played from what the real one prints. */
async function upgrade(shell: (typeof shells)[number], cluster: Cluster, repoUrl = url) {
  const { chart: installed = "client-2.0.0", status = "deployed", history = [], upgradeEnds = 0 } = cluster;
  const { updated = "2026-01-01 10:00:00.473310319 +0000 UTC" } = cluster;
  const at = await folder();
  const list =
    status === ""
      ? "[]\n"
      : `- app_version: 2.0.0\n  chart: ${installed}\n  name: ward-7\n  namespace: hospital\n  revision: "3"\n  status: ${status}\n  updated: ${updated}\n`;
  const revisions = history.map(
    ([revision, state]) =>
      `- app_version: 2.0.0\n  chart: client-2.0.0\n  description: x\n  revision: ${revision}\n  status: ${state}\n  updated: "2026-01-01T10:00:00Z"\n`,
  );
  await writeFile(join(at, "list"), list);
  await writeFile(join(at, "history"), revisions.join(""));
  const stub = `#!/bin/sh
case $1 in
  repo | search) exec '${helm}' "$@" ;;
  list | history) cat '${at}'/"$1" ;;
  *) echo "$*" >>'${at}/calls'; [ "$1" = rollback ] || exit ${upgradeEnds} ;;
esac
`;
  await writeFile(join(at, "helm"), stub);
  await chmod(join(at, "helm"), 0o755);
  const script = await readFile(join(chart, "files", "auto-upgrade.sh"), "utf8");
  const env = {
    HOME: at,
    RELEASE: "ward-7",
    NAMESPACE: "hospital",
    REPO_NAME: "tracebloc",
    REPO_URL: repoUrl,
    CHART: "client",
    TIMEOUT: "10m",
  };
  const ran = await execute({ ...shell, path: `${at}:${shell.path}` }, script, ["auto-upgrade"], { env });
  const calls = await readFile(join(at, "calls"), "utf8").catch(() => "");
  return { code: ran.code, said: lines(ran), calls: calls.split("\n").filter(Boolean) };
}

const toNewest =
  "upgrade ward-7 tracebloc/client --version 2.10.0 --reset-then-reuse-values --atomic --cleanup-on-fail --timeout 10m --namespace hospital";

describeChart.each(shells)("auto-upgrade under $name", (shell) => {
  test("takes the release to the newest chart of that very name, counting versions as numbers", async () => {
    for (const installed of ["client-2.0.0", "client-2.9.0"]) {
      const { code, calls, said } = await upgrade(shell, { chart: installed });
      expect([code, calls]).toEqual([0, [toNewest]]);
      expect(said.at(-1)).toBe("auto-upgrade: OK ward-7 has chart client 2.10.0");
    }
  });

  test("leaves one that is as new, or newer, alone", async () => {
    for (const installed of ["client-2.10.0", "client-3.0.0"]) {
      const { code, calls } = await upgrade(shell, { chart: installed });
      expect([code, calls]).toEqual([0, []]);
    }
  });

  test("fails when the upgrade does, when nothing answers, and when there is no release", async () => {
    expect(await upgrade(shell, { upgradeEnds: 1 })).toMatchObject({ code: 1, calls: [toNewest] });
    expect(await upgrade(shell, {}, "http://127.0.0.1:9/none")).toMatchObject({ code: 1, calls: [] });
    expect(await upgrade(shell, { status: "" })).toMatchObject({ code: 1, calls: [] });
  });

  test("client#2877: takes an operation that is at work for one, and only a long dead one back to what worked", async () => {
    const history = [
      [1, "superseded"],
      [2, "failed"],
      [3, "pending-upgrade"],
    ] as const;
    const now = new Date().toISOString().replace("T", " ").replace("Z", "000000 +0000 UTC");
    const pending = { status: "pending-upgrade", history };
    expect(await upgrade(shell, { ...pending, updated: now })).toMatchObject({ code: 0, calls: [] });
    // Of another time zone, or not readable: not known to be old.
    for (const updated of ["2026-01-01 10:00:00.4 +0200 CEST", "yesterday"]) {
      expect(await upgrade(shell, { ...pending, updated })).toMatchObject({ code: 0, calls: [] });
    }
    expect(await upgrade(shell, pending)).toMatchObject({
      code: 0,
      calls: ["rollback ward-7 1 --timeout 10m --namespace hospital", toNewest],
    });
    expect(await upgrade(shell, { status: "pending-upgrade", history: [[1, "failed"]] })).toMatchObject({
      code: 1,
      calls: [],
    });
  });

  test.each(["uninstalling", "pending-install", "uninstalled"])(
    "does nothing while the release is %s",
    async (status) => {
      expect(await upgrade(shell, { status })).toMatchObject({ code: 0, calls: [] });
    },
  );
});
