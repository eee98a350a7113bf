import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { execa } from "execa";
import { afterAll, beforeAll } from "vitest";

import { labClient, labPassword, start as startBackend } from "../../scripts/lab/backend.mjs";
import { environment as lab } from "../../scripts/lab/environment.mjs";
import type { Event } from "../../src/engine/events.ts";
import type { Line } from "../../src/engine/journal-line.ts";
import type { Result } from "../../src/ui/result.ts";
import { faultsOfOutput } from "../output.ts";
import { inLab, labEnvironment } from "./lab.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The built program in the lab, as one person has it: with a state, a data directory, a cluster and a backend of its own. */
export type Product = {
  cluster: string;
  node: string;
  /** All that it finds in its environment, the stand-in backend of its own included; a call may lay more over it. */
  environment: () => Readonly<Record<string, string | undefined>>;
  /** A temporary folder that goes with the product. `state` and `data` lie in it. */
  folder: string;
  state: string;
  data: string;
  /** Requests that the stand-in backend saw. */
  backend: () => readonly Asked[];
  /** Runs it to its end. Never rejects because of an exit code. */
  run: (args: readonly string[], options?: RunOptions) => Promise<Ran>;
  /** Starts it and returns at once, for tests that interfere. */
  start: (args: readonly string[], options?: RunOptions) => Started;
  /** Runs a shell command in the node, as root, and returns its stdout. */
  inNode: (command: string) => Promise<string>;
  /** kubectl of the node: it needs no kubeconfig of the machine, and works when ours is what is tested. */
  kubectl: (args: readonly string[], input?: string) => Promise<string>;
  /** The logs of all runs so far, oldest first. */
  logs: () => string[];
};

type Asked = { path: string; username: string | null; status: number | null };

export type RunOptions = {
  /** Laid over the product's environment; undefined removes a variable. */
  env?: Readonly<Record<string, string | undefined>>;
  input?: string;
  /** A command that runs it, such as `unshare --mount`; its own arguments come after these. */
  under?: readonly string[];
  /** A process group of its own, as a shell gives to what is typed: `kill` can then reach all of it, as a terminal does. */
  ownGroup?: boolean;
};

export type Started = {
  pid: number;
  /** To the program alone or, as Ctrl-C on a terminal does, to its whole process group. */
  kill: (signal: NodeJS.Signals, whom?: "program" | "group") => void;
  /** Resolves when what it said so far fits; rejects when the program ends without that. */
  says: (words: RegExp) => Promise<void>;
  /** Resolves with the first line of `--json` that fits; rejects when the program ends without one. */
  until: (fits: (line: Output) => boolean) => Promise<Output>;
  ended: Promise<Ran>;
};

/** A line of `--json`. */
export type Output = { v: number } & (Event | Result);

export type Ran = {
  exit: number | undefined;
  signal: string | undefined;
  stdout: string;
  stderr: string;
  /** The end of what it said, for the message of a test that fails. */
  last: string;
  /** The lines of `--json`. Throws where one is not JSON, or not as the schema that ships says. */
  lines: () => Output[];
  /** The last of them. Throws where it is no result. */
  result: () => Result;
  /** The run's log, which the result names; for a run that was killed see `Product.logs`. */
  log: () => Line[];
  ms: number;
};

/** Names that the product reads; a test sets those that it means, whatever the machine has. */
const read =
  /^(TRACEBLOC_|TB_|HOST_|NPM_|CLIENT_|CLUSTER_|K3D_|HELM_|KUBE|CI$|NO_COLOR$|GITHUB_ACTIONS$|HTTPS?_PROXY$|ALL_PROXY$)/i;

/**
 * The product for the tests of one `describe`: `const product = useProduct("lab-repair")`. Removes what an earlier run
 * of these tests left under this name, and what they made when they are done, however they end.
 */
export function useProduct(cluster: string): Product {
  const folder = mkdtempSync(join(tmpdir(), `${cluster}-`));
  const program = copyProgram(folder);
  const [state, data] = [join(folder, "state"), join(folder, "data")];
  const node = `k3d-${cluster}-server-0`;
  let backend: Awaited<ReturnType<typeof startBackend>> | undefined;

  beforeAll(async () => {
    await removeCluster(cluster);
    backend = await startBackend();
  });
  afterAll(async () => {
    await removeCluster(cluster);
    await backend?.stop();
    await rm(folder, { recursive: true });
  });

  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  const wishes = {
    // So that whatever a run leaves anywhere is found below `folder`.
    TMPDIR: temporary,
    XDG_CACHE_HOME: join(folder, "cache"),
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_DATA_HOME: join(folder, "share"),
    TRACEBLOC_STATE_DIR: state,
    HOST_DATA_DIR: data,
    CLUSTER_NAME: cluster,
    TRACEBLOC_VALUES_FILE: join(root, "scripts", "lab", "values.yaml"),
    TRACEBLOC_CLIENT_ID: labClient,
    TRACEBLOC_CLIENT_PASSWORD: labPassword,
  };
  const environment = () => ({
    ...Object.fromEntries(Object.entries(labEnvironment()).filter(([name]) => !read.test(name))),
    ...lab(backend === undefined ? {} : { backend: backend.url }),
    ...wishes,
  });
  const start = (args: readonly string[], { env = {}, input = "", under = [], ownGroup = false }: RunOptions = {}) =>
    launch([...under, process.execPath, program, ...args], {
      env: { ...environment(), ...env },
      input,
      ownGroup,
      cwd: folder,
    });
  return {
    cluster,
    node,
    environment,
    folder,
    state,
    data,
    backend: () => (backend?.seen ?? []) as Asked[],
    start,
    run: (args, options) => start(args, options).ended,
    inNode: (command) => inLab("docker", ["exec", node, "sh", "-c", command]),
    kubectl: (args, input = "") => inLab("docker", ["exec", "-i", node, "kubectl", ...args], { input }),
    logs: () =>
      readdirSync(join(state, "runs"))
        .toSorted()
        .map((name) => join(state, "runs", name)),
  };
}

/** Starts the product and keeps all that it says. */
function launch(
  [file = "", ...args]: readonly string[],
  {
    env,
    input,
    ownGroup,
    cwd,
  }: { env: Record<string, string | undefined>; input: string; ownGroup: boolean; cwd: string },
): Started {
  const began = performance.now();
  const child = execa(file, args, {
    env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)),
    extendEnv: false,
    input,
    cwd,
    detached: ownGroup,
    reject: false,
    stripFinalNewline: false,
  });
  const seen: Output[] = [];
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const watchers = new Set<(line: Output) => void>();
  const follow = (async () => {
    for await (const line of child.iterable()) {
      if (!line.startsWith("{")) continue;
      const output = JSON.parse(line) as Output;
      seen.push(output);
      for (const tell of watchers) tell(output);
    }
  })().catch(() => undefined);
  const ended = (async () => {
    const { exitCode, signal, stdout, stderr } = await child;
    await follow;
    return ran({ exit: exitCode, signal, stdout, stderr, ms: performance.now() - began });
  })();
  const pid = child.pid ?? 0;
  return {
    pid,
    kill: (signal, whom = "program") => void (whom === "group" ? process.kill(-pid, signal) : child.kill(signal)),
    ended,
    says: (words) =>
      new Promise((resolve, reject) => {
        // Registered after the one that collects, so that `said` holds the chunk already.
        const look = () => words.test(said) && resolve();
        look();
        child.stderr.on("data", look);
        void ended.then(({ exit }) => reject(new Error(`ended with ${exit} and did not say ${words}:\n${said}`)));
      }),
    until: (fits) =>
      new Promise((resolve, reject) => {
        const before = seen.find(fits);
        if (before !== undefined) return resolve(before);
        const tell = (line: Output) => {
          if (!fits(line)) return;
          watchers.delete(tell);
          resolve(line);
        };
        watchers.add(tell);
        void ended.then(({ exit, stderr }) => reject(new Error(`ended with ${exit} before that\n${stderr}`)));
      }),
  };
}

function ran(said: Omit<Ran, "last" | "lines" | "result" | "log">): Ran {
  const lines = () => {
    const parsed = said.stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Output);
    const faults = faultsOfOutput(parsed);
    if (faults.length > 0) throw new Error(`not as the schema of --json says:\n${faults.join("\n")}`);
    return parsed;
  };
  const result = () => {
    const last = lines().at(-1);
    if (last?.type !== "result") throw new Error(`no result at the end of:\n${said.stdout}\n${said.stderr}`);
    return last;
  };
  const last = `${said.stderr}\n${said.stdout}`.slice(-4000);
  return { ...said, last, lines, result, log: () => readLog(result().log) };
}

/** The lines of a run's log: events, calls, actions before and after. */
export function readLog(path: string | undefined): Line[] {
  if (path === undefined) throw new Error("this run wrote no log");
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

/** The programs that a run started: what its log says, in the order in which they ended. */
export function callsOf(log: readonly Line[]): Extract<Line, { is: "call" }>[] {
  return log.filter((line) => line.is === "call");
}

/** The actions that a run did, in order, from the marks before each. */
export function actionsOf(log: readonly Line[]): string[] {
  return log.flatMap((line) => (line.is === "action" && line.phase === "before" ? [line.action.do] : []));
}

/** The program and its charts, apart from the checkout: a build that starts meanwhile pulls nothing from under it. */
function copyProgram(folder: string): string {
  for (const part of ["dist", "charts", "package.json"]) {
    cpSync(join(root, part), join(folder, "program", part), { recursive: true });
  }
  return join(folder, "program", "dist", "bin.cjs");
}

/** Takes away all that has a cluster's label, whatever state it is in: a paused node, half of one, a network alone. */
export async function removeCluster(cluster: string): Promise<void> {
  const mine = ["--filter", `label=k3d.cluster=${cluster}`];
  const listed = async (...args: string[]) => (await inLab("docker", args)).split("\n").filter((line) => line !== "");
  const containers = await listed("container", "ls", "--all", "--quiet", ...mine);
  if (containers.length > 0) await inLab("docker", ["container", "rm", "--force", "--volumes", ...containers]);
  const volumes = await listed("volume", "ls", "--quiet", ...mine);
  if (volumes.length > 0) await inLab("docker", ["volume", "rm", "--force", ...volumes]);
  const networks = await listed("network", "ls", "--format", "{{.Name}}", "--filter", `name=k3d-${cluster}`);
  for (const name of networks.filter((one) => one === `k3d-${cluster}`)) await inLab("docker", ["network", "rm", name]);
}
