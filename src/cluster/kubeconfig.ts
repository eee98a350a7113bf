import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Endpoint } from "./node.ts";
import { readStateFile } from "../files/read-file.ts";

/** A kubeconfig with one cluster, one user and one context, as far as calling the cluster needs. Holds a private key. */
export type Kubeconfig = Endpoint & {
  /** Of the context, the cluster and (with `admin@`) the user: `k3d-<cluster>`. */
  context: string;
  /** PEM. */
  ca: string;
  certificate: string;
  key: string;
};

type Document = {
  "current-context"?: unknown;
  clusters?: readonly { name?: unknown; cluster?: Record<string, unknown> }[];
  users?: readonly { name?: unknown; user?: Record<string, unknown> }[];
  contexts?: readonly { name?: unknown; context?: Record<string, unknown> }[];
};

/**
 * Reads a kubeconfig document that is about one cluster and nothing else. Throws, in one clause, where it is about more
 * (which one would be touched?) or where a certificate is missing: no token, no exec plugin, no file elsewhere is followed.
 */
export function readDocument(document: unknown): Kubeconfig {
  const { clusters = [], users = [], contexts = [], "current-context": current } = (document ?? {}) as Document;
  const [cluster, user, context] = [clusters[0], users[0], contexts[0]];
  if (clusters.length !== 1 || users.length !== 1 || contexts.length !== 1) {
    throw new Error("it does not hold exactly one cluster, user and context");
  }
  if (typeof current !== "string" || context?.name !== current) {
    throw new Error("its current context is not the one it holds");
  }
  if (context.context?.["cluster"] !== cluster?.name || context.context?.["user"] !== user?.name) {
    throw new Error("its context names another cluster or user");
  }
  const server = new URL(text(cluster?.cluster?.["server"]));
  return {
    context: current,
    host: server.hostname,
    port: Number(server.port || "443"),
    ca: pem(cluster?.cluster?.["certificate-authority-data"], "certificate authority"),
    certificate: pem(user?.user?.["client-certificate-data"], "client certificate"),
    key: pem(user?.user?.["client-key-data"], "client key"),
  };
}

/**
 * The document to store. It is JSON, which is YAML too: helm and kubectl read it, and a healthy run reads it back
 * without loading a YAML parser.
 */
export function toDocument({ context, host, port, ca, certificate, key }: Kubeconfig): string {
  const base64 = (value: string) => Buffer.from(value).toString("base64");
  const user = `admin@${context}`;
  return `${JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        { name: context, cluster: { server: `https://${host}:${port}`, "certificate-authority-data": base64(ca) } },
      ],
      users: [{ name: user, user: { "client-certificate-data": base64(certificate), "client-key-data": base64(key) } }],
      contexts: [{ name: context, context: { cluster: context, user } }],
      "current-context": context,
    },
    null,
    2,
  )}\n`;
}

/** Our stored kubeconfig of a cluster. Undefined where there is none that can be used: then it is fetched anew. */
export function readStored(path: string): Kubeconfig | undefined {
  try {
    const stored = readDocument(JSON.parse(readStateFile(path)));
    // What looks like a key and is none would be told only by every call to the API failing.
    createPrivateKey(stored.key);
    for (const certificate of [stored.ca, stored.certificate]) void new X509Certificate(certificate);
    return stored;
  } catch {
    return undefined;
  }
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new Error("it names no server");
  return value;
}

function pem(value: unknown, what: string): string {
  const decoded = typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : "";
  if (!decoded.startsWith("-----BEGIN ")) throw new Error(`it holds no ${what}`);
  return decoded;
}
