import { setTimeout as pause } from "node:timers/promises";

import { execa } from "execa";
import { afterAll, beforeAll } from "vitest";

import type { Finding } from "../../src/engine/finding.ts";
import type { Reason } from "../../src/engine/reasons.ts";
import { podImages } from "../../scripts/lab/versions.mjs";
import { inLab } from "./lab.ts";
import type { Product, Ran } from "./product.ts";

/** The containers of a cluster, by k3d's label, whatever their state. */
export async function containersOf(cluster: string): Promise<string[]> {
  const filter = `label=k3d.cluster=${cluster}`;
  return linesOf(await inLab("docker", ["container", "ls", "--all", "--filter", filter, "--format", "{{.Names}}"]));
}

/** All that k3d makes for a cluster, by kind: nothing may be left of one that was given up. */
export async function partsOf(
  cluster: string,
): Promise<{ containers: string[]; networks: string[]; volumes: string[] }> {
  const networks = await inLab("docker", ["network", "ls", "--format", "{{.Name}}"]);
  const volumes = await inLab("docker", ["volume", "ls", "--format", "{{.Name}}"]);
  return {
    containers: await containersOf(cluster),
    networks: linesOf(networks).filter((name) => name === `k3d-${cluster}`),
    volumes: linesOf(volumes).filter((name) => name.startsWith(`k3d-${cluster}-`)),
  };
}

export const noParts = { containers: [], networks: [], volumes: [] };

/** Which container this is, and since when it runs: another value means that somebody touched it. */
export async function identityOf(container: string): Promise<string> {
  const format = "{{.Id}} {{.State.Status}} {{.State.StartedAt}} {{.RestartCount}}";
  return inLab("docker", ["container", "inspect", "--format", format, container]);
}

/** False also where there is none. */
export function isRunning(container: string): Promise<boolean> {
  return inLab("docker", ["container", "inspect", "--format", "{{.State.Running}}", container]).then(
    (said) => said === "true",
    () => false,
  );
}

/** The k3d that is making this cluster, by its pid; undefined where none is. */
export async function creatorOf(cluster: string): Promise<number | undefined> {
  const { stdout } = await execa("pgrep", ["-f", `^[^ ]*k3d cluster create ${cluster} `], { reject: false });
  return stdout === "" ? undefined : Number(stdout.split("\n")[0]);
}

/** The warning or failure of this reason, from anything that the run said; undefined where it did not. */
export function findingOf(ran: Ran, reason: Reason): Finding | undefined {
  return ran
    .lines()
    .flatMap((line) => {
      if (line.type === "warning") return [line.finding];
      return line.type === "result" ? [...line.failures, ...line.warnings] : [];
    })
    .find((finding) => finding.reason === reason);
}

/** What the run was ended by, in its own words. */
export function failuresOf(ran: Ran): Reason[] {
  return ran.result().failures.map(({ reason }) => reason);
}

/** What the run waited for, each once. */
export function waitsOf(ran: Ran): string[] {
  return [...new Set(ran.lines().flatMap((line) => (line.type === "wait" ? [line.waitingFor] : [])))];
}

/** Runs a remedy's command as a person would who pastes it into the shell that the product was started from. */
export async function paste(
  product: Product,
  command: string | undefined,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  if (command === undefined) throw new Error("this remedy has no command");
  const all = { ...product.environment(), ...env };
  const { stdout } = await execa("sh", ["-c", command], { env: all, extendEnv: false, cwd: product.folder });
  return stdout;
}

/** Looks again and again until the look gives something, at most for `seconds`; gives it. */
export async function until<T>(what: string, look: () => Promise<T> | T, seconds = 60): Promise<NonNullable<T>> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen;
    if (performance.now() > deadline) throw new Error(`waited ${seconds} s in vain for ${what}`);
    await pause(50);
  }
}

/** Every release in the cluster with all its revisions, as Helm tells it. */
export async function revisionsOf(
  product: Product,
  release = "tracebloc",
): Promise<{ revision: number; status: string }[]> {
  const kubeconfig = await inLab("k3d", ["kubeconfig", "get", product.cluster]);
  const path = `${product.folder}/kubeconfig-for-looking`;
  await inLab("sh", ["-c", `umask 077 && cat > "$0"`, path], { input: kubeconfig });
  const road = ["--kubeconfig", path, "--namespace", release, "--output", "json"];
  return JSON.parse(await inLab("helm", ["history", release, ...road])) as { revision: number; status: string }[];
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .toSorted();
}

/** A container that has nothing to do with us, for the tests of one `describe`: its identity must not change. */
export function useNeighbour(name: string): { name: string; identity: () => string } {
  let identity = "";
  const remove = () => inLab("docker", ["container", "rm", "--force", name]).catch(() => "");
  beforeAll(async () => {
    await remove();
    await inLab("docker", ["run", "--detach", "--name", name, podImages.busybox, "sleep", "100000"]);
    identity = await identityOf(name);
  });
  afterAll(remove);
  return { name, identity: () => identity };
}

/** Runs the product in mounts of its own: what the script mounts is seen by no one else, and gone afterwards. */
export function inMounts(script: string): { under: readonly string[] } {
  return { under: ["unshare", "--mount", "sh", "-c", `${script} && exec "$@"`, "sh"] };
}
