import type { Command, RunResult } from "../process/runner.ts";
import { installationLabel, type ContainerState, type Endpoint, type Member, type Mount, type Node } from "./node.ts";

/** Reads of the engine take milliseconds; this is for an engine that is busy or wedged. */
const readLimitMs = 10_000;

/** A docker call that changes nothing. Its answer must arrive as it is: redaction could change a folder's name. */
export function dockerRead(about: string, ...args: readonly string[]): Command {
  return { file: "docker", args, about, timeoutMs: readLimitMs, raw: true };
}

/** A docker call that changes something. */
export function dockerChange(about: string, timeoutMs: number, ...args: readonly string[]): Command {
  return { file: "docker", args, about, timeoutMs, mutates: true };
}

/** What a `dockerRead` printed. */
export function printed(result: RunResult): string {
  return result.raw ?? result.stdout;
}

/** The lines of it that are not empty. */
export function printedLines(result: RunResult): string[] {
  return printed(result)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

const label = (key: string) => `{{json (.Label "${key}")}}`;
const nodeLabel = (key: string) => `{{json (index .Config.Labels "${key}")}}`;

/**
 * One JSON object per line. Only what is asked for leaves the engine: `{{json .}}` would hand over every label, and
 * k3d keeps the cluster's token in one (B22).
 */
const memberFormat = `{"name":{{json .Names}},"state":{{json .State}},"role":${label("k3d.role")},"installation":${label(installationLabel)}}`;

/** As above; of the environment only the names. */
const nodeFormat = [
  `{"name":{{json .Name}},"created":{{json .Created}},"image":{{json .Config.Image}},"restarts":{{json .RestartCount}}`,
  `"state":{{json .State}},"mounts":{{json .Mounts}},"binds":{{json .HostConfig.Binds}},"ports":{{json .HostConfig.PortBindings}}`,
  `"cluster":${nodeLabel("k3d.cluster")},"installation":${nodeLabel(installationLabel)},"apiPort":${nodeLabel("k3d.server.api.port")}`,
  `"environment":[{{range $i, $e := .Config.Env}}{{if $i}},{{end}}{{json (index (split $e "=") 0)}}{{end}}]}`,
].join(",");

/** Every container of a cluster, running or not. The label is matched exactly; a name filter would match parts of names. */
export function listMembers(cluster: string): Command {
  const filter = `label=k3d.cluster=${cluster}`;
  return dockerRead(
    "docker container ls",
    "container",
    "ls",
    "--all",
    "--no-trunc",
    "--filter",
    filter,
    "--format",
    memberFormat,
  );
}

/** `docker container inspect`: `docker inspect` also answers for a volume or a network of that name. */
export function inspectNode(node: string): Command {
  return dockerRead("docker container inspect", "container", "inspect", "--format", nodeFormat, node);
}

/** True for the engine's one answer that means absence. Any other failure leaves open whether the container exists. */
export function saysNoSuchContainer(result: RunResult, name: string): boolean {
  if (result.outcome !== "exited" || result.exitCode === 0) return false;
  const said = result.stderr.split("\n").filter((line) => line.trim() !== "");
  const absences = [`Error response from daemon: No such container: ${name}`, `Error: No such container: ${name}`];
  return said.length === 1 && absences.includes((said[0] ?? "").trim());
}

/** The members of a cluster from `listMembers`. Throws where the answer is not understood. */
export function parseMembers(result: RunResult): Member[] {
  refuseCut(result);
  return printedLines(result).map((line) => {
    const { name, state, role, installation } = parseObject(line) as Partial<Record<string, string>>;
    if (name === undefined || state === undefined) {
      throw new Error("docker container ls answered without a name or a state");
    }
    return { name, state: state as ContainerState, role: role ?? "", installation: installation || undefined };
  });
}

type Inspected = {
  name?: string;
  created?: string;
  image?: string;
  restarts?: number;
  state?: { Status?: string; ExitCode?: number; OOMKilled?: boolean; StartedAt?: string };
  mounts?: readonly { Type?: string; Source?: string; Destination?: string; RW?: boolean }[] | null;
  binds?: readonly string[] | null;
  ports?: Record<string, readonly { HostIp?: string; HostPort?: string }[] | null> | null;
  cluster?: string;
  installation?: string;
  apiPort?: string;
  environment?: readonly string[];
};

/** The node from `inspectNode`. Throws where the answer is not understood. */
export function parseNode(result: RunResult): Node {
  refuseCut(result);
  const seen = parseObject(printed(result)) as Inspected;
  const { name, created, image, state } = seen;
  if (name === undefined || created === undefined || image === undefined || state?.Status === undefined) {
    throw new Error("docker container inspect answered without a name, an image or a state");
  }
  const binds = seen.binds ?? [];
  return {
    name: name.replace(/^\//, ""),
    cluster: seen.cluster || undefined,
    installation: seen.installation || undefined,
    state: state.Status as ContainerState,
    createdAt: created,
    startedAt: state.StartedAt?.startsWith("0001-") === false ? state.StartedAt : undefined,
    exitCode: state.ExitCode ?? 0,
    outOfMemory: state.OOMKilled ?? false,
    restarts: seen.restarts ?? 0,
    image,
    mounts: (seen.mounts ?? []).map((mount) => readMount(mount, binds)),
    api: publishedApi(seen),
    environment: seen.environment ?? [],
  };
}

function readMount(
  mount: { Type?: string; Source?: string; Destination?: string; RW?: boolean },
  binds: readonly string[],
): Mount {
  const destination = mount.Destination ?? "";
  const asked = binds.map((bind) => sourceOf(bind, destination)).find((source) => source !== undefined);
  return { type: mount.Type ?? "", destination, source: mount.Source ?? "", asked, writable: mount.RW ?? false };
}

/** What stands before `:/destination` or `:/destination:options`. Drive letters bring colons of their own. */
function sourceOf(bind: string, destination: string): string | undefined {
  const at = bind.lastIndexOf(`:${destination}`);
  const rest = bind.slice(at + 1 + destination.length);
  return at > 0 && (rest === "" || rest.startsWith(":")) ? bind.slice(0, at) : undefined;
}

/**
 * Without a load balancer the node publishes the API itself; with one (the old installers' clusters) k3d's label keeps
 * the port. An address that means every interface is reached on loopback: 0.0.0.0 is no address to call (B13).
 */
function publishedApi({ ports, apiPort }: Inspected): Endpoint | undefined {
  const binding = (ports?.["6443/tcp"] ?? ports?.["6443"])?.[0];
  const port = Number(binding?.HostPort ?? apiPort);
  if (!Number.isInteger(port) || port < 1) return undefined;
  const address = binding?.HostIp ?? "";
  return { host: ["", "0.0.0.0", "::"].includes(address) ? "127.0.0.1" : address, port };
}

function parseObject(text: string): object {
  const value = parse(text);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject) throw new Error("docker did not answer with a JSON object");
  return value;
}

/** A parser's own complaint is about characters, and of no use to a person. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Half an answer parses as an answer about fewer containers. */
function refuseCut(result: RunResult): void {
  if (result.truncated) throw new Error("docker's answer was too long");
}
