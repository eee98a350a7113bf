import { gunzipSync } from "node:zlib";

/** What Helm says of a revision. `unknown` is Helm's own word. */
const statuses = [
  "unknown",
  "deployed",
  "uninstalled",
  "superseded",
  "failed",
  "uninstalling",
  "pending-install",
  "pending-upgrade",
  "pending-rollback",
] as const;
export type ReleaseStatus = (typeof statuses)[number];

/** The newest revision of one release, as Helm recorded it in the cluster. */
export type ReleaseRecord = {
  name: string;
  namespace: string;
  revision: number;
  status: ReleaseStatus;
  /** Labels given with `helm upgrade --labels`; ours holds the hash of the wishes. */
  labels: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch, where Helm's time could be read. */
  lastDeployed: number | undefined;
  /** What the record holds inside; `unreadable` says why it could not be opened. */
  content: { chart: string; chartVersion: string; values: Readonly<Record<string, unknown>> } | { unreadable: string };
  /** The Secret that holds the record. */
  secret: string;
};

const everyRecord = "/api/v1/secrets?fieldSelector=type%3Dhelm.sh%2Frelease.v1&labelSelector=owner%3Dhelm";

/** The path that lists every revision of every release, those included that a newer one took the place of. */
export const allRecordsPath = everyRecord;

/**
 * The path that lists every current revision of every release: Helm keeps each as a Secret of this type, and marks
 * all but the newest ones `superseded`. One read of some 20 ms in place of `helm list`, `helm status` and `helm get values`.
 */
export const releaseRecordsPath = `${everyRecord}%2Cstatus%21%3Dsuperseded`;

const ownLabels = new Set(["owner", "name", "status", "version", "modifiedAt", "createdAt"]);

/**
 * Reads the answer to one of these paths: the newest revision of each release. One that failed stands with the values of
 * the revision that is deployed, where there is one, as Helm's `--reuse-values` has it: what made it fail is asked for
 * again by nobody but the person.
 * Throws `TypeError` when the answer is not a list of Secrets: an answer that cannot be read is no empty list.
 */
export function readReleaseRecords(answer: unknown): ReleaseRecord[] {
  const items = (answer as { items?: unknown } | null)?.items;
  if (!Array.isArray(items)) throw new TypeError("the API's answer is not a list of Secrets");
  const newest = new Map<string, ReleaseRecord>();
  const deployed = new Map<string, ReleaseRecord>();
  for (const item of items) {
    const record = readRecord(item as Secret);
    const key = `${record.namespace}/${record.name}`;
    const isNewer = (than: ReleaseRecord | undefined) => than === undefined || than.revision < record.revision;
    if (isNewer(newest.get(key))) newest.set(key, record);
    if (record.status === "deployed" && isNewer(deployed.get(key))) deployed.set(key, record);
  }
  return [...newest].map(([key, record]) =>
    record.status === "failed" ? withValuesOf(deployed.get(key), record) : record,
  );
}

function withValuesOf(deployed: ReleaseRecord | undefined, failed: ReleaseRecord): ReleaseRecord {
  if (deployed === undefined || !("values" in deployed.content) || !("values" in failed.content)) return failed;
  return { ...failed, content: { ...failed.content, values: deployed.content.values } };
}

type Secret = {
  metadata?: { name?: string; namespace?: string; labels?: Record<string, string> };
  data?: { release?: string };
};

function readRecord(secret: Secret): ReleaseRecord {
  const labels = secret.metadata?.labels ?? {};
  const secretName = secret.metadata?.name ?? "";
  // Somebody may have taken its labels away; Helm's name for it says the same.
  const [, nameInSecret, revisionInSecret] = /^sh\.helm\.release\.v1\.(.+)\.v(\d+)$/.exec(secretName) ?? [];
  const { content, lastDeployed } = open(secret.data?.release);
  const revision = Number(labels["version"] ?? revisionInSecret ?? 0);
  const status = statuses.find((known) => known === labels["status"]) ?? "unknown";
  // Neither good nor bad: nothing may be concluded from it, and least of all that the release is well.
  const isTold = status !== "unknown" && Number.isSafeInteger(revision);
  return {
    name: labels["name"] ?? nameInSecret ?? secretName,
    namespace: secret.metadata?.namespace ?? "",
    revision,
    status,
    labels: Object.fromEntries(Object.entries(labels).filter(([name]) => !ownLabels.has(name))),
    lastDeployed,
    content: isTold ? content : { unreadable: "its status is not known" },
    secret: secretName,
  };
}

type Payload = {
  info?: { last_deployed?: string };
  chart?: { metadata?: { name?: string; version?: string } };
  config?: Record<string, unknown> | null;
};

function objectOf(config: unknown): Readonly<Record<string, unknown>> {
  return typeof config === "object" && config !== null && !Array.isArray(config)
    ? (config as Readonly<Record<string, unknown>>)
    : {};
}

/** Helm's own limit is a Secret's 1 MiB; what unpacks to more than this is made to fill the memory. */
const mostBytes = 64 * 1024 * 1024;

/** The payload is JSON, gzipped, in base64, in a Secret's base64. */
function open(data: string | undefined): Pick<ReleaseRecord, "content" | "lastDeployed"> {
  try {
    const inner = Buffer.from(Buffer.from(data ?? "", "base64").toString("latin1"), "base64");
    const payload = JSON.parse(
      inner[0] === 0x1f ? gunzipSync(inner, { maxOutputLength: mostBytes }).toString() : inner.toString(),
    ) as Payload;
    const { name, version } = payload.chart?.metadata ?? {};
    if (typeof name !== "string" || typeof version !== "string") {
      return { content: { unreadable: "it names no chart" }, lastDeployed: undefined };
    }
    const at = Date.parse(payload.info?.last_deployed ?? "");
    return {
      content: { chart: name, chartVersion: version, values: objectOf(payload.config) },
      lastDeployed: Number.isNaN(at) ? undefined : at,
    };
  } catch {
    // The cause would quote the payload, which holds the client's password.
    return { content: { unreadable: "its record is damaged" }, lastDeployed: undefined };
  }
}
