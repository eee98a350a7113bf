import { pullWords } from "../cluster/complaints.ts";
import type { Reason } from "../engine/reasons.ts";

/** A Pod, as far as telling what is wrong with it needs. */
export type Pod = {
  metadata: { name: string; labels?: Record<string, string>; deletionTimestamp?: string };
  status?: {
    phase?: string;
    conditions?: readonly { type: string; status: string; reason?: string; message?: string }[];
    initContainerStatuses?: readonly ContainerStatus[];
    containerStatuses?: readonly ContainerStatus[];
  };
};

type ContainerStatus = {
  name: string;
  ready?: boolean;
  restartCount?: number;
  state?: {
    waiting?: { reason?: string; message?: string };
    terminated?: { reason?: string; exitCode?: number; message?: string };
  };
  lastState?: { terminated?: { reason?: string; exitCode?: number } };
};

/** An Event, as far as it explains a pod that does not exist or does not run. */
export type KubernetesEvent = {
  involvedObject?: { kind?: string; name?: string };
  reason?: string;
  message?: string;
  lastTimestamp?: string | null;
  eventTime?: string | null;
};

/** Why a workload does not become ready: the first thing that is known to stop it. */
export type Trouble = {
  pod: string | undefined;
  /** Set where a log may tell more. */
  container: string | undefined;
  /** Kubernetes' own word: ImagePullBackOff, CrashLoopBackOff, Unschedulable, FailedCreate … */
  cause: string;
  message: string;
  reason: Reason;
  /** Waiting longer does not mend it by itself. */
  lasting: boolean;
  /** When a pull last failed, milliseconds since 1970. */
  atMs?: number;
};

const pullCauses = new Set([
  "ImagePullBackOff",
  "ErrImagePull",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ErrImageInspect",
  "RegistryUnavailable",
]);

/**
 * What keeps a workload's pods from running, or undefined while they are merely starting. Pure.
 * The pods' own state comes first; Events only explain, and only those of a pull may blame certificates (client#424).
 * Without any pod the ReplicaSet's FailedCreate tells why: quota, an admission policy, OpenShift's SCC (B37).
 */
export function findTrouble(
  workload: string,
  pods: readonly Pod[],
  events: readonly KubernetesEvent[],
): Trouble | undefined {
  const own = pods.filter(
    (pod) => belongsTo(pod.metadata.name, workload) && pod.metadata.deletionTimestamp === undefined,
  );
  for (const pod of own) {
    const trouble = troubleOfPod(pod, events);
    if (trouble !== undefined) return trouble;
  }
  if (own.length > 0) return undefined;
  const failedCreate = newest(
    events.filter((event) => event.reason === "FailedCreate" && belongsTo(event.involvedObject?.name ?? "", workload)),
  );
  if (failedCreate === undefined) return undefined;
  return {
    pod: undefined,
    container: undefined,
    cause: "FailedCreate",
    message: failedCreate.message ?? "",
    reason: "WORKLOAD_NOT_READY",
    lasting: true,
  };
}

function troubleOfPod(pod: Pod, events: readonly KubernetesEvent[]): Trouble | undefined {
  const name = pod.metadata.name;
  const about = events.filter((event) => event.involvedObject?.name === name);

  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (unscheduled !== undefined) {
    const { reason: cause = "Unschedulable", message = "" } = unscheduled;
    return {
      pod: name,
      container: undefined,
      cause,
      message,
      reason: "WORKLOAD_NOT_READY",
      lasting: /disk-pressure|Insufficient/.test(message),
    };
  }
  for (const container of [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]) {
    const waiting = container.state?.waiting;
    const cause = waiting?.reason ?? "";
    if (pullCauses.has(cause)) return pullTrouble(name, container.name, cause, waiting?.message ?? "", about);
    if (
      cause === "CrashLoopBackOff" ||
      cause === "RunContainerError" ||
      cause === "CreateContainerError" ||
      cause === "CreateContainerConfigError"
    ) {
      const last = container.lastState?.terminated;
      const ended =
        last === undefined
          ? ""
          : `: ${last.reason ?? "ended"}, exit code ${last.exitCode ?? "unknown"}, restarted ${container.restartCount ?? 0} times`;
      const message = cause === "CrashLoopBackOff" ? `container ${container.name}${ended}` : (waiting?.message ?? "");
      return {
        pod: name,
        container: container.name,
        cause,
        message,
        reason: "WORKLOAD_NOT_READY",
        lasting: cause !== "CrashLoopBackOff",
      };
    }
  }
  const mount = newest(
    about.filter((event) => event.reason === "FailedMount" || event.reason === "FailedAttachVolume"),
  );
  if (mount !== undefined && pod.status?.phase === "Pending") {
    return {
      pod: name,
      container: undefined,
      cause: mount.reason ?? "",
      message: mount.message ?? "",
      reason: "WORKLOAD_NOT_READY",
      lasting: false,
    };
  }
  return undefined;
}

/** B06, B43: three different remedies hide behind one ImagePullBackOff; the pull's own message tells them apart. */
function pullTrouble(
  pod: string,
  container: string,
  cause: string,
  waiting: string,
  events: readonly KubernetesEvent[],
): Trouble {
  const pull = newest(
    events.filter((event) => event.reason === "Failed" && /failed to pull|pull image/i.test(event.message ?? "")),
  );
  const message = pull?.message ?? waiting;
  return {
    pod,
    container: undefined,
    cause,
    message: `${container}: ${message}`,
    reason: pullReason(message),
    lasting: true,
    ...(pull !== undefined && { atMs: timeOf(pull) }),
  };
}

/** Which failure of an image pull a text speaks of. */
export function pullReason(text: string): Reason {
  const reasons = Object.keys(pullWords) as (keyof typeof pullWords)[];
  return reasons.find((reason) => pullWords[reason].test(text)) ?? "IMAGE_PULL_FAILED";
}

/** `<deployment>-<replicaset>-<pod>`: exact, since `mysql-client` must not answer for `mysql-client-2`. */
function belongsTo(name: string, workload: string): boolean {
  return name.startsWith(`${workload}-`) && /^[a-z0-9]+(-[a-z0-9]{5})?$/.test(name.slice(workload.length + 1));
}

function newest(events: readonly KubernetesEvent[]): KubernetesEvent | undefined {
  return [...events].sort((one, other) => timeOf(one) - timeOf(other)).at(-1);
}

function timeOf({ lastTimestamp, eventTime }: KubernetesEvent): number {
  return Date.parse(lastTimestamp ?? eventTime ?? "") || 0;
}
