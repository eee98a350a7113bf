import { known, unknown, type Fact } from "../engine/fact.ts";
import { firstComplaint, type RunResult } from "../process/runner.ts";
import { listIn, numberIn, parseObject, recordIn, textIn, type Json } from "./json.ts";
import { engineTrouble, troubleIn, type EngineTrouble } from "./trouble.ts";

/** A container engine that answers and that k3d can work with. What it did not say is undefined. */
export type Engine = {
  version: string;
  /** Version of the Docker API that it speaks at most. */
  api: string | undefined;
  /** Its operating system, as it calls itself: "Docker Desktop", "Debian GNU/Linux 12 (bookworm)". */
  system: string | undefined;
  kernel: string | undefined;
  /** The name of the machine that it runs on; a virtual machine's own, where there is one. */
  hostname: string | undefined;
  memoryBytes: number | undefined;
  cpus: number | undefined;
  /** Where it keeps images and containers, as a path of the machine that it runs on. */
  rootDir: string | undefined;
  rootless: boolean;
};

export type EngineState = { is: "ready"; engine: Engine } | { is: "troubled"; trouble: EngineTrouble };

/** Engine 20.10.5 and API 1.41 are what k3d 5 asks for in its own documentation. */
const oldestApi = "1.41";

/**
 * Tells the engine's state from `docker version` and `docker info`, both asked with `--format '{{json .}}'`.
 * Ready means that it named its version: exit code 0 is no sign of life, and neither is a document (B08).
 */
export function readEngine(version: RunResult, info: RunResult): Fact<EngineState> {
  const how = "docker version, docker info";
  const ms = Math.max(version.ms, info.ms);
  const asked = parseObject(version.stdout);
  const told = parseObject(info.stdout);
  const server = recordIn(asked, "Server");

  const serverVersion = textIn(server, "Version") ?? textIn(told, "ServerVersion");
  const podman = podmanIn(asked, server);
  if (podman !== undefined) return known({ is: "troubled", trouble: podman }, how, ms);
  if (serverVersion !== undefined) {
    const trouble = unfit(server, told, serverVersion);
    if (trouble !== undefined) return known({ is: "troubled", trouble }, how, ms);
    return known({ is: "ready", engine: engineOf(serverVersion, server, told) }, how, ms);
  }

  const trouble = worst(engineTrouble(version), engineTrouble(info), troubleIn(serverErrors(told)));
  if (trouble !== undefined) return known({ is: "troubled", trouble }, how, ms);
  return unknown(firstComplaint(version), how, ms);
}

function engineOf(version: string, server: Json | undefined, told: Json | undefined): Engine {
  const security = listIn(told, "SecurityOptions");
  return {
    version,
    api: textIn(server, "ApiVersion"),
    system: textIn(told, "OperatingSystem"),
    kernel: textIn(told, "KernelVersion") ?? textIn(server, "KernelVersion"),
    hostname: textIn(told, "Name"),
    memoryBytes: positive(numberIn(told, "MemTotal")),
    cpus: positive(numberIn(told, "NCPU")),
    rootDir: textIn(told, "DockerRootDir"),
    rootless: security.some((option) => typeof option === "string" && option.includes("name=rootless")),
  };
}

/** An engine that answers, and that k3d cannot use all the same. */
function unfit(server: Json | undefined, told: Json | undefined, version: string): EngineTrouble | undefined {
  if ((textIn(server, "Os") ?? textIn(told, "OSType")) === "windows") return { kind: "windows-containers", said: "" };
  const api = textIn(server, "ApiVersion");
  if (api !== undefined && isOlder(api, oldestApi)) {
    return { kind: "engine-too-old", version, api, needs: oldestApi, said: "" };
  }
  return undefined;
}

/** Podman names itself among its components where it serves Docker's API, and has no `Server` where it plays docker itself. */
function podmanIn(asked: Json | undefined, server: Json | undefined): EngineTrouble | undefined {
  const component = listIn(server, "Components").find((part) => textIn(part, "Name") === "Podman Engine");
  const client = recordIn(asked, "Client");
  const own = textIn(client, "APIVersion");
  const version = textIn(component, "Version") ?? (own === undefined ? undefined : textIn(client, "Version"));
  return version === undefined ? undefined : { kind: "podman", version, said: "" };
}

/** Of two complaints the one that says more: "permission denied" rather than "no answer within 10 s". */
function worst(...troubles: readonly (EngineTrouble | undefined)[]): EngineTrouble | undefined {
  const said = troubles.filter((trouble) => trouble !== undefined);
  return said.find((trouble) => trouble.kind !== "not-answering") ?? said[0];
}

/** Docker up to 28.0 puts its complaint into the document and exits 0 (B08). */
function serverErrors(told: Json | undefined): string {
  return listIn(told, "ServerErrors")
    .filter((line) => typeof line === "string")
    .join("\n");
}

/** True where API version `a` comes before `b`: both `major.minor`, compared as numbers (1.9 < 1.41). */
export function isOlder(a: string, b: string): boolean {
  const [aMajor = 0, aMinor = 0] = a.split(".").map(Number);
  const [bMajor = 0, bMinor = 0] = b.split(".").map(Number);
  return aMajor < bMajor || (aMajor === bMajor && aMinor < bMinor);
}

/** The document of an engine that did not answer is full of zeros: a zero is no answer. */
function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}
