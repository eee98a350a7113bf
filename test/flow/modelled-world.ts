import fc, { type Arbitrary } from "fast-check";

import type { ApiAnswer } from "../../src/cluster/api.ts";
import type { Access, ClusterFacts } from "../../src/cluster/facts.ts";
import type { InstallationRecord } from "../../src/cluster/installation.ts";
import type { Member, Node } from "../../src/cluster/node.ts";
import type { ClusterState, Standing } from "../../src/cluster/state.ts";
import { pinFor, type Tool } from "../../src/config/pins.ts";
import { known, notYet, type Fact } from "../../src/engine/fact.ts";
import { releaseWishes, type Asked, type Facts, type InstallAction } from "../../src/install.ts";
import type { ReleaseRecord, ReleaseStatus } from "../../src/release/helm-records.ts";
import { wantedValues } from "../../src/release/wanted.ts";
import { wishesLabel, type Values } from "../../src/release/values.ts";
import { workloadNames, type Deployment } from "../../src/release/workloads.ts";
import { candidatesOf } from "../../src/storage/layout.ts";
import { storageNotYet } from "../../src/storage/observe.ts";
import type { ToolState } from "../../src/tools/facts.ts";

const asksNothing = () => Promise.reject(new Error("a planner asks nothing"));

/** A machine in miniature: all that the plan of an install depends on, as it is and not as it is known. */
export type World = {
  tools: Record<"k3d" | "helm", boolean>;
  folders: boolean;
  cluster: "absent" | Standing | "incomplete";
  /** Whether its server carries our label, and what our own notes say of it. */
  ours: boolean;
  noted: "nothing" | "begun" | "ready";
  hostpath: boolean;
  api: "no kubeconfig" | "another port" | "ready" | "not ours" | "expired" | "silent";
  directories: "as the kubelet leaves them" | "exact" | "read-only";
  release: { status: ReleaseStatus; label: string | undefined; values: Values } | undefined;
  workloads: "ready" | "not ready";
};

export const anyWorld: Arbitrary<World> = fc.record({
  tools: fc.record({ k3d: fc.boolean(), helm: fc.boolean() }),
  folders: fc.boolean(),
  cluster: fc.constantFrom<World["cluster"][]>(
    "absent",
    "running",
    "running",
    "stopped",
    "partly stopped",
    "paused",
    "restarting",
    "half created",
    "incomplete",
  ),
  ours: fc.boolean(),
  noted: fc.constantFrom("nothing", "begun", "ready"),
  hostpath: fc.boolean(),
  api: fc.constantFrom("no kubeconfig", "another port", "ready", "ready", "not ours", "expired", "silent"),
  directories: fc.constantFrom("as the kubelet leaves them", "exact", "read-only"),
  release: fc.option(
    fc.record({
      status: fc.constantFrom<ReleaseStatus[]>("deployed", "deployed", "failed", "pending-upgrade", "uninstalled"),
      label: fc.constantFrom(undefined, "made from other wishes"),
      values: fc.constantFrom<Values[]>({ clientId: "client-1" }, { clientId: "client-1", clientPassword: "old" }, {}),
    }),
    { nil: undefined },
  ),
  workloads: fc.constantFrom("ready", "not ready"),
});

const healthy: World = {
  tools: { k3d: true, helm: true },
  folders: true,
  cluster: "running",
  ours: true,
  noted: "ready",
  hostpath: true,
  api: "ready",
  directories: "exact",
  release: { status: "deployed", label: undefined, values: { clientId: "client-1" } },
  workloads: "ready",
};

/** A healthy machine with a few things wrong: a plan then gets further than in one where nothing fits. */
export const nearlyHealthy: Arbitrary<World> = fc
  .tuple(anyWorld, fc.subarray(Object.keys(healthy) as (keyof World)[], { maxLength: 3 }))
  .map(([world, wrong]) => ({ ...healthy, ...Object.fromEntries(wrong.map((key) => [key, world[key]])) }));

/** What each action does to it, where it works. Pure. */
export function effectOf(action: InstallAction, world: World, facts: Facts, asked: Asked): World {
  switch (action.do) {
    case "tools.fetch":
      return { ...world, tools: { k3d: true, helm: true } };
    case "storage.folders":
      return { ...world, folders: true };
    case "cluster.remove":
      return { ...world, cluster: "absent", noted: "nothing", release: undefined };
    case "cluster.create":
      return {
        ...world,
        cluster: "running",
        ours: true,
        noted: "ready",
        hostpath: action.dataDir !== undefined,
        api: "ready",
        directories: "as the kubelet leaves them",
        release: undefined,
      };
    case "cluster.start":
    case "cluster.unpause":
    case "cluster.restart":
    case "cluster.await":
      return { ...world, cluster: "running", api: "ready" };
    case "cluster.connect":
      // A fresh kubeconfig does not make a server's certificate valid again.
      return { ...world, api: world.api === "expired" || world.api === "silent" ? world.api : "ready", noted: "ready" };
    case "storage.prepare":
      return world.directories === "read-only" ? world : { ...world, directories: "exact" };
    case "release.apply": {
      const values = wantedValues(action.isNew ? undefined : recordOf(world), releaseWishes(facts, asked));
      return { ...world, release: { status: "deployed", label: action.wishes, values }, workloads: "not ready" };
    }
    case "release.await":
      return { ...world, workloads: "ready" };
    default:
      return world;
  }
}

/** What a look at it gives. Pure. */
export function factsOf(world: World, { wishes }: Asked): Facts {
  const runs = world.cluster === "running";
  const reached = runs && world.api !== "no kubeconfig" && world.api !== "another port";
  return {
    host: undefined,
    engine: undefined,
    tools: { k3d: toolOf("k3d", world), helm: toolOf("helm", world), kubectl: notYet("nothing needs kubectl") },
    cluster: clusterOf(world, wishes.dataDir.value),
    folders: known(world.folders ? [] : ["/home/ada/.tracebloc/tracebloc/data"], ""),
    storage: runs ? storageOf(world) : storageNotYet("tracebloc", "the cluster has to run"),
    users: known([], ""),
    release:
      reached && world.api === "ready"
        ? { records: known(recordsOf(world), ""), deployments: known(deploymentsOf(world), "") }
        : { records: notYet("the cluster has to answer"), deployments: notYet("the cluster has to answer") },
  };
}

function toolOf(tool: Tool & keyof World["tools"], { tools }: World): Fact<ToolState> {
  const usable = tools[tool] ? ({ command: tool, version: "5.9.0", from: "PATH" } as const) : undefined;
  return known({ usable, skipped: [], pin: pinFor(tool, "linux", "amd64") }, "");
}

function clusterOf(world: World, dataDir: string): ClusterFacts {
  return {
    name: "tracebloc",
    installation: known(notesOf(world), ""),
    cluster: known(stateOf(world, dataDir), ""),
    access: world.cluster === "running" ? known(accessOf(world), "") : notYet("the cluster has to run"),
    port: world.cluster === "absent" ? known({ wished: 6550, free: 6550 }, "") : notYet("only a new cluster needs one"),
  };
}

function notesOf({ noted, ours, cluster }: World): InstallationRecord {
  if (noted === "nothing" && !(ours && cluster !== "absent")) return { is: "none" };
  const birth = { createdAt: "2026-11-30T10:00:00Z", ...(noted === "ready" && { readyAt: "2026-11-30T10:01:00Z" }) };
  const clusters = noted === "nothing" ? {} : { tracebloc: birth };
  return { is: "here", installation: { format: 1, id: "id-1", createdAt: "", version: "1.0.0", clusters } };
}

function stateOf({ cluster, ours, hostpath }: World, dataDir: string): ClusterState {
  if (cluster === "absent") return { is: "absent" };
  const installation = ours ? "id-1" : undefined;
  const state = cluster === "paused" ? "paused" : cluster === "running" ? "running" : "exited";
  const member: Member = { name: "k3d-tracebloc-server-0", state, role: "server", installation };
  if (cluster === "incomplete") return { is: "incomplete", members: [{ ...member, role: "noRole" }] };
  const mount = { type: "bind", destination: "/tracebloc", source: dataDir, asked: dataDir, writable: true };
  const node: Node = {
    name: member.name,
    cluster: "tracebloc",
    installation,
    state,
    createdAt: "2026-11-30T10:00:00Z",
    startedAt: cluster === "half created" ? undefined : "2026-11-30T10:00:01Z",
    exitCode: 0,
    outOfMemory: false,
    restarts: 0,
    image: "rancher/k3s:v1.35.5-k3s1",
    mounts: hostpath ? [mount] : [],
    api: { host: "127.0.0.1", port: 6550 },
    environment: [],
  };
  return { is: cluster, node, members: [member] };
}

function accessOf({ api }: World): Extract<ClusterFacts["access"], { state: "known" }>["value"] {
  if (api === "no kubeconfig") return { is: "missing" };
  const access: Access = {
    kubeconfig: "/state/kubeconfig.yaml",
    context: "k3d-tracebloc",
    host: "127.0.0.1",
    port: 6550,
    api: { get: asksNothing, patch: asksNothing },
  };
  if (api === "another port") return { is: "elsewhere", access: { ...access, port: 6999 } };
  const answered = (status: number): ApiAnswer => ({ outcome: "answered", status, text: "", json: undefined });
  const answer: Record<Exclude<World["api"], "no kubeconfig" | "another port">, ApiAnswer> = {
    ready: answered(200),
    "not ours": answered(401),
    expired: { outcome: "expired", why: "has a certificate that is not valid now" },
    silent: { outcome: "timed-out", why: "did not answer within 3 s" },
  };
  return { is: "asked", access, answer: answer[api] };
}

function storageOf({ directories }: World): Facts["storage"] {
  const options = directories === "read-only" ? "ro" : "rw";
  return {
    directories: candidatesOf("tracebloc").map((directory) => ({
      directory,
      seen: known(
        {
          found: { is: "directory", mode: directories === "exact" ? directory.mode : "0755", uid: 0, gid: 0 } as const,
          mount: { at: directory.base, source: "/dev/vda", type: "ext4", options },
          cause: undefined,
          said: "",
        },
        "",
      ),
    })),
  };
}

function recordOf({ release }: World): ReleaseRecord | undefined {
  if (release === undefined) return undefined;
  return {
    name: "tracebloc",
    namespace: "tracebloc",
    revision: 1,
    status: release.status,
    labels: release.label === undefined ? {} : { [wishesLabel]: release.label },
    secret: "sh.helm.release.v1.tracebloc.v3",
    lastDeployed: undefined,
    content: { chart: "client", chartVersion: "2.0.0", values: release.values },
  };
}

function recordsOf(world: World): ReleaseRecord[] {
  const record = recordOf(world);
  return record === undefined ? [] : [record];
}

function deploymentsOf({ release, workloads }: World): Deployment[] {
  if (release === undefined) return [];
  const available = workloads === "ready" ? 1 : 0;
  return workloadNames("tracebloc").map((name) => ({
    metadata: { name, namespace: "tracebloc", generation: 1 },
    spec: { replicas: 1 },
    status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: available },
  }));
}
