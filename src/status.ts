import { valueOf } from "./engine/fact.ts";
import type { Finding } from "./engine/finding.ts";
import type { Planned } from "./engine/plan.ts";
import { exitCodeOf, exitCodes, type ExitCode, type Reason } from "./engine/reasons.ts";
import type { Facts, InstallAction } from "./install.ts";

/** What `status` says: from the plan that `install` would follow. What it would have to do is what is wrong. */
export type Health = {
  state: "healthy" | "unproven" | "degraded" | "not installed" | "unknown";
  exit: ExitCode;
  findings: readonly Finding[];
};

/** Pure. Exit 0 healthy, 6 stopped or degraded, 3 nothing installed, 4 could not tell. */
export function healthOf(facts: Facts, planned: Planned<InstallAction>, strict: boolean): Health {
  const cluster = facts.cluster.cluster;
  if (cluster.state === "known" && cluster.value.is === "absent") {
    return { state: "not installed", exit: exitCodes.machine, findings: [notInstalled(facts.cluster.name)] };
  }
  const wrong = [...planned.refusals.map(inStatus), ...planned.actions.flatMap((action) => asFinding(action, facts))];
  const findings = [...wrong, ...planned.warnings];
  if (wrong.some(({ reason }) => unanswered.has(reason)) || cluster.state === "unknown") {
    return { state: "unknown", exit: exitCodes.surroundings, findings };
  }
  if (wrong.length > 0) return { state: "degraded", exit: exitCodes.degraded, findings };
  const worst = findings.map(({ reason }) => exitCodeOf(reason, strict)).find((code) => code !== exitCodes.done);
  if (worst !== undefined) return { state: "degraded", exit: exitCodes.degraded, findings };
  const unproven = findings.some(({ reason }) => exitCodeOf(reason, true) !== exitCodes.done);
  return { state: unproven ? "unproven" : "healthy", exit: exitCodes.done, findings };
}

/** Questions that got no answer: nothing is known to be wrong, and nothing to be right. */
const unanswered: ReadonlySet<Reason> = new Set([
  "ENGINE_UNKNOWN",
  "CLUSTER_UNKNOWN",
  "RELEASE_UNKNOWN",
  "KUBECONFIG_UNUSABLE",
]);

/** A client that is missing needs credentials before it can be installed; what is wrong is that it is missing. */
function inStatus(refusal: Finding): Finding {
  return refusal.reason === "CREDENTIALS_MISSING"
    ? finding("RELEASE_MISSING", "release", "the cluster runs and holds no client")
    : refusal;
}

/** What each action of a repair says about the state before it. */
const meanings: { readonly [Kind in Exclude<InstallAction["do"], "release.apply">]: Reason | undefined } = {
  "tools.fetch": undefined,
  "storage.folders": undefined,
  "release.credentials": undefined,
  "cluster.remove": "CLUSTER_INCOMPLETE",
  "cluster.create": undefined,
  "cluster.start": "CLUSTER_STOPPED",
  "cluster.unpause": "NODE_PAUSED",
  "cluster.restart": "API_NOT_ANSWERING",
  "cluster.await": "API_NOT_ANSWERING",
  "cluster.connect": "KUBECONFIG_UNUSABLE",
  "cluster.delete": undefined,
  "storage.prepare": "STORAGE_BLOCKED",
  "release.await": "WORKLOAD_NOT_READY",
};

function asFinding(action: InstallAction, facts: Facts): Finding[] {
  const reason = action.do === "release.apply" ? whyApplied(action, facts) : meanings[action.do];
  const [room] = action.do.split(".") as ["cluster" | "storage" | "release"];
  return reason === undefined ? [] : [finding(reason, room, action.because)];
}

function whyApplied(
  { release, namespace, isNew }: Extract<InstallAction, { do: "release.apply" }>,
  facts: Facts,
): Reason {
  if (isNew) return "RELEASE_MISSING";
  const record = valueOf(facts.release.records)?.find(
    ({ name, namespace: at }) => name === release && at === namespace,
  );
  return record?.status === "failed" ? "RELEASE_FAILED" : "RELEASE_DIFFERS";
}

function finding(reason: Reason, room: Finding["room"], says: string): Finding {
  return { reason, room, says, remedies: [{ says: "repair it", command: "tracebloc install" }] };
}

function notInstalled(cluster: string): Finding {
  return {
    reason: "NOT_INSTALLED",
    room: "cluster",
    says: `there is no cluster ${cluster} on this machine`,
    remedies: [{ says: "install one", command: "tracebloc install" }],
  };
}
