/** A Deployment, as far as readiness needs it. */
export type Deployment = {
  metadata: { name: string; namespace: string; generation?: number };
  spec?: { replicas?: number; selector?: { matchLabels?: Record<string, string> } };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
  };
};

export type Workload = {
  name: string;
  /** `missing`: the cluster has no such Deployment. `stopped`: someone scaled it to 0. */
  state: "ready" | "waiting" | "stopped" | "missing";
  says: string;
};

/** The Deployments that make up a client; the rest of the chart serves these. */
export function workloadNames(release: string): readonly string[] {
  return ["mysql-client", `${release}-jobs-manager`, `${release}-requests-proxy`];
}

/** The state of each workload of a release, from the Deployments of its namespace. Pure. */
export function readWorkloads(deployments: readonly Deployment[], release: string, namespace: string): Workload[] {
  return workloadNames(release).map((name) => {
    const deployment = deployments.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    return deployment === undefined ? { name, state: "missing", says: "does not exist" } : readWorkload(deployment);
  });
}

/**
 * Ready as `kubectl rollout status` means it: the controller has seen the newest spec, every replica is of it and
 * available, and none of the one before is left. Old pods that still answer beside new ones that cannot start are not ready.
 */
function readWorkload({ metadata, spec, status = {} }: Deployment): Workload {
  const name = metadata.name;
  const wanted = spec?.replicas ?? 1;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  if (wanted === 0) return { name, state: "stopped", says: "is scaled to 0 replicas" };
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    return { name, state: "waiting", says: "its newest version is not rolled out yet" };
  }
  if (updatedReplicas < wanted) {
    return { name, state: "waiting", says: `${updatedReplicas} of ${wanted} pods are of the newest version` };
  }
  if (replicas > updatedReplicas) return { name, state: "waiting", says: "pods of the version before are still there" };
  if (availableReplicas < wanted) {
    return { name, state: "waiting", says: `${availableReplicas} of ${wanted} pods are ready` };
  }
  return { name, state: "ready", says: "ready" };
}
