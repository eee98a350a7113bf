import { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";

import type { ApiAnswer, ChangingApi } from "./api.ts";
import type { Kubeconfig } from "./kubeconfig.ts";

/** A list of everything in a namespace is far below this. */
const maxBytes = 16 << 20;

/** What OpenSSL calls a server whose certificate the pinned CA did not sign, or that speaks no TLS at all. */
const mismatchCodes = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_SIGNATURE_FAILURE",
  "INVALID_CA",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "EPROTO",
]);
const expiryCodes = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]);

/**
 * Over HTTPS with the kubeconfig's client certificate: an order of magnitude quicker than a kubectl. Only the cluster's
 * own CA is trusted, and no proxy stands on this road (B13). Connections are kept for the next read and hold nothing up.
 */
export function httpsApi(kubeconfig: Kubeconfig): ChangingApi {
  const { host, port, ca, certificate: cert, key } = kubeconfig;
  const agent = new Agent({ keepAlive: true, maxSockets: 8, ca, cert, key });
  const ask = (path: string, timeoutMs: number, headers: Record<string, string>, merged?: string) =>
    new Promise<ApiAnswer>((resolve) => {
      const method = merged === undefined ? "GET" : "PATCH";
      const asked = request({ host, port, path, method, agent, headers });
      const finish = (answer: ApiAnswer) => {
        clearTimeout(limit);
        if (answer.outcome !== "answered") asked.destroy();
        resolve(answer);
      };
      const silent: ApiAnswer = { outcome: "timed-out", why: `did not answer within ${timeoutMs / 1000} s` };
      const limit = setTimeout(finish, timeoutMs, silent);
      asked.on("error", (error: NodeJS.ErrnoException) => finish(nameOf(error)));
      asked.on("response", (response) => collect(response, finish));
      asked.end(merged);
    });
  const call = async (...what: Parameters<typeof ask>): Promise<ApiAnswer> => {
    try {
      const answer = await ask(...what);
      return answer.outcome === "answered" && answer.status === 401 ? refusedUs(answer, cert) : answer;
    } catch (error) {
      // A key or certificate that OpenSSL cannot read is thrown before anything is sent.
      return {
        outcome: "broken",
        why: `could not be called (${error instanceof Error ? error.message : String(error)})`,
      };
    }
  };
  return {
    get: (path, { timeoutMs, accept = "application/json" }) => call(path, timeoutMs, { accept }),
    patch: (path, body, { timeoutMs }) =>
      call(path, timeoutMs, { "content-type": "application/merge-patch+json" }, JSON.stringify(body)),
  };
}

function collect(response: IncomingMessage, finish: (answer: ApiAnswer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) finish({ outcome: "broken", why: `its answer is longer than ${maxBytes >> 20} MiB` });
  });
  response.on("error", (error: NodeJS.ErrnoException) => finish(nameOf(error)));
  response.on("end", () => {
    const text = Buffer.concat(chunks).toString("utf8");
    finish({ outcome: "answered", status: response.statusCode ?? 0, text, json: parse(text) });
  });
}

/** `/readyz` answers `ok`, which is not JSON and need not be. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function nameOf({ code = "", message }: NodeJS.ErrnoException): ApiAnswer {
  if (code === "ECONNREFUSED") return { outcome: "refused", why: "refused the connection" };
  if (expiryCodes.has(code)) return { outcome: "expired", why: `has a certificate that is not valid now (${message})` };
  if (mismatchCodes.has(code)) {
    return { outcome: "mismatch", why: `is not the one that our kubeconfig was made for (${message})` };
  }
  return { outcome: "broken", why: `broke the connection (${message})` };
}

/** The server does not say why it does not know us. Our own certificate's time is the first thing to look at. */
function refusedUs(answer: ApiAnswer, certificate: string): ApiAnswer {
  const until = new X509Certificate(certificate).validTo;
  return Date.parse(until) < Date.now()
    ? { outcome: "expired", why: `no longer takes our certificate, valid until ${until}` }
    : answer;
}
