import { known, notYet, unknown, type Fact } from "../engine/fact.ts";
import type { Machine } from "../engine/machine.ts";
import { waitUntil } from "../engine/wait.ts";
import { firstComplaint, succeeded, type RunResult } from "../process/runner.ts";
import { saysOf, type ApiAnswer } from "./api.ts";
import { inspectNode, listMembers, parseMembers, parseNode, saysNoSuchContainer } from "./docker.ts";
import { leadsTo, type Access, type AccessState, type ClusterFacts } from "./facts.ts";
import { readInstallation } from "./installation.ts";
import { listClusters, parseClusterNames } from "./k3d.ts";
import { nodeName } from "./node.ts";
import { choosePort } from "./port.ts";
import { clusterState, type ClusterState } from "./state.ts";

export type Look = {
  cluster: string;
  /** Where it is there already. Only an absence is put to it, as a second opinion. */
  k3d: string | undefined;
  /** The road by our stored kubeconfig, where there is one: shared with who else reads the API in this run. */
  access: Access | undefined;
  /** The port to try first for a new cluster. */
  port: number;
};

/** An API that is up answers `/readyz` in milliseconds; a wedged one must not hold up the rest. */
const readyLimitMs = 3000;

/**
 * Looks at the cluster: two docker calls and one read of its API, side by side; a healthy machine needs no more, and
 * no k3d. Read-only and bounded. Never throws: what cannot be told is unknown.
 */
export async function observeCluster(on: Machine, look: Look): Promise<ClusterFacts> {
  const name = look.cluster;
  const installation = readInstallation(on.state);
  const [seen, answer] = await Promise.all([
    lookAtContainers(on, name),
    look.access?.api.get("/readyz", { timeoutMs: readyLimitMs }),
  ]);
  tellNode(on, seen.cluster);

  if (seen.cluster.state === "known" && seen.cluster.value.is === "absent") {
    const [opinion, port] = await Promise.all([secondOpinion(on, look), choosePort(look.port)]);
    const access = notYet("the cluster has to be made");
    return { name, installation, ...(opinion ?? seen), access, port: known(port, "listen on 127.0.0.1") };
  }
  const access = accessState(on, seen.cluster, look.access, answer);
  return { name, installation, ...seen, access, port: notYet("only a new cluster needs one") };
}

/** `moves`: the looks fell into a change, and the next ones tell what comes of it. */
type Seen = { cluster: Fact<ClusterState>; complaint?: RunResult };
type Glance = Seen & { moves?: true };

/** What the engine is at takes moments: a removal that goes on for a run that was killed, for one. */
const settleLimitMs = 15_000;

/**
 * The containers of a cluster: its state, or the complaint of the call that left it unknown. Where they are just being
 * made or removed it looks again until they are not, within a bound.
 */
export async function lookAtContainers(on: Machine, cluster: string): Promise<Seen> {
  const first = await lookOnce(on, cluster);
  if (first.moves === undefined) return first;
  const { seen } = await waitUntil<Glance>(
    {
      room: "cluster",
      limitMs: settleLimitMs,
      everyMs: 250,
      waitingFor: (last) => `cluster ${cluster}: ${whyUnknown(last ?? first)}`,
      look: () => lookOnce(on, cluster),
      over: ({ moves }) => moves === undefined,
    },
    on,
  );
  const { moves: _, ...settled } = seen;
  return settled;
}

function whyUnknown({ cluster }: Seen): string {
  return cluster.state === "unknown" ? cluster.why : cluster.value.is;
}

async function lookOnce(on: Machine, cluster: string): Promise<Glance> {
  const how = "docker container ls, docker container inspect";
  const node = nodeName(cluster);
  const [listed, inspected] = await Promise.all([
    on.runner.run({ ...listMembers(cluster), signal: on.stop }),
    on.runner.run({ ...inspectNode(node), signal: on.stop }),
  ]);
  const ms = Math.max(listed.ms, inspected.ms);

  const gone = saysNoSuchContainer(inspected, node);
  const failed = [listed, ...(gone ? [] : [inspected])].find((result) => !succeeded(result));
  if (failed !== undefined) return { cluster: unknown(firstComplaint(failed), how, ms), complaint: failed };
  try {
    const state = clusterState(cluster, parseMembers(listed), gone ? undefined : parseNode(inspected));
    if ("unclear" in state) return { cluster: unknown(state.unclear, how, ms), moves: true };
    return { cluster: known(state, how, ms) };
  } catch (error) {
    return { cluster: unknown(error instanceof Error ? error.message : String(error), how, ms) };
  }
}

/**
 * k3d's own view, before a cluster is made: a k3d that cannot talk to this engine (B04) or that talks to another one
 * would otherwise fail half way. Undefined where it agrees, or is not there to be asked.
 */
async function secondOpinion(on: Machine, { cluster, k3d }: Look): Promise<Seen | undefined> {
  if (k3d === undefined) return undefined;
  const how = "k3d cluster list";
  const listed = await on.runner.run({ ...listClusters(k3d), signal: on.stop });
  if (!succeeded(listed)) {
    return { cluster: unknown(`k3d: ${firstComplaint(listed)}`, how, listed.ms), complaint: listed };
  }
  try {
    if (!parseClusterNames(listed).includes(cluster)) return undefined;
    return { cluster: unknown("k3d lists it, and docker shows none of its containers", how, listed.ms) };
  } catch (error) {
    return { cluster: unknown(`k3d: ${error instanceof Error ? error.message : String(error)}`, how, listed.ms) };
  }
}

/** What the stored kubeconfig is worth, for the node as it is now. */
function accessState(
  on: Machine,
  cluster: Fact<ClusterState>,
  access: Access | undefined,
  answer: ApiAnswer | undefined,
): Fact<AccessState> {
  const how = "GET /readyz";
  if (cluster.state === "unknown") return notYet("the cluster is not known");
  if (cluster.value.is !== "running") return notYet("the cluster has to run");
  if (access === undefined || answer === undefined) return known({ is: "missing" }, "read our kubeconfig");
  const api = cluster.value.node.api;
  if (api === undefined || !leadsTo(access, api)) return known({ is: "elsewhere", access }, "read our kubeconfig");
  const state = answer.outcome === "answered" ? "known" : "unknown";
  on.emit({ type: "fact", room: "cluster", about: "Kubernetes API", state, says: saysOf(answer), ms: 0 });
  return known({ is: "asked", access, answer }, how);
}

function tellNode(on: Machine, cluster: Fact<ClusterState>): void {
  const says = cluster.state === "known" ? cluster.value.is : cluster.why;
  on.emit({ type: "fact", room: "cluster", about: "node", state: cluster.state, says, ms: cluster.seen.ms });
}
