import type { ClusterShape } from "./k3d.ts";
import type { Endpoint } from "./node.ts";

/** What can be done about a cluster. Each carries all that doing it needs, but for what only the machine knows. */
export type ClusterAction =
  | ({ do: "cluster.create"; because: string } & ClusterShape)
  | { do: "cluster.start"; because: string; cluster: string; toolsImage: string }
  | { do: "cluster.unpause"; because: string; cluster: string; containers: readonly string[] }
  /** Lets k3s renew certificates that are past their time: it does so when it starts (B41). */
  | { do: "cluster.restart"; because: string; cluster: string }
  /** Fetches the kubeconfig of a running cluster into our own state. */
  | { do: "cluster.connect"; because: string; cluster: string; api: Endpoint }
  /** Waits, bounded, for a node that is coming up. */
  | { do: "cluster.await"; because: string; cluster: string }
  /** Takes away what a run of ours left half made. */
  | { do: "cluster.remove"; because: string; cluster: string }
  /** Takes away a cluster of ours with all that is in it; what lies in folders of this machine stays. */
  | { do: "cluster.delete"; because: string; cluster: string };
