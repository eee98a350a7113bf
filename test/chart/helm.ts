import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe } from "vitest";
import { parseAllDocuments } from "yaml";

import type { Container, CronJob, DaemonSet, Deployment, Job, Manifest, PodTemplate } from "./manifests.ts";

export const chart = fileURLToPath(new URL("../../charts/client", import.meta.url));
export const ingestorChart = fileURLToPath(new URL("../../charts/ingestor", import.meta.url));

/** The real helm: the lab's, else the one on PATH. */
export const helm = program(
  "helm",
  join(process.env["TRACEBLOC_LAB_CACHE"] ?? join(homedir(), ".cache", "tracebloc-lab"), "bin"),
);

if (helm === undefined) {
  console.warn("Chart tests are skipped: no helm on PATH, and none in the lab (npm run lab -- up).");
}

/** A suite that needs helm. Without one it is counted as skipped. */
export const describeChart = helm === undefined ? describe.skip : describe;

/** The path of a program, in one folder first, then on PATH. */
export function program(name: string, ...folders: string[]): string | undefined {
  const places = [...folders, ...(process.env["PATH"] ?? "").split(delimiter)];
  return places.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

export type Ran = { code: number | null; stdout: string; stderr: string };

/** Runs a program to its end, `stdin` given as text. */
export function run(
  command: string,
  args: readonly string[],
  options: { stdin?: string; env?: NodeJS.ProcessEnv; uid?: number; gid?: number } = {},
): Promise<Ran> {
  const { stdin = "", ...rest } = options;
  const child = spawn(command, args, { ...rest, stdio: "pipe" });
  const ran: Ran = { code: null, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (ran.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (ran.stderr += text));
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ ...ran, code }));
  });
}

/** `chart` is the client's unless another is named; `kubeconfig` leads to a cluster that helm may ask. */
export type Release = {
  name?: string;
  namespace?: string;
  args?: readonly string[];
  chart?: string;
  kubeconfig?: string;
};

/** The least that the client's chart accepts; laid under all its values here. */
export const identity = { clientId: "11111111-2222-4333-8444-555555555555", clientPassword: "not a real one" };

/** What the installer generates for volumes in directories of the node. */
export const hostpath = {
  storageClass: {
    create: true,
    name: "client-storage-class",
    provisioner: "manual",
    allowVolumeExpansion: true,
    parameters: {},
  },
  hostPath: { enabled: true },
  pvcAccessMode: "ReadWriteOnce",
};

/** What the installer generates for volumes that lie in the node itself. */
export const nodeLocal = {
  storageClass: { create: false, name: "local-path" },
  hostPath: { enabled: false },
  singleNode: true,
  pvcAccessMode: "ReadWriteOnce",
};

/** What goes to helm on standard input. */
function valuesFor(folder: string, values: object): string {
  return JSON.stringify({ ...(folder === chart && identity), ...values });
}

/** A release without what is not its core: agents on the nodes, the road out of trainings. */
export const core = {
  resourceMonitor: false,
  egressProxy: { enabled: false },
  networkPolicy: { training: { enabled: false } },
};

async function template(
  values: object,
  { name = "tracebloc", namespace = "tracebloc", args = [], chart: folder = chart, kubeconfig = "/dev/null" }: Release,
): Promise<Ran> {
  if (helm === undefined) throw new Error("no helm");
  const fixed = ["template", name, folder, "--namespace", namespace, "--values", "-"];
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return run(helm, [...fixed, ...args], { stdin: valuesFor(folder, values), env });
}

const renderings = new Map<string, Promise<Manifest[]>>();

/**
 * The objects that these values render to, for reading only: the same question is asked once. Fails with helm's words when
 * they do not render, and when a YAML key comes twice.
 */
export function render(values: object, release: Release = {}): Promise<Manifest[]> {
  const question = JSON.stringify([values, release]);
  const rendering = renderings.get(question) ?? parse(values, release);
  renderings.set(question, rendering);
  return rendering;
}

async function parse(values: object, release: Release): Promise<Manifest[]> {
  const { code, stdout, stderr } = await template(values, release);
  if (code !== 0) throw new Error(stderr);
  const documents = parseAllDocuments(stdout);
  const broken = documents.flatMap((document) => document.errors);
  if (broken.length > 0) throw new Error(broken.join("\n"));
  return documents.map((document) => document.toJS() as Manifest | null).filter((object) => object !== null);
}

/** Helm's words for values that it must refuse. */
export async function refusal(values: object, release: Release = {}): Promise<string> {
  const { code, stdout, stderr } = await template(values, release);
  if (code === 0) throw new Error(`helm accepted ${JSON.stringify(values)}`);
  if (stdout !== "") throw new Error("helm printed manifests and failed");
  return stderr;
}

/** helm's own opinion of the chart with these values. */
export async function lint(values: object, folder = chart): Promise<Ran> {
  if (helm === undefined) throw new Error("no helm");
  return run(helm, ["lint", folder, "--strict", "--values", "-"], { stdin: valuesFor(folder, values) });
}

/** What a person sees after `helm install`. No cluster is asked. */
export async function notes(
  values: object,
  { name = "tracebloc", namespace = "tracebloc", chart: folder = chart }: Release = {},
): Promise<string> {
  if (helm === undefined) throw new Error("no helm");
  const args = ["install", name, folder, "--namespace", namespace, "--dry-run=client", "--values", "-"];
  const { code, stdout, stderr } = await run(helm, args, {
    stdin: valuesFor(folder, values),
    env: { ...process.env, KUBECONFIG: "/dev/null" },
  });
  if (code !== 0) throw new Error(stderr);
  return stdout.slice(stdout.indexOf("NOTES:"));
}

/** The one object of that kind and name; in one namespace when that is given. */
export function find(objects: readonly Manifest[], kind: string, name: string, namespace?: string): Manifest {
  const found = objects.filter(
    (object) =>
      object.kind === kind &&
      object.metadata.name === name &&
      (namespace === undefined || object.metadata.namespace === namespace),
  );
  const [object] = found;
  if (found.length !== 1 || object === undefined) throw new Error(`${found.length} of ${kind} ${name}`);
  return object;
}

export function deployment(objects: readonly Manifest[], name: string): Deployment {
  return find(objects, "Deployment", name) as Deployment;
}

/** What a workload makes its pods from; undefined for any other object. */
export function podOf(object: Manifest): PodTemplate | undefined {
  if (object.kind === "CronJob") return (object as CronJob).spec.jobTemplate.spec.template;
  if (!["Deployment", "DaemonSet", "Job"].includes(object.kind)) return undefined;
  return (object as Deployment | DaemonSet | Job).spec.template;
}

/** Every container of a release, those that prepare a pod included. */
export function containers(objects: readonly Manifest[]): Container[] {
  return objects
    .flatMap((object) => podOf(object) ?? [])
    .flatMap(({ spec }) => [...(spec.initContainers ?? []), ...spec.containers]);
}

export function container(objects: readonly Manifest[], name: string): Container {
  const found = containers(objects).find((each) => each.name === name);
  if (found === undefined) throw new Error(`no container ${name}`);
  return found;
}

/** The literal variables of a container; those from a Secret as `Secret/key`, those of the pod as their path. */
export function environment({ env = [] }: Container): Record<string, string> {
  return Object.fromEntries(
    env.map(({ name, value, valueFrom }) => [
      name,
      value ?? valueFrom?.fieldRef?.fieldPath ?? `${valueFrom?.secretKeyRef?.name}/${valueFrom?.secretKeyRef?.key}`,
    ]),
  );
}
