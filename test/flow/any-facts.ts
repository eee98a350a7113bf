import fc, { type Arbitrary } from "fast-check";

import type { ApiAnswer } from "../../src/cluster/api.ts";
import type { Access, AccessState, ClusterFacts, PortChoice } from "../../src/cluster/facts.ts";
import type { InstallationRecord } from "../../src/cluster/installation.ts";
import type { ContainerState, Member, Mount, Node } from "../../src/cluster/node.ts";
import type { ClusterState, Standing } from "../../src/cluster/state.ts";
import type { Wishes } from "../../src/config/wishes.ts";
import { known, unknown, type Fact } from "../../src/engine/fact.ts";
import type { HostFacts } from "../../src/host/facts.ts";
import type { Mount as FileSystem } from "../../src/host/mounts.ts";
import type { Asked, Facts } from "../../src/install.ts";
import type { ReleaseRecord, ReleaseStatus } from "../../src/release/helm-records.ts";
import type { ReleaseFacts } from "../../src/release/plan.ts";
import { wishesLabel } from "../../src/release/values.ts";
import { workloadNames, type Deployment } from "../../src/release/workloads.ts";
import type { Cause } from "../../src/storage/cause.ts";
import { candidatesOf, type Directory } from "../../src/storage/layout.ts";
import type { StorageFacts } from "../../src/storage/observe.ts";
import type { User } from "../../src/storage/users.ts";
import type { Entry, Found } from "../../src/storage/report.ts";
import type { ToolFacts, ToolState } from "../../src/tools/facts.ts";
import { pinFor, type Tool } from "../../src/config/pins.ts";
import { defaults } from "../unit/cluster/stand-in.ts";
import { standpointOn } from "../unit/host/answers.ts";
import { platformNames, platformOf } from "../unit/platform/personalities.ts";

const asksNothing = () => Promise.reject(new Error("a planner asks nothing"));

// Any state that the rooms' closed unions allow, also those that never come together.

export function anyFact<T>(value: Arbitrary<T>): Arbitrary<Fact<T>> {
  return fc.oneof(
    { weight: 4, arbitrary: value.map((one) => known(one, "a look")) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("no answer within 10 s", "not asked: later").map((why) => unknown(why, "")),
    },
  );
}

const dataDirs = ["/home/ada/.tracebloc", "/srv/data", "C:\\Users\\ada\\.tracebloc"] as const;

const anyMount: Arbitrary<Mount> = fc.record({
  type: fc.constantFrom("bind", "volume"),
  destination: fc.constantFrom("/tracebloc", "/tracebloc-data", "/tracebloc2", "/var/lib/docker"),
  source: fc.constantFrom(...dataDirs, "/run/desktop/mnt/host/c/Users/ada/.tracebloc"),
  asked: fc.constantFrom(...dataDirs, undefined),
  writable: fc.boolean(),
});

const containerStates: readonly ContainerState[] = [
  "created",
  "running",
  "paused",
  "restarting",
  "removing",
  "exited",
  "dead",
];

const anyNode: Arbitrary<Node> = fc.record({
  name: fc.constant("k3d-tracebloc-server-0"),
  cluster: fc.constantFrom("tracebloc", undefined),
  installation: fc.constantFrom("id-1", "id-2", undefined),
  state: fc.constantFrom(...containerStates),
  createdAt: fc.constant("2026-11-30T10:00:00Z"),
  startedAt: fc.constantFrom("2026-11-30T10:00:01Z", undefined),
  exitCode: fc.constantFrom(0, 1, 137),
  outOfMemory: fc.boolean(),
  restarts: fc.constantFrom(0, 3),
  image: fc.constantFrom("rancher/k3s:v1.35.5-k3s1", "mirror.example.com/rancher/k3s:v1.29.4-k3s1"),
  mounts: fc.array(anyMount, { maxLength: 3 }),
  api: fc.constantFrom({ host: "127.0.0.1", port: 6550 }, undefined),
  environment: fc.constant([]),
});

const anyMember: Arbitrary<Member> = fc.record({
  name: fc.constantFrom("k3d-tracebloc-server-0", "k3d-tracebloc-serverlb", "k3d-tracebloc-tools"),
  state: fc.constantFrom(...containerStates),
  role: fc.constantFrom("server", "agent", "loadbalancer", "noRole"),
  installation: fc.constantFrom("id-1", "id-2", undefined),
});
const anyMembers = fc.array(anyMember, { maxLength: 3 });

const standings: readonly Standing[] = ["running", "stopped", "partly stopped", "paused", "restarting", "half created"];

const anyCluster: Arbitrary<ClusterState> = fc.oneof(
  fc.constant({ is: "absent" } as const),
  fc.record({ is: fc.constantFrom(...standings), node: anyNode, members: anyMembers }),
  fc.record({ is: fc.constant("running" as const), node: anyNode, members: anyMembers }),
  fc.record({ is: fc.constant("incomplete" as const), members: anyMembers }),
  fc.record({ is: fc.constant("foreign" as const), node: anyNode }),
);

const anyAnswer: Arbitrary<ApiAnswer> = fc.oneof(
  fc.constantFrom(200, 401, 403, 500).map((status) => ({
    outcome: "answered" as const,
    status,
    text: status === 200 ? "ok" : "",
    json: undefined,
  })),
  fc
    .constantFrom("refused", "timed-out", "mismatch", "expired", "broken")
    .map((outcome) => ({ outcome, why: "says so" })),
);

const access: Access = {
  kubeconfig: "/state/kubeconfig.yaml",
  context: "k3d-tracebloc",
  host: "127.0.0.1",
  port: 6550,
  api: { get: asksNothing, patch: asksNothing },
};
const anyAccess: Arbitrary<AccessState> = fc.oneof(
  fc.constant({ is: "missing" } as const),
  fc.constant({ is: "elsewhere", access } as const),
  anyAnswer.map((answer) => ({ is: "asked" as const, access, answer })),
);

const anyRecordOfUs: Arbitrary<InstallationRecord> = fc.oneof(
  fc.constantFrom<InstallationRecord>({ is: "none" }, { is: "newer", version: "9.0.0" }),
  fc
    .constantFrom({}, { tracebloc: { createdAt: "" } }, { tracebloc: { createdAt: "", readyAt: "" } })
    .map((clusters) => ({
      is: "here" as const,
      installation: { format: 1, id: "id-1", createdAt: "", version: "1.0.0", clusters },
    })),
);

const anyPort: Arbitrary<PortChoice> = fc.record({
  wished: fc.constant(6550),
  free: fc.constantFrom(6550, 6551, undefined),
});

const anyClusterFacts: Arbitrary<ClusterFacts> = fc.record({
  name: fc.constant("tracebloc"),
  installation: anyFact(anyRecordOfUs),
  cluster: anyFact(anyCluster),
  access: anyFact(anyAccess),
  port: anyFact(anyPort),
});

const anyTool = (tool: Tool): Arbitrary<ToolState> =>
  fc.record({
    usable: fc.constantFrom({ command: tool, version: "5.9.0", from: "PATH" as const }, undefined),
    skipped: fc.constantFrom<readonly string[]>([], [`${tool} on PATH is 1.0, which is older than 5`]),
    pin: fc.constantFrom(pinFor(tool, "linux", "amd64"), undefined),
  });
const anyTools: Arbitrary<ToolFacts> = fc.record({
  k3d: anyFact(anyTool("k3d")),
  helm: anyFact(anyTool("helm")),
  kubectl: anyFact(anyTool("kubectl")),
});

const causes: readonly (Cause | undefined)[] = [
  undefined,
  "read-only",
  "no space",
  "permission",
  "no answer",
  "not mounted",
  "mode ignored",
];

const anyFound = ({ base, path, mode }: Directory): Arbitrary<Found> =>
  fc.oneof(
    fc.record({
      is: fc.constant("directory" as const),
      mode: fc.constantFrom(mode, "0755", "0777"),
      uid: fc.constantFrom(0, 1000),
      gid: fc.constant(1000),
    }),
    fc.constantFrom(base, path).map((step) => ({ is: "absent" as const, step })),
    fc
      .constantFrom("a symlink" as const, "no directory" as const)
      .map((kind) => ({ is: "in the way" as const, step: path, kind })),
    fc.constant({ is: "unreadable" } as const),
  );

const anyFileSystem: Arbitrary<FileSystem | undefined> = fc.constantFrom(
  undefined,
  { at: "/tracebloc", source: "/dev/vda", type: "ext4", options: "rw,relatime" },
  { at: "/tracebloc", source: "/dev/vda", type: "ext4", options: "ro,relatime" },
);

const anyEntry = (directory: Directory): Arbitrary<Entry> =>
  fc.record({
    found: anyFound(directory),
    mount: anyFileSystem,
    cause: fc.constantFrom(...causes),
    said: fc.constant(""),
  });

const anyStorage = (release: string): Arbitrary<StorageFacts> =>
  fc
    .tuple(
      ...candidatesOf(release).map((directory) => anyFact(anyEntry(directory)).map((seen) => ({ directory, seen }))),
    )
    .map((directories) => ({ directories }));

const statuses: readonly ReleaseStatus[] = [
  "unknown",
  "deployed",
  "uninstalled",
  "superseded",
  "failed",
  "uninstalling",
  "pending-install",
  "pending-upgrade",
  "pending-rollback",
];

const anyRelease: Arbitrary<ReleaseRecord> = fc.record({
  name: fc.constantFrom("tracebloc", "edge"),
  namespace: fc.constantFrom("tracebloc", "edge"),
  revision: fc.constantFrom(1, 7),
  status: fc.constantFrom(...statuses),
  labels: fc.constantFrom({}, { [wishesLabel]: "0123" }),
  lastDeployed: fc.constantFrom(1_796_000_000_000, undefined),
  secret: fc.constant("sh.helm.release.v1.tracebloc.v1"),
  content: fc.oneof(
    fc.constant({ unreadable: "its record is damaged" }),
    fc.record({
      chart: fc.constantFrom("client", "nginx"),
      chartVersion: fc.constantFrom("2.0.0", "1.9.62"),
      values: fc.constantFrom({}, { clientId: "client-1", clientPassword: "old" }, { clientId: "client-2" }),
    }),
  ),
});

/** The three workloads, or some of them, more or less ready. */
const anyDeployments: Arbitrary<readonly Deployment[]> = fc
  .array(
    fc.tuple(fc.constantFrom(...workloadNames("tracebloc"), "other"), fc.constantFrom(0, 1), fc.constantFrom(0, 1, 2)),
    {
      maxLength: 4,
    },
  )
  .map((some) =>
    some.map(([name, replicas, available]) => ({
      metadata: { name, namespace: "tracebloc", generation: 2 },
      spec: { replicas },
      status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: available },
    })),
  );

const anyReleaseFacts: Arbitrary<ReleaseFacts> = fc.record({
  // As records are read: one for each release.
  records: anyFact(fc.uniqueArray(anyRelease, { maxLength: 2, selector: (one) => `${one.namespace}/${one.name}` })),
  deployments: anyFact(anyDeployments),
});

const host: HostFacts = {
  standpoint: standpointOn("linux"),
  engine: unknown("exit code 125", "docker info"),
  machine: { memoryBytes: 2 ** 35, cpus: 8 },
  engineIsHere: unknown("", ""),
  engineSpace: unknown("", ""),
  dataDir: unknown("", ""),
  dataSpace: unknown("", ""),
  dataMount: unknown("", ""),
  datasetDir: undefined,
  missingHelpers: unknown("", ""),
  inotify: undefined,
};
const engine = {
  version: "28.2.2",
  api: "1.50",
  system: "Docker Desktop",
  kernel: "6.1",
  hostname: "box",
  memoryBytes: 2 ** 34,
  cpus: 8,
  rootDir: "/var/lib/docker",
  rootless: false,
};
const anyHost: Arbitrary<HostFacts | undefined> = fc.constantFrom<(HostFacts | undefined)[]>(
  undefined,
  host,
  { ...host, engine: known({ is: "ready", engine }, "") },
  { ...host, engine: known({ is: "ready", engine: { ...engine, memoryBytes: 2 ** 31 } }, "") },
  { ...host, engine: known({ is: "troubled", trouble: { kind: "not-running", said: "" } }, "") },
);

export const anyFacts: Arbitrary<Facts> = fc.record({
  host: anyHost,
  engine: fc.constantFrom(undefined, {
    reason: "ENGINE_NOT_RUNNING" as const,
    room: "host" as const,
    says: "Docker is not running",
    remedies: [{ says: "start it" }],
  }),
  tools: anyTools,
  cluster: anyClusterFacts,
  folders: anyFact(fc.constantFrom<readonly string[]>([], ["/home/ada/.tracebloc/tracebloc/data"])),
  storage: fc.constantFrom("tracebloc", "edge").chain(anyStorage),
  users: anyFact(
    fc.constantFrom<readonly User[]>(
      [],
      [{ container: "k3d-other-server-0", cluster: "other" }],
      [{ container: "backup", cluster: undefined }],
    ),
  ),
  release: anyReleaseFacts,
});

/** A setting as a person gave it, or as it is by default. */
function anyWish<Key extends keyof Wishes>(
  key: Key,
  ...asked: readonly Wishes[Key]["value"][]
): Arbitrary<Wishes[Key]> {
  const given = asked.map((value) => ({ value, origin: { from: "flag", name: `--${key}` } }) as Wishes[Key]);
  return fc.constantFrom(defaults[key], ...given);
}

const anyWishes: Arbitrary<Wishes> = fc.record({
  ...(Object.fromEntries(Object.entries(defaults).map(([key, wish]) => [key, fc.constant(wish)])) as {
    [Key in keyof Wishes]: Arbitrary<Wishes[Key]>;
  }),
  namespace: anyWish("namespace", "tracebloc", "edge"),
  dataDir: anyWish("dataDir", "/srv/data"),
  datasetDir: anyWish("datasetDir", "/srv/datasets"),
  storageMode: anyWish("storageMode", "hostpath", "node-local"),
  clientId: anyWish("clientId", "client-1", "client-2"),
  clientPassword: anyWish("clientPassword", "old", "new"),
  apiPort: anyWish("apiPort", 6550),
});

export const anyAsked: Arbitrary<Asked> = fc.record({
  wishes: anyWishes,
  file: fc.constantFrom({}, { env: { CLIENT_ENV: "dev" } }),
  force: fc.boolean(),
  platform: fc.constantFrom(...platformNames).map((name) => platformOf(name)),
});
