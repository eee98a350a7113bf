import type { Environment } from "../platform/environment.ts";
import { isThisMachine, proxyFor, sparedFrom, userOf } from "../tools/proxy.ts";
import { layerValues, type Values } from "./values.ts";

/**
 * How workloads reach the world outside: the proxy of this environment, in the parts that the chart takes, and
 * certificates (PEM). Laid under the operator's own `file`, where other certificates go before these. A proxy on this
 * machine's loopback is left out: within a pod that is the pod. So is what names none: the first download says so. Pure.
 */
export function withOutside(environment: Environment, pem: string | undefined, file: Values): Values {
  const proxy = proxyOf("https", environment) ?? proxyOf("http", environment);
  return layerValues(
    proxy === undefined || isThisMachine(proxy) ? {} : { env: proxyValues(proxy, sparedFrom(environment)) },
    pem === undefined || file["caBundle"] !== undefined ? {} : { caBundle: { pem } },
    file,
  );
}

function proxyOf(scheme: string, environment: Environment): URL | undefined {
  try {
    return proxyFor(new URL(`${scheme}://outside.invalid`), environment);
  } catch {
    return undefined;
  }
}

function proxyValues(proxy: URL, direct: string | undefined): Values {
  const user = userOf(proxy);
  return {
    HTTP_PROXY_HOST: proxy.hostname,
    // URL leaves out the port that goes without saying, and curl means another by that.
    HTTP_PROXY_PORT: proxy.port || (proxy.protocol === "https:" ? "443" : "80"),
    ...(user?.name && { HTTP_PROXY_USERNAME: user.name, HTTP_PROXY_PASSWORD: user.password }),
    ...(direct && { NO_PROXY: direct }),
  };
}
