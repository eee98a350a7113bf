import type { Fact } from "../engine/fact.ts";
import type { RunResult } from "../process/runner.ts";
import type { ApiAnswer, ChangingApi } from "./api.ts";
import type { InstallationRecord } from "./installation.ts";
import type { Endpoint } from "./node.ts";
import type { ClusterState } from "./state.ts";

/** What is known of the cluster of one name. */
export type ClusterFacts = {
  name: string;
  /** Who we are here, and what we began to make. */
  installation: Fact<InstallationRecord>;
  cluster: Fact<ClusterState>;
  /** The call that left the cluster unknown, as it was answered: the host room tells what it says about the engine. */
  complaint?: RunResult;
  /** The stored kubeconfig, and what the API answered to it. */
  access: Fact<AccessState>;
  /** Asked only where the cluster is absent. */
  port: Fact<PortChoice>;
};

/** The road to the API of a cluster: where its kubeconfig is stored, and the API read with it. Holds no secret itself. */
export type Access = {
  /** Path of the kubeconfig, 0600. Every helm and kubectl call names it, and the context. */
  kubeconfig: string;
  context: string;
  host: string;
  port: number;
  api: ChangingApi;
};

/** True where a stored road ends at the place where the node publishes its API now. */
export function leadsTo(access: Access, api: Endpoint): boolean {
  return access.host === api.host && access.port === api.port;
}

export type AccessState =
  /** No kubeconfig of ours, or none that can be read. */
  | { is: "missing" }
  /** It leads to another port than the node's, `answer` to what was there. */
  | { is: "elsewhere"; access: Access }
  | { is: "asked"; access: Access; answer: ApiAnswer };

/** Ports of 127.0.0.1 for a new cluster's API: the one wished for, and the first free one from there on. */
export type PortChoice = { wished: number; free: number | undefined };
