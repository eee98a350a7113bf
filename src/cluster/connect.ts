import { Failure } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import { waitUntil } from "../engine/wait.ts";
import { engineFailure } from "../host/failure.ts";
import { firstComplaint, succeeded } from "../process/runner.ts";
import { openAccess } from "./access.ts";
import { isReady, isStale, saysOf, type ApiAnswer } from "./api.ts";
import { printed } from "./docker.ts";
import { leadsTo, type Access } from "./facts.ts";
import { noteReady, store } from "./installation.ts";
import { getKubeconfig } from "./k3d.ts";
import { toDocument, type Kubeconfig } from "./kubeconfig.ts";
import { lookAtNode } from "./look.ts";
import type { Endpoint } from "./node.ts";
import { noKubeconfig } from "./refusals.ts";

/**
 * Fetches the cluster's kubeconfig into our own state, 0600, with the server where the node publishes it: k3d may have
 * written an address that cannot be called from here (B13). The user's own kubeconfig is neither read nor written (B07).
 */
export async function connect(on: Machine, k3d: string, cluster: string, api: Endpoint): Promise<Access> {
  const result = await on.runner.run(getKubeconfig(k3d, cluster));
  if (!succeeded(result)) {
    throw new Failure((await engineFailure(result, on, "k3d")) ?? noKubeconfig(cluster, firstComplaint(result)));
  }
  const kubeconfig = await read(printed(result), cluster);
  store(on.state.kubeconfig(cluster), toDocument({ ...kubeconfig, ...api }));
  const access = openAccess(on.state, cluster);
  if (access === undefined) throw new Failure(noKubeconfig(cluster, "what was written cannot be read back"));
  return access;
}

/** Only the cluster that was asked for will do: anything else would send Helm to another one. */
async function read(text: string, cluster: string): Promise<Kubeconfig> {
  const { parseYaml } = await import("./kubeconfig-yaml.ts");
  let kubeconfig: Kubeconfig;
  try {
    kubeconfig = parseYaml(text);
  } catch (error) {
    // A parser's complaint may quote the text, and that holds a key.
    const why = error instanceof Error && error.name === "Error" ? error.message : "it cannot be parsed";
    throw new Failure(noKubeconfig(cluster, why));
  }
  if (kubeconfig.context !== `k3d-${cluster}`) {
    throw new Failure(noKubeconfig(cluster, `it is about ${kubeconfig.context}`));
  }
  return kubeconfig;
}

/** How long an API may take to come up: a small machine that has just booted needs minutes. */
const apiLimitMs = 180_000;

/**
 * Waits, bounded, until the cluster's API is ready to our kubeconfig, and fetches that anew whenever it does not fit:
 * a node that starts may have new certificates, and writes its kubeconfig only then (B41). Gives the last answer, and
 * notes it where it is the first good one of a cluster that we made.
 */
export async function reach(on: Machine, k3d: string, cluster: string): Promise<ApiAnswer> {
  const { api } = await lookAtNode(on, cluster);
  if (api === undefined) throw new Failure(noKubeconfig(cluster, "its node does not publish the Kubernetes API"));
  const stored = openAccess(on.state, cluster);
  let access = stored !== undefined && leadsTo(stored, api) ? stored : await connect(on, k3d, cluster, api);
  const { seen } = await waitUntil(
    {
      room: "cluster",
      waitingFor: (last) => `the Kubernetes API${last === undefined ? "" : `, which ${saysOf(last)}`}`,
      limitMs: apiLimitMs,
      everyMs: 500,
      look: async () => {
        const answer = await access.api.get("/readyz", { timeoutMs: 5000 });
        if (isStale(answer)) access = await connect(on, k3d, cluster, api).catch(() => access);
        return answer;
      },
      over: isReady,
    },
    on,
  );
  if (isReady(seen)) noteReady(on.state, cluster, new Date());
  return seen;
}
