import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { expect, test } from "vitest";

import {
  chart,
  container,
  containers,
  describeChart,
  find,
  hostpath,
  nodeLocal,
  podOf,
  program,
  render,
} from "./helm.ts";
import type { Job, Manifest } from "./manifests.ts";
import { execute, folder, lines, shells } from "./shells.ts";

const isHook = ({ metadata }: Manifest) => metadata.annotations?.["helm.sh/hook"] !== undefined;
const locked = { networkPolicy: { training: { allowExternalHttps: false } } };
const scriptOf = (name: string) => readFile(join(chart, "files", `${name}.sh`), "utf8");

describeChart("helm test", () => {
  test("checks storage and the backend, and the lock where trainings are locked down", async () => {
    const checks = async (values: object) =>
      (await render({ ...nodeLocal, ...values }, { name: "ward-7" }))
        .filter((object): object is Job => object.kind === "Job")
        .map(({ metadata }) => [metadata.name, metadata.labels?.["tracebloc.io/seal-check-name"]]);
    const always = [
      ["ward-7-egress-reachability-check", "backend-reachability"],
      ["ward-7-storage-assertions-check", "storage-assertions"],
    ];
    expect(await checks({})).toEqual(expect.arrayContaining(always));
    expect(await checks({})).toHaveLength(2);
    expect(await checks(locked)).toContainEqual(["ward-7-egress-enforcement-check", "egress-enforcement"]);
    const unproven = { training: { allowExternalHttps: false, enforcementProbeHost: "" } };
    expect(await checks({ networkPolicy: unproven })).toHaveLength(2);
  });

  test("makes nothing that an installation would: hooks of the kind test alone, gone when they succeeded", async () => {
    const hooks = (await render({ ...hostpath, ...locked })).filter(isHook);
    expect(hooks.map(({ kind }) => kind).sort()).toEqual([
      "ClusterRole",
      "ClusterRoleBinding",
      "Job",
      "Job",
      "Job",
      "Role",
      "RoleBinding",
      "ServiceAccount",
    ]);
    for (const { metadata } of hooks) {
      expect(metadata.annotations).toMatchObject({
        "helm.sh/hook": "test",
        "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
      });
      expect(metadata.labels).toMatchObject({ "tracebloc.io/seal-check": "true" });
    }
    for (const job of hooks.filter((hook): hook is Job => hook.kind === "Job")) {
      expect(job.spec).toMatchObject({ backoffLimit: 0, ttlSecondsAfterFinished: 120 });
      const pod = podOf(job);
      expect(pod?.metadata.labels).toMatchObject({ "tracebloc.io/seal-check": "true" });
      expect(pod?.spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      });
    }
  });

  test("tries the lock from a pod that the policy takes for a training, and no other check from one", async () => {
    const pods = (await render({ ...hostpath, ...locked })).filter(({ kind }) => kind === "Job");
    const trainings = pods.filter((job) => podOf(job)?.metadata.labels["tracebloc.io/workload"] === "training");
    expect(trainings.map(({ metadata }) => metadata.name)).toEqual(["tracebloc-egress-enforcement-check"]);
  });

  test("asks the backend of the channel, by the road that the others take", async () => {
    const url = async (CLIENT_ENV: string) => {
      const objects = await render({ ...nodeLocal, env: { CLIENT_ENV, HTTP_PROXY_HOST: "proxy.example.com" } });
      const [check] = podOf(find(objects, "Job", "tracebloc-egress-reachability-check"))?.spec.containers ?? [];
      expect(check?.env).toContainEqual({ name: "HTTPS_PROXY", value: "http://proxy.example.com" });
      return check?.args?.at(-1);
    };
    expect(await url("prod")).toBe("https://api.tracebloc.io/");
    expect(await url("staging")).toBe("https://stg-api.tracebloc.io/");
    expect(await url("dev")).toBe("https://dev-api.tracebloc.io/");
  });

  test("holds the claims against the class, and in hostPath mode against their directories", async () => {
    const words = async (values: object) => {
      const objects = await render(values, { name: "ward-7" });
      const [check] = podOf(find(objects, "Job", "ward-7-storage-assertions-check"))?.spec.containers ?? [];
      return check?.args?.slice(3);
    };
    expect(await words(hostpath)).toEqual([
      "ward-7-storage-class",
      "client-pvc:/tracebloc/ward-7/data",
      "client-logs-pvc:/tracebloc/ward-7/logs",
      "mysql-pvc:/tracebloc/ward-7/mysql",
    ]);
    expect(await words(nodeLocal)).toEqual(["local-path", "client-pvc:", "client-logs-pvc:", "mysql-pvc:"]);
  });

  test("needs no rights beyond the namespace where there are none", async () => {
    const hooks = (await render({ ...nodeLocal, clusterScope: false })).filter(isHook);
    expect(hooks.filter(({ kind }) => kind.startsWith("Cluster"))).toEqual([]);
  });

  test("takes its images from the mirror like everything else", async () => {
    const objects = await render({ ...nodeLocal, ...locked, global: { imageRegistry: "mirror.example.com" } });
    const images = containers(objects.filter(isHook)).map(({ image }) => image);
    expect(images.filter((image) => !/^mirror\.example\.com\/(curlimages\/curl|alpine\/k8s)/.test(image))).toEqual([]);
    expect(container(objects, "check").imagePullPolicy).toBe("IfNotPresent");
  });
});

const curl = program("curl");

describeChart.each(curl === undefined ? [] : shells)("egress-reachability under $name", (shell) => {
  const path = `${shell.path}:${process.env["PATH"]}`;
  const check = async (url: string) =>
    execute({ ...shell, path }, await scriptOf("egress-reachability"), ["check", url], { env: { no_proxy: "*" } });

  test("takes any answer for a road, and none for none", async () => {
    const server = createServer((_, response) => response.writeHead(404).end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const reached = await check(`http://127.0.0.1:${port}/`);
    server.close();
    expect([reached.code, lines(reached)]).toEqual([
      0,
      [`backend-reachability: OK http://127.0.0.1:${port}/ answered 404`],
    ]);
    const missed = await check("http://nowhere.invalid/");
    expect(missed.code).toBe(1);
    expect(lines(missed)[0]).toContain("FAIL http://nowhere.invalid/: ");
  });
});

describeChart.each(shells)("egress-enforcement under $name", (shell) => {
  /** curl as it is told apart here: `direct` and through the gateway, each with its exit code and what `--write-out` gives. */
  async function check(
    direct: readonly [code: number, seconds: string],
    tunnels: readonly [string, string],
    gateway: string,
  ) {
    const at = await folder();
    const body = `#!/bin/sh
for last do :; done
case "$*" in
  *--proxy*allowed.example.com*) printf %s ${tunnels[1]}; exit 56 ;;
  *--proxy*) printf %s ${tunnels[0]}; exit 56 ;;
  *) printf %s ${direct[1]}; exit ${direct[0]} ;;
esac
`;
    await writeFile(join(at, "curl"), body, { mode: 0o755 });
    const words = ["check", "1.1.1.1", gateway, "https://allowed.example.com/"];
    return execute({ ...shell, path: `${at}:${shell.path}` }, await scriptOf("egress-enforcement"), words);
  }
  const gateway = "http://egress-proxy-service:3128";

  test.each([
    ["was cut off", [28, "0.000000"], 0],
    ["was refused", [7, "0.000000"], 0],
    ["was reached", [0, "0.012345"], 1],
    ["was reached and spoke no TLS", [35, "0.012345"], 1],
    ["was reached and was slow", [28, "0.000045"], 1],
    ["has no address, which proves nothing", [6, "0.000000"], 1],
  ] as const)("a host that %s", async (_, direct, code) => {
    const ran = await check(direct, ["000", "000"], "");
    expect([ran.code, lines(ran).length]).toEqual([code, 1]);
  });

  test.each([
    [["403", "200"], 0],
    [["200", "200"], 1],
    [["000", "200"], 1],
    [["403", "403"], 1],
    [["403", "503"], 1],
  ] as const)("a gateway that answers %j", async (tunnels, code) => {
    expect((await check([28, "0.000000"], tunnels, gateway)).code).toBe(code);
  });
});

describeChart.each(shells)("storage-assertions under $name", (shell) => {
  /** kubectl's answers for one claim. */
  type Claim = { bound?: boolean; class?: string; path?: string | undefined };

  async function check({ bound = true, class: of = "local-path", path }: Claim, directory = "") {
    const at = await folder();
    const body = `#!/bin/sh
case "$*" in
  *" wait "*) ${bound ? "exit 0" : "echo 'error: timed out waiting for the condition on persistentvolumeclaims/client-pvc' >&2; exit 1"} ;;
  *storageClassName*) printf %s '${of}' ;;
  *volumeName*) printf %s pvc-1 ;;
  *"get pv "*) ${path === undefined ? "exit 1" : `printf %s '${path}'`} ;;
esac
`;
    await writeFile(join(at, "kubectl"), body, { mode: 0o755 });
    const words = ["check", "hospital", "local-path", `client-pvc:${directory}`];
    const ran = await execute({ ...shell, path: `${at}:${shell.path}` }, await scriptOf("storage-assertions"), words);
    return [ran.code, lines(ran)[0]?.split(" ")[1]];
  }

  test.each<[string, Claim, string, number]>([
    ["of a driver", { path: "" }, "", 0],
    ["of the local path provisioner", { path: "/var/lib/rancher/k3s/storage/pvc-1" }, "", 0],
    ["of its other home", { path: "/opt/local-path-provisioner/pvc-1" }, "", 0],
    ["in a directory that nobody looks after", { path: "/srv/data" }, "", 1],
    ["in one that only begins alike", { path: "/var/lib/rancher-old/pvc-1" }, "", 1],
    ["that may not be looked at", { path: undefined }, "", 0],
    ["in its directory", { path: "/tracebloc/w/data" }, "/tracebloc/w/data", 0],
    ["in another one", { path: "/tracebloc/x/data" }, "/tracebloc/w/data", 1],
    ["in none, with hostPath", { path: "" }, "/tracebloc/w/data", 1],
    ["of another class", { class: "gp3", path: "" }, "", 1],
    ["that is not bound", { bound: false }, "", 1],
  ])("a claim %s", async (_, claim, directory, code) => {
    expect(await check(claim, directory)).toEqual([code, code === 0 ? "OK" : "FAIL"]);
  });
});
