import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { execa } from "execa";

import { environment } from "../../scripts/lab/environment.mjs";
import { podImages } from "../../scripts/lab/versions.mjs";

/** The environment of a program that runs in the lab. Throws before `npm run lab -- up`. */
export function labEnvironment(backend?: string): NodeJS.ProcessEnv {
  return { ...process.env, ...environment(backend === undefined ? {} : { backend }) };
}

/** Runs a program in the lab and returns its stdout; rejects when it fails. `env` is laid over the lab's. */
export async function inLab(
  program: string,
  args: readonly string[],
  { input = "", env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const { stdout } = await execa(program, args, { env: { ...labEnvironment(), ...env }, input });
  return stdout;
}

export const docker = (...args: string[]) => inLab("docker", args);

/** A cluster of the product's shape, made by k3d itself for tests that want to see a cluster without the product. */
export type LabCluster = {
  node: string;
  /** The folder of this machine that is /tracebloc in the node. */
  data: string;
  /** The path of its kubeconfig, which goes with it. */
  kubeconfig: string;
  kubectl: (args: readonly string[], input?: string) => Promise<string>;
  remove: () => Promise<void>;
};

/** Whatever reaches a cluster. */
type Reached = Pick<LabCluster, "kubectl">;

export async function createCluster(name: string): Promise<LabCluster> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  const data = await mkdtemp(join(tmpdir(), `${name}-data-`));
  const kubeconfig = join(folder, "kubeconfig");
  const remove = async () => {
    await inLab("k3d", ["cluster", "delete", name]);
    await rm(folder, { recursive: true });
    await rm(data, { recursive: true });
  };
  const { TRACEBLOC_K3S_IMAGE: image = "", TRACEBLOC_K3D_TOOLS_IMAGE: tools } = labEnvironment();
  const shape = ["--servers", "1", "--agents", "0", "--no-lb", "--api-port", `127.0.0.1:${await freePort()}`];
  const disabled = ["traefik", "servicelb", "local-storage"].flatMap((part) => [
    "--k3s-arg",
    `--disable=${part}@server:*`,
  ]);
  const rest = ["--wait", "--timeout", "3m", "--kubeconfig-update-default=false", "--volume", `${data}:/tracebloc@all`];
  await inLab("k3d", ["cluster", "create", name, "--image", image, ...shape, ...disabled, ...rest], {
    env: { K3D_IMAGE_TOOLS: tools },
  });
  await writeFile(kubeconfig, await inLab("k3d", ["kubeconfig", "get", name]), { mode: 0o600 });
  return {
    node: `k3d-${name}-server-0`,
    data,
    kubeconfig,
    kubectl: (args, input = "") => inLab("kubectl", ["--kubeconfig", kubeconfig, ...args], { input }),
    remove,
  };
}

/** Claims a directory of the node as the product's chart does: hostPath, made by the kubelet when it is missing. */
export async function claimDirectory(cluster: Reached, claim: string, path: string): Promise<void> {
  const common = { storageClassName: "manual", accessModes: ["ReadWriteOnce"] };
  const volume = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: claim },
    spec: {
      ...common,
      capacity: { storage: "1Gi" },
      hostPath: { path, type: "DirectoryOrCreate" },
      // Without it the controller may miss the volume and look again only after 15 s.
      claimRef: { namespace: "default", name: claim },
    },
  };
  const claimed = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: claim },
    spec: { ...common, resources: { requests: { storage: "1Gi" } } },
  };
  await apply(cluster, volume, claimed);
}

/** Runs the lab's workload as `uid` with the claim at /data/shared, to its end. */
export async function runPod(
  cluster: Reached,
  pod: { name: string; uid: number; claim: string; args: readonly string[]; namespace?: string },
): Promise<{ exitCode: number; log: string }> {
  const scope = ["--namespace", pod.namespace ?? "default"];
  const manifest = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: pod.name, namespace: pod.namespace ?? "default" },
    spec: {
      restartPolicy: "Never",
      securityContext: { runAsUser: pod.uid, runAsNonRoot: true, fsGroup: 1000 },
      containers: [
        {
          name: "workload",
          image: podImages.workload,
          args: pod.args,
          volumeMounts: [{ name: "data", mountPath: "/data/shared" }],
        },
      ],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: pod.claim } }],
    },
  };
  await apply(cluster, manifest);
  const ended = "jsonpath={.status.containerStatuses[0].state.terminated.exitCode}";
  await cluster.kubectl([
    ...scope,
    "wait",
    `--for=${ended.replace(".exitCode", "")}`,
    `pod/${pod.name}`,
    "--timeout=60s",
  ]);
  const exitCode = Number(await cluster.kubectl([...scope, "get", `pod/${pod.name}`, "--output", ended]));
  const log = await cluster.kubectl([...scope, "logs", `pod/${pod.name}`]);
  await cluster.kubectl([...scope, "delete", `pod/${pod.name}`, "--wait=false"]);
  return { exitCode, log };
}

async function apply(cluster: Reached, ...items: object[]): Promise<void> {
  await cluster.kubectl(["apply", "--filename", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
}

/** A port of 127.0.0.1 that nobody uses now. */
export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
