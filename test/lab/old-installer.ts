import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { podImages } from "../../scripts/lab/versions.mjs";
import { docker, freePort, inLab, labEnvironment } from "./lab.ts";
import { removeCluster } from "./product.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The last chart of the installers being replaced. */
export const oldChart = "1.9.62";

/**
 * What the old installers leave on a machine. k3d is called as they called it: an agent, a load balancer, no label of
 * ours. Two parts are stand-ins, since the lab's node image knows servers alone and brings no load balancer: the agent
 * is a container that registers nowhere, and the load balancer passes connections on through this process (containers
 * cannot reach one another where another engine of the machine has closed forwarding). The chart is a copy of ours under
 * the old version, with what the old one does otherwise: volumes that do not say that they are kept, and objects that
 * Helm applies from the client's side.
 */
export type OldCluster = {
  /** Every container of it, by name. */
  members: readonly string[];
  kubeconfig: string;
  helm: (...args: readonly string[]) => Promise<string>;
  kubectl: (...args: readonly string[]) => Promise<string>;
  /** Installs the client as the old installers did, under a name that is not the namespace's. */
  installClient: (client: { release: string; namespace: string; clientId: string }) => Promise<void>;
  close: () => void;
};

/** Makes it, with `data` at /tracebloc in its nodes. `folder` takes files of ours. */
export async function createOldCluster(cluster: string, data: string, folder: string): Promise<OldCluster> {
  const relayPort = await freePort();
  const images = await standIns(cluster, folder, relayPort);
  const { TRACEBLOC_K3D_TOOLS_IMAGE: tools } = labEnvironment();
  const shape = ["--servers", "1", "--agents", "1", "--api-port", `127.0.0.1:${await freePort()}`];
  const off = ["traefik", "servicelb", "local-storage"].flatMap((part) => ["--k3s-arg", `--disable=${part}@server:*`]);
  const rest = ["--wait", "--timeout", "3m", "--kubeconfig-update-default=false", "--volume", `${data}:/tracebloc@all`];
  mkdirSync(data, { recursive: true, mode: 0o700 });
  await inLab("k3d", ["cluster", "create", cluster, "--image", images.node, ...shape, ...off, ...rest], {
    env: { K3D_IMAGE_TOOLS: tools, K3D_IMAGE_LOADBALANCER: images.loadBalancer },
  });

  const node = `k3d-${cluster}-server-0`;
  const relay = await startRelay(node, relayPort);
  const kubeconfig = join(folder, "kubeconfig-of-the-old-installer");
  writeFileSync(kubeconfig, await inLab("k3d", ["kubeconfig", "get", cluster]), { mode: 0o600 });
  const helm = (...args: readonly string[]) => inLab("helm", ["--kubeconfig", kubeconfig, ...args]);
  return {
    members: [node, `k3d-${cluster}-agent-0`, `k3d-${cluster}-serverlb`],
    kubeconfig,
    helm,
    kubectl: (...args) => inLab("kubectl", ["--kubeconfig", kubeconfig, ...args]),
    async installClient({ release, namespace, clientId }) {
      const values = join(folder, "values-of-the-old-installer.yaml");
      const shared = readFileSync(join(root, "scripts", "lab", "values.yaml"), "utf8");
      writeFileSync(values, `${shared}\n${oldValues(clientId)}`, { mode: 0o600 });
      const where = ["--namespace", namespace, "--create-namespace", "--values", values, "--server-side=false"];
      await helm("upgrade", "--install", release, copyOfChart(folder), ...where);
    },
    close: () => relay.close(),
  };
}

function oldValues(clientId: string): string {
  const storage =
    "storageClass: { create: true, name: client-storage-class, provisioner: manual }\npvcAccessMode: ReadWriteOnce";
  return `clientId: ${clientId}\nclientPassword: lab-password\n${storage}\nhostPath: { enabled: true }\nenv: { CLIENT_ENV: prod }\n`;
}

function copyOfChart(folder: string): string {
  const copy = join(folder, "old-chart");
  cpSync(join(root, "charts", "client"), copy, { recursive: true });
  const manifest = join(copy, "Chart.yaml");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace(/^version: .*$/m, `version: ${oldChart}`));
  const storage = join(copy, "templates", "_storage.tpl");
  const [before = "", volume = ""] = readFileSync(storage, "utf8").split("kind: PersistentVolume\n");
  const unkept = volume
    .replace(/ {2}annotations:\n {4}helm\.sh\/resource-policy: keep\n/, "")
    .replace(/ {2}persistentVolumeReclaimPolicy: Retain\n/, "");
  writeFileSync(storage, `${before}kind: PersistentVolume\n${unkept}`);
  return copy;
}

/** Takes away the cluster and what was made for it, also where making it failed half way. */
export async function removeOldCluster(cluster: string): Promise<void> {
  await removeCluster(cluster);
  const { node, loadBalancer, making } = namesFor(cluster);
  await docker("container", "rm", "--force", making).catch(() => "");
  await docker("image", "rm", node, loadBalancer).catch(() => "");
}

function namesFor(cluster: string): { node: string; loadBalancer: string; making: string } {
  return {
    node: `tracebloc-lab/agents:${cluster}`,
    loadBalancer: `tracebloc-lab/load-balancer:${cluster}`,
    making: `${cluster}-making`,
  };
}

/** A node that also plays the agent, and a load balancer. k3d waits for the line that each prints. */
async function standIns(
  cluster: string,
  folder: string,
  relayPort: number,
): Promise<{ node: string; loadBalancer: string }> {
  const { TRACEBLOC_K3S_IMAGE: k3s = "" } = labEnvironment();
  const { node, loadBalancer, making } = namesFor(cluster);
  const program = join(folder, "k3s");
  writeFileSync(
    program,
    `#!/bin/sh
[ "\${1:-}" = agent ] || exec /bin/k3s-server "$@"
trap 'exit 0' TERM INT
echo "Successfully registered node"
sleep 2147483647 &
wait
`,
  );
  chmodSync(program, 0o755);
  await docker("run", "--name", making, "--entrypoint", "sh", k3s, "-c", "mv /bin/k3s /bin/k3s-server");
  await docker("cp", program, `${making}:/bin/k3s`);
  await docker("commit", "--change", 'ENTRYPOINT ["/bin/k3s"]', making, node);
  await docker("container", "rm", making);

  const passOn = `gateway=$(ip route | awk '/^default/ { print $3 }'); echo start worker processes; exec nc -ll -p 6443 -e nc $gateway ${relayPort}`;
  await docker("create", "--name", making, podImages.busybox, "true");
  await docker("commit", "--change", `ENTRYPOINT ${JSON.stringify(["sh", "-c", passOn])}`, making, loadBalancer);
  await docker("container", "rm", making);
  return { node, loadBalancer };
}

/** Passes connections from the load balancer on to the node, wherever that is now: a start gives it another address. */
async function startRelay(node: string, port: number): Promise<{ close: () => void }> {
  const address = (field: string) =>
    docker("container", "inspect", "--format", `{{range .NetworkSettings.Networks}}{{.${field}}}{{end}}`, node);
  const server = createServer((incoming) => {
    incoming.on("error", () => incoming.destroy());
    void address("IPAddress").then((host) => {
      const onward = connect(6443, host);
      onward.on("error", () => incoming.destroy());
      incoming.on("close", () => onward.destroy());
      incoming.pipe(onward).pipe(incoming);
    });
  });
  const gateway = await address("Gateway");
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, gateway, resolve);
  });
  return { close: () => void server.close() };
}
