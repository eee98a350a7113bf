import type { Environment } from "../platform/environment.ts";
import type { RunResult } from "../process/runner.ts";
import { parseObject, recordIn, textIn } from "./json.ts";

/** Which engine docker and k3d talk to, and who decided that: DOCKER_HOST before DOCKER_CONTEXT before the configuration (B17). */
export type EngineSetting = {
  by: "DOCKER_HOST" | "DOCKER_CONTEXT" | "configuration" | "default";
  context: string | undefined;
  /** `unix:///var/run/docker.sock`, `npipe:////./pipe/docker_engine`, `tcp://…`, `ssh://…`. */
  endpoint: string | undefined;
};

/**
 * The setting, from the environment and `docker context inspect --format '{{json .}}'`. k3d resolves it with the same
 * code as docker does (tried with 5.9.0), so that nothing has to be passed on to it.
 */
export function readSetting(environment: Environment, inspect: RunResult | undefined): EngineSetting {
  const told = parseObject(inspect?.stdout ?? "");
  const context = textIn(told, "Name");
  const endpoint = textIn(recordIn(recordIn(told, "Endpoints"), "docker"), "Host");
  const host = environment["DOCKER_HOST"];
  if (host !== undefined && host !== "") return { by: "DOCKER_HOST", context: undefined, endpoint: host };
  const chosen = environment["DOCKER_CONTEXT"];
  if (chosen !== undefined && chosen !== "") return { by: "DOCKER_CONTEXT", context: chosen, endpoint };
  return { by: context === undefined || context === "default" ? "default" : "configuration", context, endpoint };
}

/**
 * True where the engine is on another machine: our directories would be missing there (B17). A port of this machine is
 * taken for this machine; that the directories are shared is proven in the node.
 */
export function isRemote(endpoint: string): boolean {
  if (/^(unix|npipe|fd):/.test(endpoint)) return false;
  const host = hostOf(endpoint);
  return host !== undefined && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}

/** The path of the socket, for an endpoint that is one. */
export function socketOf(endpoint: string): string | undefined {
  return endpoint.startsWith("unix://") ? endpoint.slice("unix://".length) : undefined;
}

/** The endpoint as it may be shown: without the credentials that a URL may carry. */
export function shownEndpoint(endpoint: string): string {
  return endpoint.replace(/^(\w+:\/\/)[^/@]*:[^/]*@/, "$1");
}

function hostOf(endpoint: string): string | undefined {
  try {
    return new URL(endpoint.replace(/^(tcp|ssh):/, "http:")).hostname;
  } catch {
    return undefined;
  }
}
