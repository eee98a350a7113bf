import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";

import type { ClusterAction } from "../../../src/cluster/actions.ts";
import { readInstallation } from "../../../src/cluster/installation.ts";
import { clusterPerformers } from "../../../src/cluster/performers.ts";
import { Failure, type Finding } from "../../../src/engine/finding.ts";
import type { Machine } from "../../../src/engine/machine.ts";
import type { Command, RunResult } from "../../../src/process/runner.ts";
import { exited, fixture, scripted, words } from "./stand-in.ts";

/** The place of one test: a state folder, and an API server whose `/readyz` answers with `readyz`. */
export const place = { root: "", port: 0, readyz: 200 };

/** Makes `place` anew for each test of a file. */
export function usePlace(): void {
  let server: Server;
  beforeEach(async () => {
    const tls = { cert: fixture("tls/server.crt"), key: fixture("tls/server.key") };
    server = createServer(tls, (_, response) => response.writeHead(place.readyz).end("ok"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    place.root = mkdtempSync(join(tmpdir(), "tracebloc-cluster-"));
    place.port = (server.address() as AddressInfo).port;
    place.readyz = 200;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
    rmSync(place.root, { recursive: true });
  });
}

export type Made = {
  name: string;
  role: string;
  state: string;
  installation: string;
  folder: string;
  type: string;
  exitCode?: number;
  restarts?: number;
};

/** An engine and a k3d that keep containers as the real ones do, as far as these actions see them. */
export function engine(more: { create?: (make: () => void, command: Command) => RunResult | Promise<RunResult> } = {}) {
  const made = new Map<string, Made>();
  const removed: string[] = [];
  const make = ({ args }: Command) => {
    const label = args.at(-1) ?? "";
    const folder = (args[args.indexOf("--volume") + 1] ?? "").split(":")[0] ?? "";
    const installation = /tracebloc\.installation=(.*)@/.exec(label)?.[1] ?? "";
    made.set("k3d-tracebloc-server-0", {
      name: "k3d-tracebloc-server-0",
      role: "server",
      state: "running",
      installation,
      folder,
      type: "bind",
    });
  };
  const runner = scripted((command) => {
    const line = words(command);
    if (line.startsWith("docker container ls")) {
      return exited({ stdout: [...made.values()].map((each) => `${JSON.stringify(each)}\n`).join("") });
    }
    if (line.startsWith("docker container inspect")) return inspected(made.get("k3d-tracebloc-server-0"));
    if (line.startsWith("docker container logs")) {
      return exited({ stdout: 'level=info msg="Starting k3s"\n', stderr: 'level=fatal msg="it broke"\n' });
    }
    if (line.startsWith("docker container rm")) {
      for (const name of command.args.slice(4)) made.delete(name);
      removed.push(...command.args.slice(4));
      return exited();
    }
    if (line.startsWith("docker container unpause")) {
      for (const name of command.args.slice(2)) made.set(name, { ...(made.get(name) as Made), state: "running" });
      return exited();
    }
    if (line.startsWith("docker network ls")) return exited({ stdout: "k3d-tracebloc2\nk3d-tracebloc\n" });
    if (line.startsWith("docker volume ls")) return exited({ stdout: "k3d-tracebloc-images\n" });
    if (line.startsWith("docker network rm") || line.startsWith("docker volume rm")) {
      removed.push(command.args[2] ?? "");
      return exited();
    }
    if (line.startsWith("k3d cluster create")) {
      if (more.create !== undefined) return more.create(() => make(command), command);
      make(command);
      return exited();
    }
    if (line.startsWith("k3d kubeconfig get")) return exited({ stdout: kubeconfig() });
    return undefined;
  });
  return { runner, made, removed };
}

function inspected(node: Made | undefined): RunResult {
  if (node === undefined) {
    return exited({ exitCode: 1, stderr: "Error response from daemon: No such container: k3d-tracebloc-server-0\n" });
  }
  const { name, state, installation, folder, type, exitCode = 0, restarts = 0 } = node;
  const stdout = JSON.stringify({
    name: `/${name}`,
    created: "2026-11-30T10:00:00Z",
    image: "rancher/k3s:v1",
    restarts,
    state: { Status: state, ExitCode: exitCode, StartedAt: "2026-11-30T10:00:01Z" },
    mounts: [{ Type: type, Source: folder, Destination: "/tracebloc", RW: true }],
    ports: { "6443": [{ HostIp: "127.0.0.1", HostPort: String(place.port) }] },
    cluster: "tracebloc",
    installation,
  });
  return exited({ stdout });
}

/** As k3d prints it, with an address that cannot be called (B13) and with the certificates of `tls/`. */
export function kubeconfig(context = "k3d-tracebloc"): string {
  const base64 = (name: string) => Buffer.from(fixture(`tls/${name}`)).toString("base64");
  return `---
apiVersion: v1
clusters:
- cluster: { certificate-authority-data: ${base64("ca.crt")}, server: "https://0.0.0.0:1" }
  name: ${context}
contexts:
- context: { cluster: ${context}, user: admin }
  name: ${context}
current-context: ${context}
users:
- name: admin
  user: { client-certificate-data: ${base64("client.crt")}, client-key-data: ${base64("client.key")} }
`;
}

export const create = (): Extract<ClusterAction, { do: "cluster.create" }> => ({
  do: "cluster.create",
  because: "no cluster tracebloc exists",
  cluster: "tracebloc",
  image: "rancher/k3s:v1",
  toolsImage: "tools:1",
  port: place.port,
  anyPort: false,
  dataDir: join(place.root, "data"),
  datasetDir: undefined,
});

export const performers = clusterPerformers(() => "k3d");

/** What an action that failed said: never without what to do. */
export async function failing(action: Promise<void>): Promise<Finding> {
  const error: unknown = await action.then(
    () => new Error("it did not fail"),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Failure)) throw error;
  expect(error.finding.remedies).not.toEqual([]);
  return error.finding;
}

export function noted(on: Machine): unknown {
  const seen = readInstallation(on.state);
  return seen.state === "known" && seen.value.is === "here" ? seen.value.installation.clusters["tracebloc"] : undefined;
}
