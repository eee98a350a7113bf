import { readFileSync, statSync } from "node:fs";

import type { Command } from "../../src/process/runner.ts";
import { engineSays, pem, recorded, type Answer } from "./answers.ts";
import { serveApi, type ClusterApi } from "./cluster-api.ts";
import type { Personality } from "./personality.ts";
import { words, type Script, type Scripted } from "./scripted-runner.ts";
import { inNode } from "./stand-in-node.ts";
import type { Cluster, World } from "./world.ts";

export type StandIn = {
  world: World;
  script: Script;
  /** Puts a cluster there as somebody else made it. */
  have: (cluster: Cluster) => Promise<void>;
  unexpected: () => readonly string[];
  close: () => Promise<void>;
};

/** The machine's engine, k3d, Helm and cluster, with what real ones answered. */
export function standIn(person: Personality): StandIn {
  const world: World = {
    cluster: undefined,
    directories: "missing",
    ignoresModes: undefined,
    release: undefined,
    looksUntilReady: 0,
    faults: [],
    answer: (command) => tools[command.file]?.(command),
  };
  let api: ClusterApi | undefined;
  const unknownPaths: string[] = [];
  const up = async () => {
    if (world.cluster !== undefined) api ??= await serveApi(world.cluster.port, world);
  };
  const down = async () => {
    unknownPaths.push(...(api?.unexpected ?? []));
    await api?.close();
    api = undefined;
  };
  const tools: Readonly<Record<string, Script>> = {
    docker: async (command) => {
      const answer = dockerAnswers(command, world, person);
      if (command.args[1] === "rm" || command.args[1] === "stop") await down();
      if (command.args[1] === "unpause") await up();
      return answer;
    },
    k3d: async (command) => {
      const answer = k3dAnswers(command, world);
      if (["create", "start"].includes(command.args[1] ?? "")) await up();
      return answer;
    },
    helm: (command) => helmAnswers(command, world),
    // What macOS itself is asked; no other system is.
    "/sbin/mount": () => (person.name === "macos" ? mountsOfMac : undefined),
  };
  return {
    world,
    script: async (command) => {
      for (const fault of world.faults) {
        const answer = await fault(command);
        if (answer !== undefined) return answer;
      }
      return world.answer(command);
    },
    have: async (cluster) => {
      world.cluster = cluster;
      if (cluster.is === "running") await up();
    },
    unexpected: () => [...unknownPaths, ...(api?.unexpected ?? [])],
    close: down,
  };
}

const mountsOfMac: Answer = {
  exitCode: 0,
  stdout: "/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)\n",
  stderr: "",
};

function dockerAnswers(command: Command, world: World, person: Personality): Scripted {
  const { cluster } = world;
  const line = words(command);
  const [object, verb] = command.args;
  const standing =
    cluster === undefined ? "absent" : { running: "healthy", paused: "paused", stopped: "stopped" }[cluster.is];
  switch (`${object} ${verb}`) {
    case "version --format":
    case "info --format":
      return engineSays("ready", `docker ${object}`);
    case "context inspect":
      return withEndpoint(engineSays("no context chosen", "docker context"), person);
    case "container ls":
      // Who else has the data folder: nobody.
      if (command.args.some((arg) => arg.startsWith("volume="))) return { exitCode: 0, stdout: "", stderr: "" };
      return ofThis(asRecorded(`${standing}: docker container ls`, command), cluster);
    case "container inspect":
      return cluster === undefined
        ? asRecorded("absent: docker container inspect, failed", command)
        : inspected(asRecorded(`${standing}: docker container inspect`, command), cluster, person);
    case "exec --interactive":
      return cluster?.is === "running" ? inNode(command, world) : recorded(`${standing}: docker exec seen, failed`);
    case "container rm":
      world.cluster = undefined;
      world.release = undefined;
      return recorded("uninstall: docker container rm");
    case "container unpause":
      if (cluster !== undefined) world.cluster = { ...cluster, is: "running" };
      return recorded("paused: docker container unpause");
    case "container logs":
      return { exitCode: 0, stdout: 'time="2026-11-30T10:00:00Z" level=info msg="Starting k3s"\n', stderr: "" };
    case "network ls":
    case "network rm":
    case "volume ls":
    case "volume rm":
      return line.includes("docker") ? recorded(`uninstall: docker ${object} ${verb}`) : undefined;
    default:
      return undefined;
  }
}

/** Only an answer to this very question will do: where the product asks for more, it has to be recorded again. */
function asRecorded(about: string, { args }: Command): Answer {
  const { args: asked, ...answer } = recorded(about);
  if (args.join(" ") !== asked.join(" ")) throw new Error(`other than recorded: ${args.join(" ")}: run record.mjs`);
  return answer;
}

function withEndpoint(answer: Answer, { platform }: Personality): Answer {
  const [engine] = platform.engines;
  const local = engine?.endpoint.includes("$") === true ? "unix:///var/run/docker.sock" : (engine?.endpoint ?? "");
  return { ...answer, stdout: answer.stdout.replace("unix:///var/run/docker.sock", local) };
}

function ofThis(answer: Answer, cluster: Cluster | undefined): Answer {
  return { ...answer, stdout: answer.stdout.replaceAll("{installation}", cluster?.installation ?? "") };
}

/** The recorded node with this cluster's image, port and folders in it, spelled as this system's engine does. */
function inspected(answer: Answer, cluster: Cluster, { inEngine }: Personality): Answer {
  const seen = JSON.parse(answer.stdout) as { mounts: { Type: string }[]; state: object; restarts: number };
  const { state = {}, restarts = seen.restarts, mounts } = cluster.seen ?? {};
  const binds = cluster.folders.map(([source, destination]) => ({
    Type: "bind",
    Source: inEngine(source),
    Destination: destination,
    Mode: "",
    RW: true,
    Propagation: "rprivate",
  }));
  const stdout = JSON.stringify({
    ...seen,
    image: cluster.image,
    state: { ...seen.state, ...state },
    restarts,
    mounts: [...(mounts ?? binds), ...seen.mounts.filter(({ Type }) => Type !== "bind")],
    binds: cluster.folders.map(([source, destination]) => `${source}:${destination}`),
    ports: { "6443": [{ HostIp: "127.0.0.1", HostPort: String(cluster.port) }] },
    installation: cluster.installation,
    apiPort: String(cluster.port),
  });
  return { ...answer, stdout: `${stdout}\n` };
}

function k3dAnswers(command: Command, world: World): Scripted {
  const { args } = command;
  switch (args.slice(0, 2).join(" ")) {
    case "version":
      return recorded("install: k3d version");
    case "cluster list":
      return { exitCode: 0, stdout: "[]\n", stderr: "" };
    case "cluster create":
      world.cluster = created(args);
      world.directories = "missing";
      return recorded("install: k3d cluster create");
    case "cluster start":
      if (world.cluster !== undefined) world.cluster = { ...world.cluster, is: "running" };
      return recorded("stopped: k3d cluster start");
    case "kubeconfig get":
      return kubeconfig(world.cluster);
    default:
      return undefined;
  }
}

/** A fault: calls that begin so get this answer. k3d leaves what it had made until then, where `leaves` says what. */
export function failing(call: string, answer: Scripted, leaves?: (command: Command) => void): Script {
  return (command) => {
    if (!words(command).startsWith(call)) return undefined;
    leaves?.(command);
    return answer;
  };
}

/** k3d cuts a volume at the last `:` before `@`; a drive's colon comes before. */
export function created(args: readonly string[]): Cluster {
  const valuesOf = (flag: string) => args.flatMap((arg, at) => (args[at - 1] === flag ? [arg] : []));
  const folders = valuesOf("--volume").map((volume) => {
    const [, source = "", destination = ""] = /^(.*):(\/[^:]*)@all$/.exec(volume) ?? [];
    return [source.replaceAll("\\@", "@"), destination] as const;
  });
  return {
    is: "running",
    installation: /^tracebloc\.installation=(.*)@server:0$/.exec(valuesOf("--runtime-label")[0] ?? "")?.[1] ?? "",
    image: valuesOf("--image")[0] ?? "",
    port: Number(valuesOf("--api-port")[0]?.split(":")[1]),
    folders,
  };
}

function kubeconfig(cluster: Cluster | undefined): Answer {
  const answer = recorded("install: k3d kubeconfig get");
  const keys = ["ca.crt", "client.crt", "client.key"].map((file) => Buffer.from(pem(file)).toString("base64"));
  const stdout = answer.stdout
    .replace(/server: .*/, `server: https://0.0.0.0:${cluster?.port ?? 0}`)
    .replaceAll("{base64}", () => keys.shift() ?? "");
  return { ...answer, stdout };
}

function helmAnswers({ args }: Command, world: World): Scripted {
  const valueOf = (flag: string) => args[args.indexOf(flag) + 1] ?? "";
  switch (args[0]) {
    case "version":
      return recorded("install: helm version");
    case "upgrade": {
      const file = valueOf("--values");
      // Secrets lie in it: on systems that know modes it must be nobody else's.
      if ((statSync(file).mode & 0o077) !== 0) throw new Error(`${file} is open to others`);
      world.release = {
        name: args[2] ?? "",
        namespace: valueOf("--namespace"),
        revision: (world.release?.revision ?? 0) + 1,
        status: "deployed",
        labels: Object.fromEntries([valueOf("--labels").split("=")] as [string, string][]),
        chart: { name: "client", version: "2.0.0" },
        values: JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>,
      };
      world.looksUntilReady = 1;
      return recorded("install: helm upgrade");
    }
    case "uninstall":
      world.release = undefined;
      return recorded("helm: : helm uninstall");
    default:
      return undefined;
  }
}
