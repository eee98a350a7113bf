import type { ClusterAction } from "../../../src/cluster/actions.ts";
import type { ApiAnswer } from "../../../src/cluster/api.ts";
import type { Access, ClusterFacts } from "../../../src/cluster/facts.ts";
import type { InstallationRecord } from "../../../src/cluster/installation.ts";
import type { Member, Node } from "../../../src/cluster/node.ts";
import { planCluster } from "../../../src/cluster/plan.ts";
import type { ClusterState, Standing } from "../../../src/cluster/state.ts";
import type { Wishes } from "../../../src/config/wishes.ts";
import { known, notYet, type Fact } from "../../../src/engine/fact.ts";
import type { Action, Done, Planned } from "../../../src/engine/plan.ts";
import { defaults, platform } from "./stand-in.ts";

const asksNothing = () => Promise.reject(new Error("a planner asks nothing"));

export const ours: Node = {
  name: "k3d-tracebloc-server-0",
  cluster: "tracebloc",
  installation: "id-1",
  state: "running",
  createdAt: "2026-11-30T10:00:00Z",
  startedAt: "2026-11-30T10:00:01Z",
  exitCode: 0,
  outOfMemory: false,
  restarts: 0,
  image: "rancher/k3s:v1.35.5-k3s1",
  mounts: [
    {
      type: "bind",
      destination: "/tracebloc",
      source: "/home/ada/.tracebloc",
      asked: "/home/ada/.tracebloc",
      writable: true,
    },
  ],
  api: { host: "127.0.0.1", port: 6550 },
  environment: [],
};
export const adopted: Node = { ...ours, installation: undefined };
export const strangers: Node = { ...adopted, mounts: [] };
export const member: Member = { name: ours.name, state: "running", role: "server", installation: "id-1" };
export const tools: Member = { name: "k3d-tracebloc-tools", state: "created", role: "noRole", installation: undefined };

export const ready: ApiAnswer = { outcome: "answered", status: 200, text: "ok", json: undefined };
export const answers = {
  starting: { outcome: "answered", status: 500, text: "[-]etcd failed\nreadyz check failed", json: undefined },
  refused: { outcome: "refused", why: "refused the connection" },
  silent: { outcome: "timed-out", why: "did not answer within 3 s" },
  broken: { outcome: "broken", why: "broke the connection (socket hang up)" },
  mismatch: { outcome: "mismatch", why: "is not the one that our kubeconfig was made for" },
  unknownUser: { outcome: "answered", status: 401, text: "Unauthorized", json: undefined },
  expired: { outcome: "expired", why: "has a certificate that is not valid now" },
} as const satisfies Record<string, ApiAnswer>;

export const access: Access = {
  kubeconfig: "/state/kubeconfig.yaml",
  context: "k3d-tracebloc",
  host: "127.0.0.1",
  port: 6550,
  api: { get: asksNothing, patch: asksNothing },
};

export function installed(clusters: Record<string, { createdAt: string; readyAt?: string }>): Fact<InstallationRecord> {
  return known(
    { is: "here", installation: { format: 1, id: "id-1", createdAt: "", version: "1.0.0", clusters } },
    "read",
  );
}
export const finished = installed({
  tracebloc: { createdAt: "2026-11-30T10:00:00Z", readyAt: "2026-11-30T10:01:00Z" },
});
export const unfinished = installed({ tracebloc: { createdAt: "2026-11-30T10:00:00Z" } });
export const nowhere: Fact<InstallationRecord> = known({ is: "none" }, "read");

export function facts(state: ClusterState | Fact<ClusterState>, more: Partial<ClusterFacts> = {}): ClusterFacts {
  const cluster = "state" in state ? state : known(state, "docker");
  return {
    name: "tracebloc",
    installation: finished,
    cluster,
    access: notYet("running"),
    port: notYet("absent"),
    ...more,
  };
}
export const absent = (more: Partial<ClusterFacts> = {}) =>
  facts({ is: "absent" }, { installation: nowhere, port: known({ wished: 6550, free: 6550 }, "listen"), ...more });
export const standing = (
  is: Standing,
  node: Node,
  more: Partial<ClusterFacts> = {},
  members: readonly Member[] = [member],
) => facts({ is, node, members }, more);
export const answering = (answer: ApiAnswer, node = ours, more: Partial<ClusterFacts> = {}) =>
  standing("running", node, { access: known({ is: "asked", access, answer }, "GET /readyz"), ...more });

export const done = (...kinds: readonly ClusterAction["do"][]): Done<Action>[] =>
  kinds.map((kind) => ({ action: { do: kind, because: "" }, proof: known({ holds: false, says: "" }, "") }));

export const plan = (seen: ClusterFacts, wishes: Wishes = defaults, before: readonly Done<Action>[] = []) =>
  planCluster(seen, { wishes, platform: platform() }, before);

/** What a plan comes down to: its actions, or the reasons of its refusals. */
export const gist = ({ actions, refusals }: Planned<ClusterAction>) => [
  ...actions.map((action) => action.do),
  ...refusals.map(({ reason }) => reason),
];

export const create: Extract<ClusterAction, { do: "cluster.create" }> = {
  do: "cluster.create",
  because: "no cluster tracebloc exists",
  cluster: "tracebloc",
  image: "rancher/k3s:v1.35.5-k3s1@sha256:2074",
  toolsImage: "ghcr.io/k3d-io/k3d-tools:5.9.0",
  port: 6550,
  anyPort: true,
  dataDir: "/home/ada/.tracebloc",
  datasetDir: undefined,
};
export const remove: ClusterAction = {
  do: "cluster.remove",
  because: "an earlier run began to make cluster tracebloc and did not finish",
  cluster: "tracebloc",
};
