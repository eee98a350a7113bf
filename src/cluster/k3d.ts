import { k3dBindSource } from "../platform/mounts.ts";
import type { Platform } from "../platform/platform.ts";
import type { Command, RunResult } from "../process/runner.ts";
import { installationLabel, mountPoints } from "./node.ts";

/** k3d gives up waiting for the server after this long. */
export const createLimitMs = 15 * 60_000;
/** k3d's own limit does not cover pulling images, so that the outer deadline is longer. */
const createPatienceMs = 5 * 60_000;
/** The same for starting a cluster whose images are there already. */
export const startLimitMs = 5 * 60_000;
const startPatienceMs = 60_000;

/** What a cluster of ours is made of: what the node mounts decides where the data of its releases lies. */
export type ClusterShape = {
  cluster: string;
  image: string;
  /** The image of k3d's helper container, which tells k3d about the engine's network. */
  toolsImage: string;
  /** Of the Kubernetes API on 127.0.0.1. */
  port: number;
  /** Another one will do where this is taken by the time k3d asks for it. */
  anyPort: boolean;
  /** Absolute folder of this machine, as the engine understands it. Undefined in node-local mode. */
  dataDir: string | undefined;
  datasetDir: string | undefined;
  /** What images come from in place of Docker Hub: host, port, path; `http://` before it for one without TLS. */
  mirror?: string;
  /** Certificates that the node is to trust: a PEM file of this machine, and what tells it from another. */
  caBundle?: { path: string; fingerprint: string };
};

/**
 * `k3d cluster create`. The user's kubeconfig is left alone (B07), nothing but the API is published, and a failure is
 * left standing (`--no-rollback`) so that the node's log can still be read. metrics-server stays: the chart needs it.
 * `registries` are flags of k3d's about where images come from.
 */
export function createCluster(
  k3d: string,
  shape: ClusterShape,
  installation: string,
  platform: Platform,
  registries: readonly string[] = [],
): Command {
  const { cluster, image, port, dataDir, datasetDir } = shape;
  const disabled = ["traefik", "servicelb", ...(dataDir === undefined ? [] : ["local-storage"])];
  const folders = [mount(platform, dataDir, mountPoints.data), mount(platform, datasetDir, mountPoints.datasets)];
  const server = ["--servers", "1", "--agents", "0", "--no-lb", "--api-port", `127.0.0.1:${port}`, "--image", image];
  const conduct = ["--wait", "--timeout", seconds(createLimitMs), "--no-rollback", "--kubeconfig-update-default=false"];
  const off = disabled.flatMap((component) => ["--k3s-arg", `--disable=${component}@server:*`]);
  const mounts = folders.flatMap((folder) => (folder === undefined ? [] : ["--volume", folder]));
  const label = ["--runtime-label", `${installationLabel}=${installation}@server:0`];
  const args = ["cluster", "create", cluster, ...server, ...conduct, ...off, ...mounts, ...label, ...registries];
  return k3dCommand(k3d, "k3d cluster create", shape.toolsImage, createLimitMs + createPatienceMs, args);
}

/** `k3d cluster start`: starts what is stopped and waits, bounded, for the server's log to say that it is up. */
export function startCluster(k3d: string, cluster: string, toolsImage: string): Command {
  const args = ["cluster", "start", cluster, "--wait", "--timeout", seconds(startLimitMs)];
  return k3dCommand(k3d, "k3d cluster start", toolsImage, startLimitMs + startPatienceMs, args);
}

/** `k3d kubeconfig get`: prints it, with the private key, and writes no file. */
export function getKubeconfig(k3d: string, cluster: string): Command {
  return { file: k3d, args: ["kubeconfig", "get", cluster], about: "k3d kubeconfig get", timeoutMs: 20_000, raw: true };
}

/** `k3d cluster list`, without a name: asked for one that is not there, k3d fails as if something were wrong. */
export function listClusters(k3d: string): Command {
  return {
    file: k3d,
    args: ["cluster", "list", "--output", "json"],
    about: "k3d cluster list",
    timeoutMs: 15_000,
    maxBytes: 16 << 20,
  };
}

/** K3D_CONFIG in the environment would lay a whole configuration file over these flags. */
function k3dCommand(
  k3d: string,
  about: string,
  toolsImage: string,
  timeoutMs: number,
  args: readonly string[],
): Command {
  return {
    file: k3d,
    args,
    about,
    timeoutMs,
    mutates: true,
    env: { K3D_IMAGE_TOOLS: toolsImage, K3D_CONFIG: undefined },
  };
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)}s`;
}

/** What cannot be mounted was refused with the wishes; here it would be a defect. */
function mount(platform: Platform, folder: string | undefined, destination: string): string | undefined {
  if (folder === undefined) return undefined;
  const bind = k3dBindSource(platform, folder);
  if (!bind.mountable) throw new Error(`${folder} ${bind.why}`);
  return `${bind.source}:${destination}@all`;
}

/**
 * The names of all clusters that k3d sees. Throws where the answer is not understood: no such answer means "none" (B22).
 * k3d 5 prints an array, and what it cannot encode as plain text with exit code 0; a banner may stand before it (B15).
 * Only names are kept: the nodes' environment and labels hold the cluster's token and proxy passwords.
 */
export function parseClusterNames(result: RunResult): string[] {
  if (result.truncated) throw new Error("its answer was too long");
  const list = lastDocument(result.stdout);
  if (!Array.isArray(list)) throw new Error("it did not answer with a list");
  return list.map((cluster: unknown) => {
    const name = typeof cluster === "object" && cluster !== null ? (cluster as { name?: unknown }).name : undefined;
    if (typeof name !== "string") throw new Error("it lists a cluster without a name");
    return name;
  });
}

/** The document that starts at the start of a line and is the last thing printed; undefined where there is none. */
function lastDocument(text: string): unknown {
  const start = text.search(/^\[/m);
  try {
    return start === -1 ? undefined : JSON.parse(text.slice(start));
  } catch {
    return undefined;
  }
}
