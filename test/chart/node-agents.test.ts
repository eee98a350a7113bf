import { expect, test } from "vitest";

import {
  container,
  containers,
  describeChart,
  environment,
  find,
  hostpath,
  nodeLocal,
  podOf,
  refusal,
  render,
} from "./helm.ts";
import type { DaemonSet, Manifest, Role } from "./manifests.ts";

const agents = "tracebloc-node-agents";
const inside = (objects: readonly Manifest[], namespace: string) =>
  objects
    .filter(({ metadata }) => metadata.namespace === namespace)
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    .sort();

describeChart("the namespace of the agents", () => {
  test("admits what mounts the node, and outlives the release that made it", async () => {
    const { metadata } = find(await render(nodeLocal), "Namespace", agents);
    expect(metadata.labels).toMatchObject({
      app: agents,
      "pod-security.kubernetes.io/enforce": "privileged",
      "pod-security.kubernetes.io/warn": "privileged",
      "pod-security.kubernetes.io/audit": "privileged",
    });
    expect(metadata.annotations).toEqual({ "helm.sh/resource-policy": "keep" });
  });

  test("holds the agent with its copies, and the jobs manager's right to see it", async () => {
    const objects = await render(nodeLocal, { name: "ward-7", namespace: "hospital" });
    expect(inside(objects, agents)).toEqual([
      "DaemonSet/ward-7-resource-monitor",
      "Role/ward-7-jobs-manager-node-agents",
      "RoleBinding/ward-7-jobs-manager-node-agents",
      "Secret/ward-7-secrets",
      "ServiceAccount/ward-7-resource-monitor",
    ]);
    expect(Object.keys(find(objects, "Secret", "ward-7-secrets", agents).data ?? {})).toEqual([
      "CLIENT_ID",
      "CLIENT_PASSWORD",
    ]);
    expect((find(objects, "Role", "ward-7-jobs-manager-node-agents") as Role).rules).toEqual([
      { apiGroups: ["apps"], resources: ["daemonsets"], verbs: ["get", "list", "watch"] },
    ]);
    expect(find(objects, "RoleBinding", "ward-7-jobs-manager-node-agents")).toMatchObject({
      subjects: [{ kind: "ServiceAccount", name: "ward-7-jobs-manager", namespace: "hospital" }],
    });
    expect(environment(container(objects, "api"))).toMatchObject({ NODE_AGENTS_NAMESPACE: agents });
  });

  test("may be one that is there, or another", async () => {
    const namespace = { create: false, name: "monitoring" };
    const objects = await render({ ...nodeLocal, nodeAgents: { namespace } });
    expect(objects.filter(({ kind }) => kind === "Namespace")).toEqual([]);
    expect(inside(objects, "monitoring")).toContain("DaemonSet/tracebloc-resource-monitor");
  });

  test("may be that of the release, which then needs no copies", async () => {
    const objects = await render({ ...nodeLocal, nodeAgents: { namespace: { name: "tracebloc" } } });
    expect(objects.filter(({ kind }) => kind === "Namespace")).toEqual([]);
    expect(find(objects, "DaemonSet", "tracebloc-resource-monitor").metadata.namespace).toBe("tracebloc");
    const names = objects.map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name === "tracebloc-secrets")).toHaveLength(1);
    expect(names).not.toContain("tracebloc-jobs-manager-node-agents");
  });

  test("is absent without agents, and the jobs manager is told so", async () => {
    const objects = await render({ ...nodeLocal, resourceMonitor: false });
    expect(inside(objects, agents)).toEqual([]);
    expect(objects.filter(({ metadata }) => /resource-monitor|node-agents/.test(metadata.name))).toEqual([]);
    expect(environment(container(objects, "api"))["NODE_AGENTS_NAMESPACE"]).toBe("");
  });
});

describeChart("the resource monitor", () => {
  test("runs on every node, reads what the node says, and replaces a tenth of itself at a time", async () => {
    const objects = await render(nodeLocal, { name: "ward-7", namespace: "hospital" });
    const { spec } = find(objects, "DaemonSet", "ward-7-resource-monitor") as DaemonSet;
    expect(spec.selector.matchLabels).toEqual({ app: "ward-7-resource-monitor" });
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
    expect(spec.updateStrategy).toEqual({ type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%" } });
    expect(spec.template.spec).toMatchObject({
      serviceAccountName: "ward-7-resource-monitor",
      automountServiceAccountToken: true,
      terminationGracePeriodSeconds: 15,
      tolerations: [{ operator: "Exists" }],
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    });
    expect(spec.template.spec.volumes).toEqual([
      { name: "host-proc", hostPath: { path: "/proc", type: "Directory" } },
      { name: "host-sys", hostPath: { path: "/sys", type: "Directory" } },
    ]);
    const monitor = container(objects, "tracebloc-resource-monitor");
    expect(monitor.volumeMounts).toEqual([
      { name: "host-proc", mountPath: "/host/proc", readOnly: true },
      { name: "host-sys", mountPath: "/host/sys", readOnly: true },
    ]);
    expect(monitor.resources).toEqual({
      requests: { cpu: "50m", memory: "128Mi" },
      limits: { cpu: "200m", memory: "256Mi" },
    });
    expect(environment(monitor)).toEqual({
      NODE_NAME: "spec.nodeName",
      NAMESPACE: "hospital",
      MONITOR_INTERVAL: "30",
      CLIENT_ENV: "prod",
      NVIDIA_VISIBLE_DEVICES: "all",
      NVIDIA_DRIVER_CAPABILITIES: "utility",
      CLIENT_ID: "ward-7-secrets/CLIENT_ID",
      CLIENT_PASSWORD: "ward-7-secrets/CLIENT_PASSWORD",
    });
  });

  test("reads nodes and metrics of the cluster, and changes nothing, whatever the scope of the rest", async () => {
    for (const clusterScope of [true, false]) {
      const objects = await render({ ...nodeLocal, clusterScope });
      const { rules } = find(objects, "ClusterRole", "tracebloc-resource-monitor-tracebloc") as Role;
      expect(rules).toEqual([
        { apiGroups: [""], resources: ["pods", "nodes", "nodes/status"], verbs: ["get", "list"] },
        { apiGroups: ["metrics.k8s.io"], resources: ["pods", "nodes"], verbs: ["get", "list"] },
      ]);
      expect(find(objects, "ClusterRoleBinding", "tracebloc-resource-monitor-tracebloc")).toMatchObject({
        subjects: [{ kind: "ServiceAccount", name: "tracebloc-resource-monitor", namespace: agents }],
      });
    }
  });

  test("dials out as the others do (client-runtime#154)", async () => {
    const env = { HTTP_PROXY_HOST: "proxy.example.com" };
    expect(environment(container(await render({ ...nodeLocal, env }), "tracebloc-resource-monitor"))).toMatchObject({
      HTTPS_PROXY: "http://proxy.example.com",
    });
  });

  test("is admitted on OpenShift by constraints of its own", async () => {
    const openshift = { scc: { enabled: true } };
    const constraints = async (values: object) =>
      find(
        await render({ ...nodeLocal, openshift, ...values }),
        "SecurityContextConstraints",
        "tracebloc-resource-monitor-tracebloc",
      );
    expect(await constraints({})).toMatchObject({
      allowHostDirVolumePlugin: true,
      allowPrivilegedContainer: false,
      allowPrivilegeEscalation: false,
      allowedCapabilities: [],
      requiredDropCapabilities: ["ALL"],
      runAsUser: { type: "MustRunAsNonRoot" },
      users: [`system:serviceaccount:${agents}:tracebloc-resource-monitor`],
    });
    expect(await constraints({ nodePrep: { filesystems: ["erofs"] } })).toMatchObject({
      allowedCapabilities: ["SYS_MODULE"],
      runAsUser: { type: "RunAsAny" },
    });
    const off = await render({ ...nodeLocal, openshift, resourceMonitor: false });
    expect(off.filter(({ kind }) => kind === "SecurityContextConstraints")).toEqual([]);
  });
});

describeChart("the preparation of a node", () => {
  const monitor = async (values: object) =>
    find(await render({ ...hostpath, ...values }), "DaemonSet", "tracebloc-resource-monitor") as DaemonSet;

  test("changes nothing of the agent while it is off", async () => {
    for (const nodePrep of [{}, null, { filesystems: [] }, { filesystems: null }]) {
      expect(await monitor({ nodePrep })).toEqual(await monitor({}));
    }
    const { template } = (await monitor({})).spec;
    expect(template.spec).not.toHaveProperty("initContainers");
    expect(JSON.stringify(template)).not.toContain("host-lib");
  });

  test("adds one container and the host's libraries, of which a kernel that is able needs nothing", async () => {
    const { initContainers, ...on } = (await monitor({ nodePrep: { filesystems: ["overlay", "erofs"] } })).spec.template
      .spec;
    const { volumes = [], ...off } = (await monitor({})).spec.template.spec;
    // No type: neither a missing /lib nor one that is a link keeps the pod from starting.
    expect(on).toEqual({ ...off, volumes: [...volumes, { name: "host-lib", hostPath: { path: "/lib" } }] });
    expect(initContainers).toHaveLength(1);
    expect(initContainers?.[0]).toMatchObject({
      name: "prepare-filesystems",
      volumeMounts: [{ name: "host-lib", mountPath: "/host/lib", readOnly: true }],
      securityContext: {
        runAsUser: 0,
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"], add: ["SYS_MODULE"] },
      },
    });
    const [, ...words] = initContainers?.[0]?.args ?? [];
    expect(words).toEqual(["prepare-filesystems", "/proc/filesystems", "/host", "overlay", "erofs"]);
  });

  test.each([
    [{}],
    [{ imagePullPolicy: "Never" }],
    [{ images: { resourceMonitor: { digest: `sha256:${"ab".repeat(32)}` } } }],
    [{ images: { resourceMonitor: { repository: "own/monitor", tag: "7" } } }],
    [{ global: { imageRegistry: "mirror.example.com" } }],
    [{ env: { CLIENT_ENV: "dev" } }],
  ])("runs the agent's own image with the agent's own policy, with %j", async (values) => {
    const objects = await render({ ...hostpath, ...values, nodePrep: { filesystems: ["erofs"] } });
    const [prepare, agent] = ["prepare-filesystems", "tracebloc-resource-monitor"].map((name) =>
      container(objects, name),
    );
    expect([prepare?.image, prepare?.imagePullPolicy]).toEqual([agent?.image, agent?.imagePullPolicy]);
  });

  test("is refused where there are no agents to do it", async () => {
    const said = await refusal({ ...hostpath, resourceMonitor: false, nodePrep: { filesystems: ["erofs"] } });
    expect(said).toContain("nodePrep.filesystems");
    expect(said).toContain("resourceMonitor");
  });
});

describeChart("the GPU device plugin", () => {
  const plugin = async (vendor: string, values: object = {}) => {
    const objects = await render({ ...nodeLocal, gpu: { devicePlugin: { enabled: true, vendor } }, ...values });
    const found = objects.find(({ kind, metadata }) => kind === "DaemonSet" && metadata.namespace !== agents);
    return { objects, found: found as DaemonSet };
  };

  test("of NVIDIA has the name and the selector of NVIDIA's own, so that one can be adopted in place (client#564)", async () => {
    const { objects, found } = await plugin("nvidia");
    expect(found.metadata).toMatchObject({ name: "nvidia-device-plugin-daemonset", namespace: "kube-system" });
    expect(found.spec.selector.matchLabels).toEqual({ name: "nvidia-device-plugin-ds" });
    // Without the chart's version: an upgrade would take the GPUs away for a moment.
    expect(found.spec.template.metadata.labels).toEqual(found.spec.selector.matchLabels);
    expect(found.spec.template.spec).toMatchObject({
      priorityClassName: "system-node-critical",
      tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
      automountServiceAccountToken: false,
    });
    const plug = container(objects, "nvidia-device-plugin-ctr");
    expect(plug.image).toBe("nvcr.io/nvidia/k8s-device-plugin:v0.14.5");
    expect(environment(plug)).toEqual({ FAIL_ON_INIT_ERROR: "false" });
    expect(plug.volumeMounts).toEqual([{ name: "device-plugins", mountPath: "/var/lib/kubelet/device-plugins" }]);
    expect(found.metadata.annotations).toBeUndefined();
  });

  test("of AMD is privileged, sees the devices, and stays off other processors", async () => {
    const { objects, found } = await plugin("amd");
    expect(found.metadata).toMatchObject({ name: "amdgpu-device-plugin-daemonset", namespace: "kube-system" });
    expect(found.spec.selector.matchLabels).toEqual({ name: "amdgpu-dp-ds" });
    expect(found.spec.template.spec).toMatchObject({
      nodeSelector: { "kubernetes.io/arch": "amd64" },
      tolerations: [{ key: "CriticalAddonsOnly", operator: "Exists" }],
    });
    const plug = container(objects, "amdgpu-dp-cntr");
    expect(plug.image).toBe("docker.io/rocm/k8s-device-plugin:latest");
    expect(plug.securityContext.privileged).toBe(true);
    expect(plug.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual(["/var/lib/kubelet/device-plugins", "/sys"]);
  });

  test("comes from the mirror, or as values say", async () => {
    const global = { imageRegistry: "mirror.example.com" };
    const image = async (vendor: string, values: object) =>
      podOf((await plugin(vendor, values)).found)?.spec.containers[0]?.image;
    expect(await image("nvidia", { global })).toBe("mirror.example.com/nvidia/k8s-device-plugin:v0.14.5");
    expect(await image("amd", { global })).toBe("mirror.example.com/rocm/k8s-device-plugin:latest");
    const digest = `sha256:${"ab".repeat(32)}`;
    const gpu = { devicePlugin: { enabled: true, vendor: "nvidia", namespace: "gpu", nvidia: { digest } } };
    const { found } = await plugin("nvidia", { gpu });
    expect(found.metadata.namespace).toBe("gpu");
    expect(podOf(found)?.spec.containers[0]?.image).toBe(`nvcr.io/nvidia/k8s-device-plugin@${digest}`);
  });

  test("is absent unless asked for, and needs a vendor", async () => {
    for (const gpu of [null, {}, { devicePlugin: null }, { devicePlugin: { enabled: false, vendor: "nvidia" } }]) {
      expect(containers(await render({ ...nodeLocal, gpu })).map(({ name }) => name)).not.toContain(
        "nvidia-device-plugin-ctr",
      );
    }
    for (const vendor of ["", "intel", null]) {
      const said = await refusal({ ...nodeLocal, gpu: { devicePlugin: { enabled: true, vendor } } });
      expect(said).toMatch(/gpu.devicePlugin.vendor/);
    }
  });
});
