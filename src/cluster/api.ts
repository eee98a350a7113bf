/** What came of reading the Kubernetes API once: each of these has its own cause, and its own way out. */
export type ApiAnswer =
  /** `json` is undefined where the body is none. Any status: what it means is for the caller to say. */
  | { outcome: "answered"; status: number; text: string; json: unknown }
  /** Nothing listens there. */
  | { outcome: "refused"; why: string }
  /** It accepts and does not answer: a wedged server, a paused node. */
  | { outcome: "timed-out"; why: string }
  /** What answers is not the cluster that the kubeconfig was made for: it was made anew, or another program has the port. */
  | { outcome: "mismatch"; why: string }
  /** A certificate, the server's or ours, is past its time (B41). */
  | { outcome: "expired"; why: string }
  /** The connection broke, or the answer is of no use. */
  | { outcome: "broken"; why: string };

/** Reads the Kubernetes API of one cluster, whatever the road. Never throws. */
export type Api = {
  /** `path` as in `kubectl get --raw`: `/api/v1/namespaces?limit=1`. Milliseconds for the whole answer. */
  get(path: string, options: { timeoutMs: number; accept?: string }): Promise<ApiAnswer>;
};

/** The same for those who also change something: only actions do. */
export type ChangingApi = Api & {
  /** Merges `body` into the object at `path`; null takes a field away. Milliseconds for the whole answer. */
  patch(path: string, body: unknown, options: { timeoutMs: number }): Promise<ApiAnswer>;
};

/** True where the server says of itself that it can take requests. */
export function isReady(answer: ApiAnswer): boolean {
  return answer.outcome === "answered" && answer.status === 200;
}

/** The kubeconfig that was used is not, or no longer, that of the cluster which answers. */
export function isStale(answer: ApiAnswer): boolean {
  if (answer.outcome === "answered") return answer.status === 401 || answer.status === 403;
  return answer.outcome === "mismatch" || answer.outcome === "expired";
}

/** What an answer says, for a person; follows "the Kubernetes API". */
export function saysOf(answer: ApiAnswer): string {
  if (answer.outcome !== "answered") return answer.why;
  return answer.status === 200 ? "is ready" : `answered ${answer.status}: ${tellingLine(answer.text)}`;
}

/** Of the checks that an unready server lists, the one that failed (`[-]etcd failed`); else what comes first. */
function tellingLine(text: string): string {
  const lines = text.trim().split("\n");
  return (lines.find((line) => line.startsWith("[-]")) ?? lines[0] ?? "").slice(0, 200);
}
