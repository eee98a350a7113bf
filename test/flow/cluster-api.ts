import { createServer, type Server } from "node:https";
import { gzipSync } from "node:zlib";

import { pem, readOf } from "./answers.ts";

/** A release as Helm left it: what the record of its newest revision holds. */
export type Release = {
  name: string;
  namespace: string;
  revision: number;
  status: string;
  labels: Readonly<Record<string, string>>;
  chart: { name: string; version: string };
  values: Readonly<Record<string, unknown>>;
};

/** What the cluster holds. */
export type Holding = {
  release: Release | undefined;
  /** Whether the workloads are ready; a client that was just installed becomes so after this many looks. */
  looksUntilReady: number;
};

/** The Kubernetes API of a cluster that is up: HTTPS on loopback, with answers that a real one gave. */
export type ClusterApi = { port: number; unexpected: string[]; close: () => Promise<void> };

/** Listens on the port that k3d was told, as the node would. Rejects where something else has it. */
export async function serveApi(port: number, holding: Holding): Promise<ClusterApi> {
  const unexpected: string[] = [];
  const server = createServer({ cert: pem("server.crt"), key: pem("server.key") }, (request, response) => {
    const path = request.url ?? "";
    const answer = answerTo(path, holding);
    if (answer === undefined) unexpected.push(path);
    const { status, body } = answer ?? { status: 404, body: { kind: "Status", code: 404 } };
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await listen(server, port);
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port, unexpected, close };
}

function answerTo(path: string, holding: Holding): { status: number; body: unknown } | undefined {
  if (path === "/readyz") return readOf("readyz");
  if (path.endsWith("/apiservices/v1beta1.metrics.k8s.io")) return readOf("metrics API");
  if (path.startsWith("/api/v1/secrets?")) return releaseRecords(holding.release);
  if (path.startsWith("/api/v1/persistentvolumes/")) return { status: 404, body: { kind: "Status", code: 404 } };
  if (path.includes("/deployments")) return deployments(holding);
  const [, kind] = /^\/api\/v1\/namespaces\/tracebloc\/(pods|events)$/.exec(path) ?? [];
  return kind === undefined ? undefined : readOf(holding.looksUntilReady > 0 ? `${kind}, first` : kind);
}

function deployments(holding: Holding): { status: number; body: unknown } {
  if (holding.release === undefined) return readOf("deployments, none");
  if (holding.looksUntilReady === 0) return readOf("deployments");
  holding.looksUntilReady -= 1;
  return readOf("deployments, first");
}

/** The recorded list with this release in it, packed as Helm packs it. */
function releaseRecords(release: Release | undefined): { status: number; body: unknown } {
  if (release === undefined) return readOf("release records, none");
  const list = structuredClone(readOf("release records")) as { status: number; body: { items: [RecordedSecret] } };
  const [secret] = list.body.items;
  const { name, namespace, revision, status, labels, chart, values } = release;
  const payload = secret.data.release;
  Object.assign(payload, { name, namespace, version: revision, config: values, chart: { metadata: chart } });
  payload.info.status = status;
  secret.metadata.namespace = namespace;
  secret.metadata.labels = { ...labels, name, owner: "helm", status, version: String(revision) };
  const packed = Buffer.from(gzipSync(JSON.stringify(payload)).toString("base64")).toString("base64");
  return { status: 200, body: { ...list.body, items: [{ ...secret, data: { release: packed } }] } };
}

type RecordedSecret = {
  metadata: { namespace: string; labels: Record<string, string> };
  data: { release: { info: { status: string } } };
};

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
}
