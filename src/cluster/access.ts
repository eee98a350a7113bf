import type { StatePaths } from "../files/state.ts";
import type { Access } from "./facts.ts";
import { httpsApi } from "./https-api.ts";
import { readStored } from "./kubeconfig.ts";

/** The road to a cluster's API by our stored kubeconfig. Undefined where there is none that can be used. Asks nothing. */
export function openAccess(state: StatePaths, cluster: string): Access | undefined {
  const path = state.kubeconfig(cluster);
  const kubeconfig = readStored(path);
  if (kubeconfig === undefined) return undefined;
  const { context, host, port } = kubeconfig;
  return { kubeconfig: path, context, host, port, api: httpsApi(kubeconfig) };
}
