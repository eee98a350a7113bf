// What the product costs on a real cluster: a fresh install beside the tools it calls, a healthy re-run beside the bare
// probes that it replaces.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { labClient, labPassword, start as startBackend } from "../lab/backend.mjs";
import { environment } from "../lab/environment.mjs";
import { up } from "../lab/up.mjs";
import { interleaved } from "./measure.mjs";
import { line, row, title } from "./table.mjs";

const cluster = "tracebloc-bench";
const node = `k3d-${cluster}-server-0`;

/** @param {string} root of the checkout; @param {string} bin the built program; @param {number} rounds */
export async function benchCluster(root, bin, rounds) {
  await up();
  const folder = mkdtempSync(join(tmpdir(), "tracebloc-bench-cluster-"));
  const backend = await startBackend();
  const env = {
    ...process.env,
    ...environment({ backend: backend.url }),
    TRACEBLOC_STATE_DIR: join(folder, "state"),
    HOST_DATA_DIR: join(folder, "data"),
    TRACEBLOC_CLIENT_ID: labClient,
    TRACEBLOC_CLIENT_PASSWORD: labPassword,
    CI: "",
  };
  mkdirSync(env.HOST_DATA_DIR);
  const install = [process.execPath, bin, "install", "--cluster", cluster];
  try {
    const values = ["--values", join(root, "scripts", "lab", "values.yaml")];
    await run([...install, ...values], env);
    freshInstall(lastLog(env.TRACEBLOC_STATE_DIR));
    await run(install, env);
    healthyRun(lastLog(env.TRACEBLOC_STATE_DIR), install, bareProbes(folder, env), env, rounds);
  } finally {
    await run([process.execPath, bin, "uninstall", "--cluster", cluster, "--delete-data", "--yes"], env);
    await backend.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of the time from the first line of the log to its last, what was not spent in k3d, in Helm, or waiting for the workloads. */
function freshInstall(log) {
  const calls = log
    .filter(({ is, file }) => is === "call" && ["k3d", "helm"].includes(file?.split("/").at(-1)))
    .map(({ at, ms }) => [Date.parse(at) - ms, Date.parse(at)]);
  const actions = log
    .filter(({ is, action }) => is === "action" && action.do === "release.await")
    .map(({ at }) => Date.parse(at));
  const whole = Date.parse(log.at(-1).at) - Date.parse(log[0].at);
  const elsewhere = covered([...calls, ...pairs(actions)]);
  title("Fresh install");
  row("from start to ready", seconds(whole));
  row("in k3d and helm", seconds(covered(calls)));
  row("waiting for workloads", seconds(covered(pairs(actions))));
  row("our own", seconds(whole - elsewhere), whole - elsewhere <= 1000, "at most 1.0 s");
}

function healthyRun(log, install, probes, env, rounds) {
  const children = log.filter(({ is }) => is === "call").length;
  const times = interleaved({ "four bare probes": ["sh", probes], "healthy re-run": install }, rounds, env);
  title(`Healthy re-run, ${rounds} rounds`);
  line("four bare probes", times["four bare probes"]);
  line("healthy re-run", times["healthy re-run"], { baseline: times["four bare probes"], most: 1.15 });
  row("child processes", `${children}`, children <= 6, "at most 6");
}

/** The four probes side by side, as a shell script would make them; it fails when one of them does. */
function bareProbes(folder, env) {
  const kubeconfig = join(env.TRACEBLOC_STATE_DIR, `cluster-${cluster}`, "kubeconfig.yaml");
  const script = join(folder, "twenty-lines.sh");
  const looks = Array.from({ length: 18 }, () => "ls -ldn /tracebloc/tracebloc/data /tracebloc/tracebloc/logs");
  writeFileSync(script, ["{ set -e", ...looks, "}", ""].join("\n"));
  const probes = join(folder, "probes.sh");
  writeFileSync(
    probes,
    `docker inspect ${node} >/dev/null & a=$!
helm status tracebloc -n tracebloc -o json --kubeconfig ${kubeconfig} >/dev/null & b=$!
kubectl get deploy -n tracebloc -o json --kubeconfig ${kubeconfig} >/dev/null & c=$!
docker exec -i ${node} sh < ${script} >/dev/null & d=$!
wait $a && wait $b && wait $c && wait $d
`,
  );
  return probes;
}

/** The journal of the newest run. */
function lastLog(state) {
  const runs = join(state, "runs");
  const newest = readdirSync(runs)
    .filter((name) => name.endsWith(".ndjson"))
    .toSorted()
    .at(-1);
  return readFileSync(join(runs, newest), "utf8")
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text));
}

/** Milliseconds that are in at least one of the spans. */
function covered(spans) {
  let [end, sum] = [0, 0];
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}

function pairs(times) {
  return times.flatMap((time, index) => (index % 2 === 1 ? [[times[index - 1], time]] : []));
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** Not `spawnSync`: the stand-in backend answers from this very process. */
async function run([program, ...args], env) {
  await promisify(execFile)(program, args, { env, maxBuffer: 2 ** 24 });
}
