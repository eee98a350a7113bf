import type { Finding, Remedy } from "../engine/finding.ts";
import type { Reason } from "../engine/reasons.ts";
import type { Engine as KnownEngine } from "../platform/engines.ts";
import type { Platform } from "../platform/platform.ts";
import { commandLine, setCommand, unsetCommand } from "../platform/shell.ts";
import { isRemote, shownEndpoint, type EngineSetting } from "./endpoint.ts";
import type { EngineTrouble } from "./trouble.ts";

/** What has to be known of this machine to say what a person does about an engine in trouble. */
export type Standpoint = {
  platform: Platform;
  setting: EngineSetting;
  /** The engines that this platform may have, with their endpoints spelled out. */
  engines: readonly KnownEngine[];
  /** Endpoints of those whose socket is there; undefined where sockets cannot be looked for. */
  sockets: readonly string[] | undefined;
  home: string | undefined;
  /** Whether DOCKER_API_VERSION decides which version of Docker's API is spoken. */
  apiVersionSet: boolean;
  user: User;
};

export type User = {
  name: string;
  /** The group that may use the socket: "docker" unless the socket tells another. */
  group: string;
  /** Whether the group's list names the user already; then only the session is too old. Undefined where it cannot be told. */
  listed: boolean | undefined;
};

/** What is wrong with the engine, and what to do about it here. `asked` is the program that complained. Pure. */
export function engineFinding(trouble: EngineTrouble, from: Standpoint, asked: "docker" | "k3d" = "docker"): Finding {
  const found = explain(trouble, from, asked);
  return { room: "host", ...found, ...(trouble.said !== "" && { details: [trouble.said] }) };
}

type Explained = { reason: Reason; says: string; remedies: readonly Remedy[] };

function explain(trouble: EngineTrouble, from: Standpoint, asked: "docker" | "k3d"): Explained {
  const { platform } = from;
  switch (trouble.kind) {
    case "not-installed":
      return {
        reason: "ENGINE_NOT_INSTALLED",
        says: "there is no docker command on PATH",
        remedies: platform.installEngine,
      };
    case "client-unusable":
      return {
        reason: "TOOL_UNUSABLE",
        says: `docker cannot be started: ${obstacle[trouble.how]}`,
        remedies: platform.installEngine,
      };
    case "not-running":
      return notRunning(trouble.at ?? from.setting.endpoint, from);
    case "paused":
      return {
        reason: "ENGINE_NOT_RUNNING",
        says: "Docker Desktop is paused",
        remedies: [
          { says: "choose Resume in Docker Desktop's whale menu, or restart it", command: "docker desktop restart" },
        ],
      };
    case "no-permission":
      return noPermission(from);
    case "no-such-context":
      return {
        reason: "ENGINE_WRONG_CONTEXT",
        says: `${who(from.setting)} names the context ${trouble.context}, which does not exist`,
        remedies: [...letGo(from), { says: "see which there are", command: "docker context ls" }],
      };
    case "no-such-endpoint":
      return notThere(trouble.at, from);
    case "not-answering":
      return { reason: "ENGINE_NOT_ANSWERING", says: silence(trouble), remedies: [restart(from)] };
    case "client-too-old":
    case "client-too-new":
      return versionsApart(trouble, from, asked);
    case "engine-too-old":
      return {
        reason: "ENGINE_TOO_OLD",
        says: `Docker ${trouble.version} is too old: k3d needs 20.10.5 or newer`,
        remedies: [{ says: "update Docker, then run the same command again" }],
      };
    case "podman":
      return {
        reason: "ENGINE_IS_PODMAN",
        says: `Podman${trouble.version === undefined ? "" : ` ${trouble.version}`} answers in place of Docker, which k3d needs`,
        remedies: [...letGo(from), ...platform.installEngine],
      };
    case "windows-containers":
      return {
        reason: "ENGINE_WINDOWS_CONTAINERS",
        says: "the engine runs Windows containers; the cluster needs Linux ones",
        remedies: [
          {
            says: "switch Docker Desktop over",
            command: '& "$env:ProgramFiles\\Docker\\Docker\\DockerCli.exe" -SwitchLinuxEngine',
          },
        ],
      };
    case "credential-helper":
      return {
        reason: "ENGINE_CREDENTIAL_HELPER",
        says: `Docker's configuration names docker-credential-${trouble.helper}, which is not on PATH`,
        remedies: [{ says: "install it, or take its name out of credsStore and credHelpers in Docker's config.json" }],
      };
  }
}

const obstacle = {
  "not-executable": "it is not executable",
  "wrong-architecture": "it is built for another kind of machine",
  other: "the system refuses it",
} as const;

/** A stopped engine, or an endpoint that names none: the difference is whether an engine is known to live there. */
function notRunning(at: string | undefined, from: Standpoint): Explained {
  const { setting, engines, sockets } = from;
  const engine = engines.find(({ endpoint }) => endpoint === at);
  const deserted = at !== undefined && (!at.startsWith("unix:") || sockets?.includes(at) === false);
  if (setting.by !== "default" && engine === undefined && deserted) return notThere(at, from);

  const product = engine?.product ?? "Docker";
  const remedies: Remedy[] = [engine?.start ?? engines[0]?.start ?? { says: "start it" }];
  if (setting.by === "DOCKER_HOST" || setting.by === "DOCKER_CONTEXT") remedies.push(...letGo(from));
  const other = engines.find(({ endpoint }) => endpoint !== at && sockets?.includes(endpoint));
  if (setting.by === "default" && other !== undefined) {
    remedies.push({
      says: `or use ${other.product}, which is there`,
      command: setCommand(from.platform, "DOCKER_HOST", other.endpoint),
    });
  }
  return { reason: "ENGINE_NOT_RUNNING", says: `${product} is installed but not running`, remedies };
}

function notThere(at: string, from: Standpoint): Explained {
  return {
    reason: "ENGINE_WRONG_CONTEXT",
    says: `${who(from.setting)} names ${shownEndpoint(at)}, where no engine is`,
    remedies: [...letGo(from), { says: "or start the engine that belongs there" }],
  };
}

/** An engine on another machine: it answers, and would mount that machine's directories (B17). Undefined for one that is here. */
export function remoteEngine(from: Standpoint): Finding | undefined {
  const { endpoint } = from.setting;
  if (endpoint === undefined || !isRemote(endpoint)) return undefined;
  const says = `${who(from.setting)} names an engine on another machine (${shownEndpoint(endpoint)}), which does not see this one's directories`;
  return { reason: "ENGINE_WRONG_CONTEXT", room: "host", says, remedies: letGo(from) };
}

/** B26. Never with sudo on ourselves: that leaves a data directory and a kubeconfig that belong to root. */
function noPermission({ platform, user }: Standpoint): Explained {
  const says = `Docker runs, but ${user.name} may not use it`;
  if (platform.name === "windows") {
    const command = commandLine(platform, "net", "localgroup", "docker-users", user.name, "/add");
    return {
      reason: "ENGINE_NO_PERMISSION",
      says,
      remedies: [{ says: "as an administrator, then sign out and in again", command }],
    };
  }
  const renew: Remedy = {
    says: "log out and in again; or for this terminal only",
    command: commandLine(platform, "newgrp", user.group),
  };
  if (user.listed === true) {
    return {
      reason: "ENGINE_NO_PERMISSION",
      says: `${says} in this session: it began before the group ${user.group} was given`,
      remedies: [renew],
    };
  }
  const join = commandLine(platform, "sudo", "usermod", "-aG", user.group, user.name);
  return {
    reason: "ENGINE_NO_PERMISSION",
    says,
    remedies: [{ says: `join the group ${user.group}`, command: join }, renew],
  };
}

function versionsApart(
  trouble: { kind: string; client: string; engine: string },
  from: Standpoint,
  asked: "docker" | "k3d",
): Explained {
  const old = trouble.kind === "client-too-old";
  const says = old
    ? `${asked} speaks version ${trouble.client} of Docker's API, and this engine nothing before ${trouble.engine}`
    : `${asked} speaks version ${trouble.client} of Docker's API, and this engine nothing after ${trouble.engine}`;
  const reason = old ? "TOOL_UNUSABLE" : "ENGINE_TOO_OLD";
  if (from.apiVersionSet) {
    return {
      reason,
      says,
      remedies: [
        { says: "DOCKER_API_VERSION decides that", command: unsetCommand(from.platform, "DOCKER_API_VERSION") },
      ],
    };
  }
  const update =
    asked === "k3d" ? "update k3d, or take it off PATH: then one that fits is fetched" : "update the docker command";
  return { reason, says, remedies: [{ says: old ? update : "update Docker Engine" }] };
}

function silence({ how, afterMs }: { how: string; afterMs?: number }): string {
  if (how !== "silent") return `the container engine ${how}`;
  return `the container engine did not answer${afterMs === undefined ? "" : ` within ${Math.round(afterMs / 1000)} s`}`;
}

function restart({ setting, engines, platform }: Standpoint): Remedy {
  const engine = engines.find(({ endpoint }) => endpoint === setting.endpoint) ?? engines[0];
  const start = engine?.start.command;
  if (start?.includes(" start ") === true) {
    return { says: "restart it", command: start.replace(" start ", " restart ") };
  }
  const says = `quit ${engine?.product ?? "the engine"} and start it again`;
  return start === undefined || platform.name === "windows" ? { says } : { says, command: start };
}

/** Who names the engine, as a person would look for it. */
function who({ by, context }: EngineSetting): string {
  if (by === "DOCKER_HOST") return "DOCKER_HOST";
  if (by === "DOCKER_CONTEXT") return "DOCKER_CONTEXT";
  return by === "configuration" && context !== undefined ? `the Docker context ${context}` : "Docker's configuration";
}

/** How to get back to the engine that this machine has anyway. */
function letGo({ setting, platform }: Standpoint): Remedy[] {
  if (setting.by === "default") return [];
  const says = "go back to this machine's own engine";
  if (setting.by === "configuration") return [{ says, command: "docker context use default" }];
  return [{ says, command: unsetCommand(platform, setting.by) }];
}
