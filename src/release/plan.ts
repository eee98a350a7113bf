import type { Wishes } from "../config/wishes.ts";
import type { Fact } from "../engine/fact.ts";
import type { Finding, Remedy } from "../engine/finding.ts";
import { nothing, type Done, type Planned } from "../engine/plan.ts";
import { bundledChart } from "./chart.ts";
import { changesOfFixed } from "./fixed.ts";
import type { ReleaseRecord } from "./helm-records.ts";
import { chooseTarget, type Target } from "./identity.ts";
import { notBroughtAbout } from "./ignored.ts";
import { hashWishes, wishesLabel } from "./values.ts";
import { isAdopted, passwordDiffers, secretsDiffer, wantedValues, type ReleaseWishes } from "./wanted.ts";
import { readWorkloads, type Deployment, type Workload } from "./workloads.ts";

export type ReleaseFacts = {
  records: Fact<readonly ReleaseRecord[]>;
  deployments: Fact<readonly Deployment[]>;
};

export type ReleaseAction =
  /** Asks the backend whether it knows the client, before anything is made for it. */
  | { do: "release.credentials"; because: string; clientId: string; backend: string }
  | { do: "release.apply"; because: string; release: string; namespace: string; isNew: boolean; wishes: string }
  | { do: "release.await"; because: string; release: string; namespace: string };

/** The release that the run is about, or what stands in its way. Undefined while the releases are not known. */
export function targetOf(facts: ReleaseFacts, { wishes }: ReleaseWishes): Target | { refusal: Finding } | undefined {
  if (facts.records.state === "unknown") return undefined;
  return chooseTarget(facts.records.value, {
    namespace: wishes.namespace.value,
    namespaceAsked: wishes.namespace.origin.from !== "default",
    clientId: wishes.clientId.value,
  });
}

/**
 * What the release needs, once the cluster answers. Helm runs when the release is absent, failed, or made from other
 * wishes; an adopted or older chart stays as it is, with a hint, until `--force` (or `upgrade`).
 */
export function planRelease(
  facts: ReleaseFacts,
  asked: ReleaseWishes,
  done: readonly Done<{ do: string; because: string }>[],
): Planned<ReleaseAction> {
  if (facts.records.state === "unknown") return refuse(cannotTell(facts.records.why));
  const target = targetOf(facts, asked);
  if (target === undefined || "refusal" in target) return target === undefined ? nothing : refuse(target.refusal);

  const because = whyApply(target, asked);
  const wasApplied = done.some(({ action }) => action.do === "release.apply");
  if (because !== undefined && !wasApplied) return planApply(target, asked, because, done);
  if (target.record !== undefined && isPending(target.record)) return refuse(isInPending(target.record));
  return planWorkloads(facts, target, asked, done);
}

/** A new client must be able to sign in: asked before the cluster is made, so that a typing error costs seconds and leaves nothing behind. */
export function planCredentials(
  { wishes }: ReleaseWishes,
  done: readonly Done<{ do: string; because: string }>[],
): Planned<ReleaseAction> {
  const { clientId, clientPassword, backendUrl } = wishes;
  if (clientId.value === undefined || clientPassword.value === undefined) return refuse(credentialsMissing(wishes));
  if (done.some(({ action }) => action.do === "release.credentials")) return nothing;
  const because = "a client must be able to sign in";
  return {
    ...nothing,
    actions: [{ do: "release.credentials", because, clientId: clientId.value, backend: backendUrl.value }],
  };
}

/** What a plan says of the release before the cluster is there. */
export function releaseLater(asked: ReleaseWishes): string {
  return `install chart ${chartOf(asked)} in namespace ${asked.wishes.namespace.value}`;
}

/** The chart of a new release, for a person. */
export function chartOf({ wishes }: ReleaseWishes): string {
  return wishes.chart.value ?? `${bundledChart.name} ${bundledChart.version}`;
}

function planApply(
  target: Target,
  asked: ReleaseWishes,
  because: string,
  done: readonly Done<{ do: string; because: string }>[],
): Planned<ReleaseAction> {
  const isNew = target.record === undefined;
  if (target.record !== undefined && isPending(target.record)) return refuse(isInPending(target.record));
  const isAsked = isNew || passwordDiffers(target.record, asked.wishes) || (asked.force && areGiven(asked.wishes));
  const credentials = isAsked ? planCredentials(asked, done) : nothing;
  const { name: release, namespace } = target;
  const wanted = wantedValues(target.record, asked);
  const refusals = target.record === undefined ? [] : changesOfFixed(target.record, wanted);
  if (refusals.length > 0) return { ...nothing, refusals };
  const wishes = hashWishes(wanted);
  return {
    ...credentials,
    actions: [...credentials.actions, { do: "release.apply", because, release, namespace, isNew, wishes }],
    then: ["wait until the workloads are ready"],
  };
}

/** The reason to run Helm, in a person's words, or undefined. */
function whyApply({ record, namespace }: Target, asked: ReleaseWishes): string | undefined {
  if (record === undefined) return `no release exists in namespace ${namespace}`;
  if (record.status === "failed") return `revision ${record.revision} failed`;
  if (record.status === "superseded") return `the record of the revision after ${record.revision} is gone`;
  if (asked.force) return "asked for with --force";
  // Another's chart is not exchanged for ours on the way to a changed setting: that is for the person to ask for.
  if (isAdopted(record)) return undefined;
  if (passwordDiffers(record, asked.wishes)) return "the client's password changed";
  if (secretsDiffer(record, asked)) return "a password in the values changed";
  if (record.labels[wishesLabel] === hashWishes(wantedValues(record, asked))) return undefined;
  return "what is asked for differs from what the release was made from";
}

/** With --force they are asked about once more: they may have been taken unverified. */
function areGiven({ clientId, clientPassword }: Wishes): boolean {
  return clientId.value !== undefined && clientPassword.value !== undefined;
}

function planWorkloads(
  facts: ReleaseFacts,
  target: Target,
  asked: ReleaseWishes,
  done: readonly Done<{ do: string; because: string }>[],
): Planned<ReleaseAction> {
  const { name: release, namespace } = target;
  const warnings =
    target.record === undefined ? [] : [...olderChart(target.record), ...notBroughtAbout(target.record, asked, done)];
  if (facts.deployments.state === "unknown") return { ...refuse(cannotTell(facts.deployments.why)), warnings };
  const late = readWorkloads(facts.deployments.value, release, namespace).filter(({ state }) => state !== "ready");
  if (late.length === 0) return { ...nothing, warnings };

  // Nothing that a wait could end: somebody scaled it to 0, or took it away.
  if (late.every(({ state }) => state !== "waiting")) {
    return { ...nothing, warnings: [...warnings, ...late.map((workload) => notReady(workload, namespace))] };
  }
  const waited = done.find(({ action }) => action.do === "release.await");
  if (waited !== undefined) {
    return { ...nothing, warnings: [...warnings, ...foundWhileWaiting(waited, late, namespace)] };
  }
  const because = late.map(({ name, says }) => `${name}: ${says}`).join("; ");
  return { ...nothing, warnings, actions: [{ do: "release.await", because, release, namespace }] };
}

/** The wait has looked closer (pods, events, logs) than the Deployments tell: its findings come first. */
function foundWhileWaiting(
  { proof }: Done<{ do: string; because: string }>,
  late: readonly Workload[],
  namespace: string,
): readonly Finding[] {
  const found = proof.state === "known" ? (proof.value.warnings ?? []) : [];
  return found.length > 0 ? found : late.map((workload) => notReady(workload, namespace));
}

/** A workload that is not ready, as a finding without a known cause. */
export function notReady({ name, state, says }: Workload, namespace: string): Finding {
  const remedies: Readonly<Record<Workload["state"], Remedy>> = {
    ready: again,
    waiting: again,
    stopped: {
      says: "start it again",
      command: `kubectl scale deployment/${name} --namespace ${namespace} --replicas 1`,
    },
    // Helm changes nothing where its own record is as it should be.
    missing: { says: "have it made again", command: "tracebloc install --force" },
  };
  return { reason: "WORKLOAD_NOT_READY", room: "release", says: `${name}: ${says}`, remedies: [remedies[state]] };
}

const again: Remedy = {
  says: "when the machine has settled, run the same command again",
  command: "tracebloc install",
};

function isPending(record: ReleaseRecord): boolean {
  return record.status.startsWith("pending-") || record.status === "uninstalling";
}

function isInPending({ name, namespace, status, revision, lastDeployed }: ReleaseRecord): Finding {
  const since = lastDeployed === undefined ? "" : ` since ${new Date(lastDeployed).toISOString()}`;
  const road = `--namespace ${namespace}`;
  const undo =
    status === "pending-install" || status === "uninstalling"
      ? { says: "if none is, remove what it left (data stays)", command: `helm uninstall ${name} ${road}` }
      : { says: "if none is, go back to the revision that worked", command: `helm rollback ${name} ${road}` };
  return {
    reason: "RELEASE_PENDING",
    room: "release",
    says: `revision ${revision} of ${name} is ${status}${since}: a Helm operation is running or was cut off`,
    remedies: [
      { says: "see whether one is running", command: `helm history ${name} ${road}` },
      undo,
      { says: "then run the same command again", command: "tracebloc install" },
    ],
  };
}

function olderChart({ name, content }: ReleaseRecord): Finding[] {
  if (!("chart" in content) || content.chartVersion === bundledChart.version) return [];
  return [
    {
      reason: "CHART_OLDER",
      room: "release",
      says: `release ${name} runs chart ${content.chart} ${content.chartVersion}; this version brings ${bundledChart.version}`,
      remedies: [{ says: "it stays as it is; to change it", command: "tracebloc install --force" }],
    },
  ];
}

function credentialsMissing(wishes: Wishes): Finding {
  const missing = wishes.clientId.value === undefined ? "client id" : "password";
  return {
    reason: "CREDENTIALS_MISSING",
    room: "release",
    says: `a new client needs a client id and a password; there is no ${missing}`,
    remedies: [
      { says: "set TRACEBLOC_CLIENT_ID and TRACEBLOC_CLIENT_PASSWORD, then run it again" },
      { says: "or run it on a terminal, where it asks", command: "tracebloc install" },
    ],
  };
}

/** Whether there is a release could not be told, so that none is made, changed or removed. */
export function cannotTell(why: string): Finding {
  return {
    reason: "RELEASE_UNKNOWN",
    room: "release",
    says: `whether the cluster holds a release could not be told: ${why}`,
    remedies: [{ says: "see what is in the way, then run the same command again", command: "tracebloc doctor" }],
  };
}

function refuse(refusal: Finding): Planned<never> {
  return { ...nothing, refusals: [refusal] };
}
