import { expect, test } from "vitest";

import { container, containers, deployment, describeChart, find, hostpath, nodeLocal, render } from "./helm.ts";
import type { Deployment, Service } from "./manifests.ts";
import { matrix } from "./matrix.ts";

describeChart.each(Object.entries(matrix))("with %s", (_, values) => {
  test("no object and no variable of a container comes twice: Helm 4 applies on the server, which refuses that", async () => {
    const objects = await render(values);
    const ids = objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace ?? ""}/${metadata.name}`);
    expect(ids).toEqual([...new Set(ids)]);
    for (const { name, env = [] } of containers(objects)) {
      const names = env.map((variable) => variable.name);
      expect(names, name).toEqual([...new Set(names)]);
    }
  });

  test("every object carries the five labels by which clients are found, and namespaced ones their namespace", async () => {
    for (const { kind, metadata } of await render(values, { name: "ward-7", namespace: "hospital" })) {
      expect(metadata.labels, kind).toMatchObject({
        "app.kubernetes.io/name": "client",
        "app.kubernetes.io/instance": "ward-7",
        "app.kubernetes.io/version": "2.0.0",
        "app.kubernetes.io/managed-by": "Helm",
        "helm.sh/chart": "client-2.0.0",
      });
      const clusterWide = /^(Cluster|Namespace|PersistentVolume$|PriorityClass|Security|StorageClass)/.test(kind);
      const elsewhere = ["tracebloc-node-agents", "kube-system"].find((namespace) => metadata.namespace === namespace);
      expect(metadata.namespace, `${kind} ${metadata.name}`).toBe(clusterWide ? undefined : (elsewhere ?? "hospital"));
    }
  });

  test("volumes and claims outlive the release", async () => {
    const kept = (await render(values)).filter(({ kind }) => kind.startsWith("PersistentVolume"));
    expect(kept.length).toBeGreaterThanOrEqual(3);
    for (const { metadata } of kept) {
      expect(metadata.annotations?.["helm.sh/resource-policy"], metadata.name).toBe("keep");
    }
  });

  test("nothing may gain privileges, root only prepares directories, and tokens are mounted where they are used", async () => {
    const objects = await render(values);
    for (const { name, securityContext, resources } of containers(objects)) {
      // AMD's plugin opens the devices themselves.
      expect(securityContext.privileged ?? false, name).toBe(name === "amdgpu-dp-cntr");
      expect(securityContext.privileged ?? securityContext.allowPrivilegeEscalation === false, name).toBe(true);
      expect(securityContext.capabilities.drop, name).toEqual(["ALL"]);
      expect(resources["requests"], name).toHaveProperty("memory");
    }
    const root = containers(objects).filter(({ securityContext }) => securityContext.runAsUser === 0);
    const text = JSON.stringify(values);
    const prepares = [
      ...(text.includes('"hostPath":{"enabled":true') ? ["init-mysql-data", "init-writable-data"] : []),
      ...(text.includes('"filesystems":[') ? ["prepare-filesystems"] : []),
    ];
    expect(root.map(({ name }) => name).sort()).toEqual(prepares);
    const token = (name: string) => deployment(objects, name).spec.template.spec.automountServiceAccountToken;
    expect([token("tracebloc-jobs-manager"), token("tracebloc-requests-proxy"), token("mysql-client")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("each Service reaches the pods of one Deployment, by labels that no version changes", async () => {
    const objects = await render(values);
    const services = objects.filter((object): object is Service => object.kind === "Service");
    const workloads = objects.filter((object): object is Deployment => object.kind === "Deployment");
    const reached = services.map(({ metadata, spec }) => {
      const behind = workloads.find(
        ({ spec: { template } }) => template.metadata.labels["app"] === spec.selector["app"],
      );
      expect(behind?.spec.selector.matchLabels).toEqual(spec.selector);
      expect(behind?.spec.template.metadata.labels).toEqual(spec.selector);
      const open = behind?.spec.template.spec.containers
        .flatMap((each) => each.ports ?? [])
        .map((port) => port.containerPort);
      expect(open).toEqual(spec.ports.map(({ targetPort }) => targetPort));
      const ports = spec.ports.map(({ port }) => port);
      return `${metadata.name}:${ports.join()} ${spec.selector["app"]} ${behind?.metadata.name}`;
    });
    expect(reached.sort()).toEqual([
      "egress-proxy-service:3128 egress-proxy tracebloc-egress-proxy",
      "jobs-manager:8080 manager tracebloc-jobs-manager",
      "mysql-client:3306 mysql-client mysql-client",
      "requests-proxy-service:8888 requests-proxy tracebloc-requests-proxy",
    ]);
  });
});

describeChart("the jobs manager", () => {
  test("is replaced, never doubled: its volumes are written by one node at a time (client#545)", async () => {
    const objects = await render(hostpath);
    expect(deployment(objects, "tracebloc-jobs-manager").spec).toMatchObject({
      replicas: 1,
      strategy: { type: "Recreate" },
    });
    expect(deployment(objects, "mysql-client").spec).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
  });

  test("pins neither a group nor a user, since OpenShift assigns both", async () => {
    const pod = deployment(await render(nodeLocal), "tracebloc-jobs-manager").spec.template.spec;
    expect(pod.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    for (const { securityContext } of pod.containers) expect(securityContext.runAsUser).toBeUndefined();
    expect(pod.serviceAccountName).toBe("tracebloc-jobs-manager");
    expect(pod.terminationGracePeriodSeconds).toBe(60);
  });

  test("waits for MySQL as nobody, and on OpenShift as whom the cluster says", async () => {
    const uid = async (values: object, args: string[] = []) =>
      container(await render({ ...nodeLocal, ...values }, { args }), "wait-for-mysql").securityContext.runAsUser;
    expect(await uid({})).toBe(65534);
    expect(await uid({ openshift: { scc: { enabled: true } } })).toBeUndefined();
    expect(await uid({}, ["--api-versions", "security.openshift.io/v1"])).toBeUndefined();
  });

  test("is only ever asked whether it is ready: a restart would end trainings (backend#1779)", async () => {
    const { readinessProbe, livenessProbe, startupProbe } = container(await render(hostpath), "api");
    expect([livenessProbe, startupProbe]).toEqual([undefined, undefined]);
    expect(readinessProbe).toEqual({
      tcpSocket: { port: 8080 },
      initialDelaySeconds: 10,
      periodSeconds: 10,
      timeoutSeconds: 3,
      failureThreshold: 3,
    });
    const disabled = await render({ ...hostpath, env: { INGESTION_HTTP_DISABLED: "1" } });
    expect(container(disabled, "api").readinessProbe).toBeUndefined();
  });

  test("mounts what other programs look for", async () => {
    const objects = await render(hostpath);
    expect(container(objects, "api").volumeMounts).toEqual([
      { name: "shared-volume", mountPath: "/data/shared" },
      { name: "logs-volume", mountPath: "/data/logs" },
      {
        name: "ingestion-authz",
        mountPath: "/etc/tracebloc/ingestion-authz.yaml",
        subPath: "ingestion-authz.yaml",
        readOnly: true,
      },
    ]);
    expect(container(objects, "pods-monitor-container").volumeMounts).toEqual([
      { name: "logs-volume", mountPath: "/data/logs" },
    ]);
    const [first] = deployment(objects, "tracebloc-jobs-manager").spec.template.spec.containers;
    expect(first?.name).toBe("api");
  });

  test("starts anew when its policy changes, which a subPath mount would not show it", async () => {
    const sum = async (ingestionAuthz: object) =>
      deployment(await render({ ...nodeLocal, ingestionAuthz }), "tracebloc-jobs-manager").spec.template.metadata
        .annotations;
    expect(await sum({})).toEqual(await sum({}));
    expect(await sum({ allowed: [] })).not.toEqual(await sum({}));
  });
});

describeChart("the requests proxy", () => {
  test("runs gunicorn with the one worker that knows the tokens", async () => {
    const proxy = container(await render(hostpath), "proxy");
    expect(proxy).toMatchObject({ command: ["python", "-m", "gunicorn"], workingDir: "/app" });
    expect(proxy.args).toContain("--workers=1");
    expect(proxy.args?.at(0)).toBe("--bind=0.0.0.0:8888");
    expect(proxy.args?.at(-1)).toBe("requests_proxy_server:create_app()");
    expect(proxy.securityContext).toMatchObject({ runAsUser: 1001, readOnlyRootFilesystem: true });
    for (const probe of [proxy.startupProbe, proxy.livenessProbe, proxy.readinessProbe]) {
      expect(probe).toMatchObject({ tcpSocket: { port: 8888 } });
    }
    expect(proxy.startupProbe).toMatchObject({
      initialDelaySeconds: 5,
      periodSeconds: 5,
      timeoutSeconds: 3,
      failureThreshold: 12,
    });
  });
});

describeChart("MySQL", () => {
  test("owns its directory and is asked over TCP", async () => {
    const objects = await render(hostpath);
    const { securityContext, ...pod } = deployment(objects, "mysql-client").spec.template.spec;
    expect(securityContext).toMatchObject({ fsGroup: 999, fsGroupChangePolicy: "OnRootMismatch" });
    expect(pod.initContainers?.map(({ name }) => name)).toEqual(["init-mysql-data", "mysql-format-guard"]);
    const mysql = container(objects, "mysql-client");
    expect(mysql.securityContext).toMatchObject({ runAsUser: 999, runAsGroup: 999, readOnlyRootFilesystem: true });
    for (const probe of [mysql.startupProbe, mysql.livenessProbe, mysql.readinessProbe]) {
      expect(probe?.exec?.command).toEqual(["mysqladmin", "ping", "-h", "127.0.0.1"]);
    }
    expect(mysql.resources).toEqual({ requests: { cpu: "250m", memory: "1Gi" }, limits: { memory: "1Gi" } });
  });

  test("keeps the directory's mode: root without FOWNER may not change it once it is MySQL's", async () => {
    const prepare = container(await render(hostpath), "init-mysql-data");
    expect([...(prepare.command ?? []), ...(prepare.args ?? [])]).toEqual(["chown", "999:999", "/var/lib/mysql"]);
    expect(prepare.securityContext.capabilities.add).toEqual(["CHOWN"]);
    expect((await render(nodeLocal)).length).toBeGreaterThan(0);
    expect(containers(await render(nodeLocal)).map(({ name }) => name)).not.toContain("init-mysql-data");
  });

  test("gets its configuration where it looks for it", async () => {
    const objects = await render(hostpath);
    const mount = container(objects, "mysql-client").volumeMounts?.find(({ name }) => name === "mysql-config");
    expect(mount).toEqual({ name: "mysql-config", mountPath: "/etc/mysql/conf.d", readOnly: true });
    expect(Object.keys(find(objects, "ConfigMap", "mysql-client-config").data ?? {})).toEqual(["mysql.cnf"]);
  });
});

describeChart("disruption budgets", () => {
  const budgets = async (values: object) =>
    (await render(values))
      .filter(({ kind }) => kind === "PodDisruptionBudget")
      .map(({ metadata }) => metadata.name)
      .sort();
  const both = ["mysql-client", "tracebloc-jobs-manager"];

  test("are there unless the cluster has one node, where they would block every drain (client#560)", async () => {
    const dynamic = { storageClass: { create: false, name: "efs" } };
    expect(await budgets(dynamic)).toEqual(both);
    expect(await budgets(hostpath)).toEqual([]);
    expect(await budgets(nodeLocal)).toEqual([]);
    expect(await budgets({ ...hostpath, singleNode: false })).toEqual(both);
    expect(await budgets({ ...dynamic, env: { SINGLE_NODE: "true" } })).toEqual(both);
    expect(await budgets({ ...hostpath, podDisruptionBudget: { mysql: { create: true } } })).toEqual(["mysql-client"]);
    expect(await budgets({ ...dynamic, podDisruptionBudget: { mysql: { create: false } } })).toEqual([
      "tracebloc-jobs-manager",
    ]);
  });
});
