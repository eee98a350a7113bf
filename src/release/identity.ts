import type { Finding } from "../engine/finding.ts";
import { quote } from "../platform/shell.ts";
import type { ReleaseRecord } from "./helm-records.ts";

/** The chart that makes a release a tracebloc client, whoever installed it. */
export const clientChart = "client";

/** What a run asks for: the name it would give, and who it is for. */
export type Wanted = {
  namespace: string;
  /** True where a person named the namespace, so that another one is a difference to be told. */
  namespaceAsked: boolean;
  clientId: string | undefined;
};

/** A release that this run may touch, or the place of one that is to be made. */
export type Target = { name: string; namespace: string; record: ReleaseRecord | undefined };

/**
 * Which release a run is about: pure, from every release of the cluster. One client per cluster.
 * A client with the wished id is taken where it is, since two clients of one id would be counted twice;
 * another id, an unreadable record, a second client or another chart under our name is refused.
 */
export function chooseTarget(records: readonly ReleaseRecord[], wanted: Wanted): Target | { refusal: Finding } {
  const living = records.filter((record) => record.status !== "uninstalled");
  const unreadable = living.find((record) => "unreadable" in record.content);
  const clients = living.filter((record) => "chart" in record.content && record.content.chart === clientChart);
  const inTheWay = living.find((record) => record.namespace === wanted.namespace && record.name === wanted.namespace);

  if (unreadable !== undefined) return { refusal: isDamaged(unreadable, unreadableWhy(unreadable)) };
  if (inTheWay !== undefined && !clients.includes(inTheWay)) return { refusal: isOfAnotherChart(inTheWay) };

  const [client, second] = clients;
  if (client === undefined) return { name: wanted.namespace, namespace: wanted.namespace, record: undefined };
  if (second !== undefined) return { refusal: areSeveral(clients) };

  const id = clientIdOf(client);
  if (id === undefined) return { refusal: isUnreadable(client, "it holds no client id") };
  const isAnother =
    wanted.clientId === undefined
      ? wanted.namespaceAsked && client.namespace !== wanted.namespace
      : id !== wanted.clientId;
  if (isAnother) return { refusal: isOfAnotherClient(client, id, wanted) };
  return { name: client.name, namespace: client.namespace, record: client };
}

/** The client id that a release was installed with; undefined where it has none. */
export function clientIdOf(record: ReleaseRecord): string | undefined {
  const id = "values" in record.content ? record.content.values["clientId"] : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** The end of an id: enough to tell two apart, too little to sign in with. */
export function shortId(id: string): string {
  return id.length > 4 ? `…${id.slice(-4)}` : id;
}

function unreadableWhy(record: ReleaseRecord): string {
  return "unreadable" in record.content ? record.content.unreadable : "";
}

/** Helm passes over a record that it cannot read: \`helm uninstall\` would take the workloads and leave it. */
function isDamaged({ name, namespace, secret }: ReleaseRecord, why: string): Finding {
  const of = `--namespace ${namespace}`;
  return {
    reason: "RELEASE_UNREADABLE",
    room: "release",
    says: `release ${name} in namespace ${namespace} cannot be read: ${why} (secret ${secret})`,
    remedies: [
      { says: "see what it is", command: `kubectl get secret ${secret} ${of} --show-labels` },
      { says: "take that record away; the workloads stay", command: `kubectl delete secret ${secret} ${of}` },
      { says: "then run the same command again", command: "tracebloc install" },
    ],
  };
}

function isUnreadable({ name, namespace }: ReleaseRecord, why: string): Finding {
  return {
    reason: "RELEASE_UNREADABLE",
    room: "release",
    says: `release ${name} in namespace ${namespace} cannot be read: ${why}`,
    remedies: [
      { says: "see what it is", command: `helm status ${name} --namespace ${namespace}` },
      { says: "remove it, if it is not needed", command: `helm uninstall ${name} --namespace ${namespace}` },
    ],
  };
}

function isOfAnotherChart({ name, namespace, content }: ReleaseRecord): Finding {
  const chart = "chart" in content ? content.chart : "unknown";
  return {
    reason: "RELEASE_NOT_OURS",
    room: "release",
    says: `namespace ${namespace} holds release ${name} of chart ${chart}, not a tracebloc client`,
    remedies: [{ says: "use another namespace", command: `tracebloc install --namespace ${namespace}-client` }],
  };
}

function areSeveral(clients: readonly ReleaseRecord[]): Finding {
  const names = clients.map(({ name, namespace }) => `${namespace}/${name}`).join(", ");
  return {
    reason: "RELEASE_OF_ANOTHER_CLIENT",
    room: "release",
    says: `the cluster holds several clients: ${names}`,
    remedies: clients.map(({ name, namespace }) => ({
      says: "remove the one not needed",
      command: `helm uninstall ${name} --namespace ${namespace}`,
    })),
  };
}

function isOfAnotherClient({ namespace }: ReleaseRecord, id: string, wanted: Wanted): Finding {
  const says =
    wanted.clientId === undefined
      ? `the cluster's client (${shortId(id)}) is in namespace ${namespace}, not in ${wanted.namespace}`
      : `namespace ${namespace} holds a client with another id (${shortId(id)})`;
  return {
    reason: "RELEASE_OF_ANOTHER_CLIENT",
    room: "release",
    says,
    remedies: [
      { says: "repair that one", command: `tracebloc install --client-id ${quote("sh", id)} --namespace ${namespace}` },
      { says: "or remove it", command: `tracebloc uninstall --namespace ${namespace}` },
    ],
  };
}
