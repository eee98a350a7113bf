import { saysOf, type ApiAnswer, type ChangingApi } from "../cluster/api.ts";
import { Failure } from "../engine/finding.ts";
import { within, type Machine } from "../engine/machine.ts";

/** The volumes of a release that lie in the node, and the claim that each is kept for: `client.volumes` in the chart. */
export const claims = { data: "client-pvc", logs: "client-logs-pvc", mysql: "mysql-pvc" };

const limitMs = 10_000;

type Volume = {
  metadata?: { name?: string; resourceVersion?: string };
  spec?: { claimRef?: { name?: string; namespace?: string; uid?: string } };
  status?: { phase?: string };
};

/**
 * Frees the release's own volumes for its claims. A volume whose claim was deleted (with its namespace, say) stays
 * `Released`: it still names the old claim's uid, so that the new claim would wait for it for ever. Its data is untouched.
 * Throws `Failure` where the API does not let us. Returns the names of the volumes.
 */
export async function freeVolumes(
  release: string,
  namespace: string,
  api: ChangingApi,
  on: Machine,
): Promise<string[]> {
  const bound = () => ({ timeoutMs: within(on, limitMs) });
  const freed = Object.entries(claims).map(async ([volume, claim]) => {
    const path = `/api/v1/persistentvolumes/${release}-${volume}-pv`;
    const seen = await api.get(path, bound());
    if (seen.outcome === "answered" && seen.status === 404) return [];
    const { metadata, spec, status } = answered(seen, path) as Volume;
    const { uid, ...ref } = spec?.claimRef ?? {};
    const isLeft = status?.phase === "Released" && uid !== undefined;
    if (!isLeft || ref.name !== claim || ref.namespace !== namespace) return [];
    // Refused where the volume has changed since it was looked at.
    const change = {
      metadata: { resourceVersion: metadata?.resourceVersion },
      spec: { claimRef: { uid: null, resourceVersion: null } },
    };
    answered(await api.patch(path, change, bound()), path);
    return [`${release}-${volume}-pv`];
  });
  return (await Promise.all(freed)).flat();
}

function answered(answer: ApiAnswer, path: string): unknown {
  if (answer.outcome === "answered" && answer.status === 200) return answer.json;
  throw new Failure({
    reason: "VOLUME_NOT_FREED",
    room: "release",
    says: `${path.split("/").at(-1)} could not be looked at or freed: the Kubernetes API ${saysOf(answer)}`,
    remedies: [{ says: "run the same command again", command: "tracebloc install" }],
  });
}
