import { saysOf, type Api } from "../cluster/api.ts";
import { known, unknown, type Fact } from "../engine/fact.ts";
import { within, type Machine } from "../engine/machine.ts";
import { allRecordsPath, readReleaseRecords, releaseRecordsPath, type ReleaseRecord } from "./helm-records.ts";
import { clientChart } from "./identity.ts";
import type { ReleaseFacts } from "./plan.ts";
import type { Deployment } from "./workloads.ts";

/** An API that accepts and never answers must not hold up a run: the installer before this one hung here for good. */
const readLimitMs = 5_000;

const deploymentsPath = "/apis/apps/v1/deployments?labelSelector=app.kubernetes.io%2Fname%3Dclient";

/** What the cluster says of its releases and of a client's Deployments: two reads, side by side. */
export async function observeReleases(api: Api, on: Machine): Promise<ReleaseFacts> {
  const [records, deployments] = await Promise.all([
    readRecords(api, on),
    read(api, deploymentsPath, "the client's Deployments", on, (json) => readList<Deployment>(json)),
  ]);
  return { records, deployments };
}

/**
 * The newest record of every release. Where no current one is a client's, that proves nothing yet: the record of the
 * newest revision may be gone, and those before it are marked as superseded. Then all of them are read.
 */
export async function readRecords(api: Api, on: Machine): Promise<Fact<readonly ReleaseRecord[]>> {
  const how = "Helm's release records";
  const current = await read(api, releaseRecordsPath, how, on, readReleaseRecords);
  if (current.state === "unknown" || current.value.some(decides)) return current;
  return read(api, allRecordsPath, how, on, readReleaseRecords);
}

function decides({ content, status }: ReleaseRecord): boolean {
  return "unreadable" in content || (content.chart === clientChart && status !== "failed");
}

/** Reads one path of the API: known only with status 200 and a body of the expected shape. */
export async function read<T>(
  api: Api,
  path: string,
  how: string,
  on: Machine,
  parse: (json: unknown) => T,
): Promise<Fact<T>> {
  const start = on.now();
  const answer = await api.get(path, { timeoutMs: within(on, readLimitMs) });
  const ms = on.now() - start;
  if (answer.outcome !== "answered" || answer.status !== 200) {
    return unknown(`the Kubernetes API ${saysOf(answer)}`, how, ms);
  }
  try {
    return known(parse(answer.json), how, ms);
  } catch {
    return unknown("the Kubernetes API gave an answer that is not understood", how, ms);
  }
}

/**
 * The objects of a Kubernetes list, each with a name: what else is in them may be missing. Throws where it is none: an
 * answer that cannot be read is no empty list.
 */
export function readList<T>(json: unknown): T[] {
  const items = (json as { items?: unknown } | null)?.items;
  if (!Array.isArray(items) || !items.every(isNamed)) throw new TypeError("not a Kubernetes list");
  return items.map(withoutNulls) as T[];
}

function isNamed(item: unknown): boolean {
  const metadata = (item as { metadata?: { name?: unknown } | null } | null)?.metadata;
  return typeof metadata?.name === "string";
}

/** What a server writes as null is not set, as it is to Kubernetes itself. */
function withoutNulls(item: object): object {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
}
