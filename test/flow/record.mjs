// Records what docker, k3d, helm and the Kubernetes API answer while the product does its main job in the lab, for the
// stand-ins of these tests: node test/flow/record.mjs, after `npm run build` and `npm run lab -- up`.
// Writes test/fixtures/flow/answers.json. Names, places and ids of the machine are replaced.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { labClient, labPassword, start as startBackend } from "../../scripts/lab/backend.mjs";
import { environment } from "../../scripts/lab/environment.mjs";
import { cutCalls, cutReads } from "./cut.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cluster = "flow-record";
const node = `k3d-${cluster}-server-0`;
const folder = mkdtempSync(join(tmpdir(), "flow-record-"));
const [state, data, shims, log] = ["state", "data", "shims", "calls.ndjson"].map((name) => join(folder, name));

mkdirSync(shims);
for (const tool of ["docker", "k3d", "helm"]) {
  symlinkSync(fileURLToPath(new URL("recording-shim.mjs", import.meta.url)), join(shims, tool));
}
writeFileSync(log, "");
const backend = await startBackend();
const lab = { ...process.env, ...environment({ backend: backend.url }) };
const reads = {};

try {
  await product("absent", "plan");
  await product("install", "install");
  await product("healthy", "install");
  docker("exec", node, "sh", "-c", "chmod 0755 /tracebloc/tracebloc/data && rmdir /tracebloc/tracebloc/logs");
  await product("repair", "install");
  await refusalsOfHelm();
  docker("container", "pause", node);
  await product("paused", "install");
  execFileSync("k3d", ["cluster", "stop", cluster], { env: lab });
  await product("stopped", "install");
  await product("uninstall", "uninstall");
} finally {
  await backend.stop();
  for (const name of lines(docker("container", "ls", "--all", "--quiet", "--filter", `label=k3d.cluster=${cluster}`))) {
    docker("container", "rm", "--force", "--volumes", name);
  }
  for (const kind of ["network", "volume"]) {
    const left = lines(docker(kind, "ls", "--quiet", "--filter", `name=k3d-${cluster}`));
    if (left.length > 0) docker(kind, "rm", ...left);
  }
}
writeFileSync(join(root, "test/fixtures/flow/answers.json"), `${JSON.stringify(recorded(), null, 1)}\n`);
rmSync(folder, { recursive: true });

/** Runs the product behind the shims and reads the API beside it. */
async function product(stage, ...args) {
  const env = {
    ...lab,
    PATH: `${shims}:${lab.PATH}`,
    RECORD_PATH: lab.PATH,
    RECORD_FILE: log,
    RECORD_STAGE: stage,
    TRACEBLOC_STATE_DIR: state,
    HOST_DATA_DIR: data,
    CLUSTER_NAME: cluster,
    TRACEBLOC_VALUES_FILE: join(root, "scripts/lab/values.yaml"),
    TRACEBLOC_CLIENT_ID: labClient,
    TRACEBLOC_CLIENT_PASSWORD: labPassword,
  };
  const child = spawn(process.execPath, [join(root, "dist/bin.cjs"), ...args], {
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  await new Promise((resolve) => child.on("spawn", resolve));
  while (child.exitCode === null && child.signalCode === null) {
    await readApi(stage);
    await sleep(200);
  }
  await readApi(stage);
  console.log(`${stage}: ${args.join(" ")} ended with ${child.exitCode}`);
}

/** The first and the last answer of each kind while the client is installed: none, not ready, ready. */
async function readApi(stage) {
  if (stage !== "install") return;
  for (const [name, path] of Object.entries(paths())) {
    const answer = await get(path);
    if (answer?.status !== 200) continue;
    const isEmpty = answer.body?.items?.length === 0;
    const at = (reads[stage] ??= {});
    if (isEmpty) at[`${name}, none`] ??= answer;
    else {
      at[`${name}, first`] ??= answer;
      at[name] = answer;
    }
  }
}

function paths() {
  return {
    readyz: "/readyz",
    "release records":
      "/api/v1/secrets?fieldSelector=type%3Dhelm.sh%2Frelease.v1&labelSelector=owner%3Dhelm%2Cstatus%21%3Dsuperseded",
    deployments: "/apis/apps/v1/deployments?labelSelector=app.kubernetes.io%2Fname%3Dclient",
    pods: "/api/v1/namespaces/tracebloc/pods",
    events: "/api/v1/namespaces/tracebloc/events",
    // The lab has no metrics-server: register the APIService by hand while this runs.
    "metrics API": "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io",
  };
}

function get(path) {
  const access = roadToApi();
  if (access === undefined) return undefined;
  return new Promise((resolve) => {
    const asked = request({ ...access, path, agent: false, timeout: 5000 }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode, body: text.startsWith("{") ? JSON.parse(text) : text }),
      );
    });
    asked.on("error", () => resolve(undefined)).on("timeout", () => asked.destroy());
    asked.end();
  });
}

function roadToApi() {
  try {
    const { clusters, users } = JSON.parse(readFileSync(join(state, `cluster-${cluster}`, "kubeconfig.yaml"), "utf8"));
    const { hostname: host, port } = new URL(clusters[0].cluster.server);
    const pem = (base64) => Buffer.from(base64, "base64");
    const { "client-certificate-data": cert, "client-key-data": key } = users[0].user;
    return { host, port, ca: pem(clusters[0].cluster["certificate-authority-data"]), cert: pem(cert), key: pem(key) };
  } catch {
    return undefined;
  }
}

/** What Helm says where it does not do it: each brought about for real, in a namespace of its own. */
async function refusalsOfHelm() {
  const chart = join(folder, "chart");
  mkdirSync(join(chart, "templates"), { recursive: true });
  writeFileSync(join(chart, "Chart.yaml"), "apiVersion: v2\nname: client\nversion: 2.0.0\n");
  writeFileSync(
    join(chart, "values.schema.json"),
    JSON.stringify({
      type: "object",
      properties: { replicas: { type: "integer", minimum: 0 }, pause: { type: "integer" } },
      required: ["replicas"],
      additionalProperties: false,
    }),
  );
  const deployment = (name) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: app, image: "docker.io/tracebloc-lab/none:1", imagePullPolicy: Never }] }
`;
  writeFileSync(join(chart, "templates", "workload.yaml"), deployment("workload"));
  const up = (stage, release, ...more) =>
    helm(
      stage,
      "upgrade",
      "--install",
      release,
      chart,
      "--namespace",
      release,
      "--create-namespace",
      "--set",
      "replicas=1",
      ...more,
    );

  up("", "tracebloc-a");
  kubectl("scale", "deployment/workload", "--replicas=3", "--namespace", "tracebloc-a");
  up("conflict", "tracebloc-a", "--set", "replicas=2");
  up("schema", "tracebloc-a", "--set", "domain=example.com,replicas=-1");
  up("not in time", "tracebloc-a", "--set", "replicas=1", "--force-conflicts", "--wait", "--timeout", "3s");
  const secret = lines(kubectl("get", "secrets", "--namespace", "tracebloc-a", "--output", "name")).at(-1);
  kubectl("label", "--overwrite", "--namespace", "tracebloc-a", secret, "status=pending-upgrade");
  markPending(secret);
  up("pending", "tracebloc-a");

  kubectl("create", "namespace", "tracebloc-b");
  kubectl("create", "deployment", "workload", "--image=docker.io/tracebloc-lab/none:1", "--namespace", "tracebloc-b");
  up("not owned", "tracebloc-b");
  kubectl("create", "namespace", "tracebloc-c");
  kubectl("create", "configmap", "held", "--namespace", "tracebloc-c");
  kubectl(
    "patch",
    "configmap",
    "held",
    "--namespace",
    "tracebloc-c",
    "--type=merge",
    "--patch",
    '{"metadata":{"finalizers":["example.com/held"]}}',
  );
  kubectl("delete", "namespace", "tracebloc-c", "--wait=false");
  up("terminating", "tracebloc-c");
  kubectl(
    "patch",
    "configmap",
    "held",
    "--namespace",
    "tracebloc-c",
    "--type=merge",
    "--patch",
    '{"metadata":{"finalizers":null}}',
  );
  helm("", "uninstall", "tracebloc-a", "--namespace", "tracebloc-a");
  helm(
    "not reachable",
    "upgrade",
    "--install",
    "tracebloc-d",
    chart,
    "--kube-apiserver",
    "https://127.0.0.1:9",
    "--set",
    "replicas=1",
  );
  helm(
    "registry refuses",
    "upgrade",
    "--install",
    "tracebloc-d",
    `oci://127.0.0.1:9/client`,
    "--plain-http",
    "--set",
    "replicas=1",
  );
}

/** Helm reads the state from inside its record, not from the label. */
function markPending(secret) {
  const one = JSON.parse(kubectl("get", secret, "--namespace", "tracebloc-a", "--output", "json"));
  const script = `import base64,gzip,json,sys
d=json.loads(gzip.decompress(base64.b64decode(base64.b64decode(sys.stdin.read()))))
d["info"]["status"]="pending-upgrade"
print(base64.b64encode(base64.b64encode(gzip.compress(json.dumps(d).encode()))).decode())`;
  const release = execFileSync("python3", ["-c", script], { input: one.data.release, encoding: "utf8" }).trim();
  kubectl(
    "patch",
    secret,
    "--namespace",
    "tracebloc-a",
    "--type=merge",
    "--patch",
    JSON.stringify({ data: { release } }),
  );
}

function helm(stage, ...args) {
  const road = [
    "--kubeconfig",
    join(state, `cluster-${cluster}`, "kubeconfig.yaml"),
    "--kube-context",
    `k3d-${cluster}`,
  ];
  const env = {
    ...lab,
    PATH: `${shims}:${lab.PATH}`,
    RECORD_PATH: lab.PATH,
    RECORD_FILE: log,
    RECORD_STAGE: `helm: ${stage}`,
  };
  try {
    execFileSync("helm", [...args, ...road], { env, stdio: ["ignore", "ignore", "ignore"] });
  } catch {
    // That it fails is what is recorded.
  }
}

function docker(...args) {
  return execFileSync("docker", args, { env: lab, encoding: "utf8" });
}

function kubectl(...args) {
  return docker("exec", node, "kubectl", ...args);
}

function lines(text) {
  return text.split("\n").filter((line) => line !== "");
}

function recorded() {
  const version = (tool, ...args) => execFileSync(tool, args, { env: lab, encoding: "utf8" }).trim().split("\n")[0];
  const id = JSON.parse(readFileSync(join(state, "installation.json"), "utf8")).id;
  const places = [
    [folder, "{folder}"],
    [root.replace(/\/$/, ""), "{root}"],
    [id, "{installation}"],
    [cluster, "tracebloc"],
    [version("docker", "info", "--format", "{{.DockerRootDir}}"), "/var/lib/docker"],
    [backend.url, "https://backend.example.com"],
  ];
  const replace = (text) => places.reduce((told, [from, to]) => told.replaceAll(from, to), text);
  return {
    recorded: {
      docker: version("docker", "version", "--format", "{{.Client.Version}}"),
      engine: version("docker", "version", "--format", "{{.Server.Version}}"),
      k3d: version("k3d", "version"),
      helm: version("helm", "version", "--template", "{{.Version}}"),
      note: "by test/flow/record.mjs in the lab; names, places and ids are replaced, keys left out, the API cut to what is read",
    },
    calls: cutCalls(
      lines(readFileSync(log, "utf8")).map((line) => JSON.parse(line)),
      replace,
    ),
    reads: cutReads(reads, replace),
  };
}
