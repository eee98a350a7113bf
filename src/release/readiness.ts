import type { Api } from "../cluster/api.ts";
import { giveLogin } from "../cluster/complaints.ts";
import { valueOf } from "../engine/fact.ts";
import type { Finding, Remedy } from "../engine/finding.ts";
import { within, type Machine } from "../engine/machine.ts";
import type { Reason } from "../engine/reasons.ts";
import { waitUntil } from "../engine/wait.ts";
import { read, readList } from "./observe.ts";
import { notReady } from "./plan.ts";
import { findTrouble, type KubernetesEvent, type Pod, type Trouble } from "./trouble.ts";
import { readWorkloads, type Deployment, type Workload } from "./workloads.ts";

/** Images of some hundred megabytes over a slow line; the installer before this one learnt that 300 s are too few. */
const readyLimitMs = 600_000;
const everyMs = 1_000;
/** Lasting trouble of every late workload for so long ends the wait: nothing will mend it by itself. */
const patienceMs = 45_000;

type Seen = { why: string | undefined; late: readonly (Workload & { trouble: Trouble | undefined })[] };

/** What a release needs to be looked at. */
export type Where = { release: string; namespace: string };

/** Waits until every workload is ready, the bound passes, or nothing but lasting trouble is left. Gives what keeps them, none when ready. */
export async function awaitWorkloads(where: Where, api: Api, on: Machine): Promise<readonly Finding[]> {
  let stuckSinceMs: number | undefined;
  const began = Date.now();
  const { seen } = await waitUntil<Seen>(
    {
      room: "release",
      limitMs: readyLimitMs,
      everyMs,
      waitingFor: (last) => (last === undefined ? "the workloads" : (describe(last) ?? "the workloads")),
      look: () => look(where, api, on),
      over: ({ why, late }) => {
        if (why === undefined && late.length === 0) return true;
        const isStuck = late.length > 0 && late.every((workload) => isHopeless(workload, began));
        stuckSinceMs = isStuck ? (stuckSinceMs ?? on.now()) : undefined;
        return stuckSinceMs !== undefined && on.now() - stuckSinceMs >= patienceMs;
      },
    },
    on,
  );
  if (seen.why !== undefined) return [cannotTell(seen.why)];
  return Promise.all(seen.late.map(async (workload) => withEvidence(workload, where, api, on)));
}

/** Nothing that is waited for would come: nobody starts what was scaled to nothing, or what is not there. */
function isHopeless({ state, trouble }: Seen["late"][number], began: number): boolean {
  // Refused before this wait, with a password that may have been replaced since: the kubelet tries again by itself.
  if (trouble?.reason === "IMAGE_PULL_DENIED" && (trouble.atMs ?? began) < began) return false;
  return state === "stopped" || state === "missing" || trouble?.lasting === true;
}

/** One look at the workloads, with the trouble of those that are late; nothing to wait for when all are ready. */
export async function lookAtWorkloads(where: Where, api: Api, on: Machine): Promise<readonly Finding[]> {
  const { why, late } = await look(where, api, on);
  if (why !== undefined) return [cannotTell(why)];
  return Promise.all(late.map(async (workload) => withEvidence(workload, where, api, on)));
}

async function look({ release, namespace }: Where, api: Api, on: Machine): Promise<Seen> {
  const deployments = await read(api, `/apis/apps/v1/namespaces/${namespace}/deployments`, "Deployments", on, (json) =>
    readList<Deployment>(json),
  );
  if (deployments.state === "unknown") return { why: deployments.why, late: [] };
  const late = readWorkloads(deployments.value, release, namespace).filter(({ state }) => state !== "ready");
  if (late.length === 0) return { why: undefined, late: [] };
  const [pods, events] = await Promise.all([
    read(api, `/api/v1/namespaces/${namespace}/pods`, "Pods", on, (json) => readList<Pod>(json)),
    read(api, `/api/v1/namespaces/${namespace}/events`, "Events", on, (json) => readList<KubernetesEvent>(json)),
  ]);
  const troubled = late.map((workload) => ({
    ...workload,
    trouble: findTrouble(workload.name, valueOf(pods) ?? [], valueOf(events) ?? []),
  }));
  return { why: undefined, late: troubled };
}

/** `mysql-client: ImagePullBackOff` for the first that has trouble, else what the first one lacks. */
function describe({ why, late }: Seen): string | undefined {
  const [first] = late.toSorted(
    (one, other) => Number(other.trouble !== undefined) - Number(one.trouble !== undefined),
  );
  return why ?? (first === undefined ? undefined : `${first.name}: ${first.trouble?.cause ?? first.says}`);
}

/** A workload that is not ready, with pod, cause and the last lines of the container that ended (B10: a timeout is no reason). */
async function withEvidence(
  { trouble, ...workload }: Seen["late"][number],
  { namespace }: Where,
  api: Api,
  on: Machine,
): Promise<Finding> {
  if (workload.state === "stopped" || trouble === undefined) return notReady(workload, namespace);
  const { pod, container, cause, message, reason, lasting } = trouble;
  const subject = pod === undefined ? `deployment/${workload.name}` : `pod/${pod}`;
  const base = notReady(workload, namespace);
  return {
    ...base,
    reason,
    says: `${workload.name}: ${cause}`,
    details: [
      message,
      ...(pod !== undefined && container !== undefined ? await lastLines(namespace, pod, container, api, on) : []),
    ].filter((line) => line !== ""),
    remedies: [
      ...(pullRemedies[reason] ?? []),
      { says: "see more", command: `kubectl describe ${subject} --namespace ${namespace}` },
      // The hash of wishes tells nothing of what somebody changed with kubectl.
      ...(lasting
        ? [{ says: "have Helm put back what was changed by hand", command: "tracebloc install --force" }]
        : []),
      ...base.remedies,
    ],
  };
}

/** For pulls of the node, whose trust is not the engine's. */
const pullRemedies: Partial<Record<Reason, readonly Remedy[]>> = {
  IMAGE_PULL_DENIED: [giveLogin],
  IMAGE_PULL_TLS: [
    {
      says: "set TRACEBLOC_CA_BUNDLE to the PEM file of its CA, remove the cluster (folders of this machine stay), then install",
      command: "tracebloc uninstall",
    },
  ],
};

/** A line of a log may be without end. */
const mostLogBytes = 20_000;

async function lastLines(namespace: string, pod: string, container: string, api: Api, on: Machine): Promise<string[]> {
  const log = (previous: boolean) =>
    api.get(
      `/api/v1/namespaces/${namespace}/pods/${pod}/log?container=${container}&tailLines=5&limitBytes=${mostLogBytes}${previous ? "&previous=true" : ""}`,
      { timeoutMs: within(on, 5_000) },
    );
  for (const previous of [true, false]) {
    const answer = await log(previous);
    if (answer.outcome === "answered" && answer.status === 200 && answer.text.trim() !== "") {
      return answer.text.trim().split("\n");
    }
  }
  return [];
}

function cannotTell(why: string): Finding {
  return {
    reason: "WORKLOAD_NOT_READY",
    room: "release",
    says: `whether the workloads are ready could not be told: ${why}`,
    remedies: [{ says: "run the same command again", command: "tracebloc install" }],
  };
}
