import { nodeName, type Member, type Node } from "./node.ts";

/** Every state that a cluster of one name can be in. Closed: what fits none of these is unknown. */
export type ClusterState =
  | { is: "absent" }
  | { is: Standing; node: Node; members: readonly Member[] }
  /** Containers of the cluster, but no server node. */
  | { is: "incomplete"; members: readonly Member[] }
  /** A container has the node's name, and k3d did not make it for this cluster. */
  | { is: "foreign"; node: Node };

export type Standing = "running" | "stopped" | "partly stopped" | "paused" | "restarting" | "half created";

/** What k3d starts and stops. Its tools container comes and goes, registries are shared. */
const lastingRoles = new Set(["server", "agent", "loadbalancer"]);

/**
 * The state of a cluster from two looks at the engine: pure. `node` is undefined where the engine says that there is no
 * such container. Two looks that contradict each other fell into a change, and say so.
 */
export function clusterState(
  cluster: string,
  members: readonly Member[],
  node: Node | undefined,
): ClusterState | { unclear: string } {
  if (node === undefined) {
    const listed = members.find(({ name }) => name === nodeName(cluster));
    if (listed !== undefined) {
      return { unclear: `${listed.name} is listed and cannot be inspected: it is being made or removed` };
    }
    return members.length === 0 ? { is: "absent" } : { is: "incomplete", members };
  }
  if (node.cluster !== cluster) return { is: "foreign", node };
  if (node.state === "removing") return { unclear: `${node.name} is being removed` };
  if (node.state === "dead") return { is: "incomplete", members };
  return { is: standing(members, node), node, members };
}

function standing(members: readonly Member[], node: Node): Standing {
  if (node.state === "restarting") return "restarting";
  if (node.startedAt === undefined) return "half created";
  const others = members
    .filter(({ name, role }) => lastingRoles.has(role) && name !== node.name)
    .map(({ state }) => state);
  const states = [node.state, ...others];
  if (states.includes("paused")) return "paused";
  const isUp = (state: string) => state === "running" || state === "restarting";
  if (states.every(isUp)) return "running";
  return states.some(isUp) ? "partly stopped" : "stopped";
}
