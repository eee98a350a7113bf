// The built product, pointed at the lab, with a cluster, a state and a data directory of its own.

import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { labClient, labPassword } from "../lab/backend.mjs";
import { inCache } from "../lab/cache.mjs";
import { environment } from "../lab/environment.mjs";
import { run } from "../lab/processes.mjs";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A name that nobody else has: the product's own default stays free for a real installation. Tests take another one. */
const name = process.env.TRACEBLOC_TRY_NAME || "try";
export const cluster = `tracebloc-${name}`;
export const node = `k3d-${cluster}-server-0`;
export const namespace = "tracebloc";

/** All that `npm run try` keeps, below the lab's cache and never in the home directory itself. */
export const place = (...parts) => inCache(name, ...parts);
export const dataDirectory = () => place("data");
export const programPath = () => place("tracebloc");

/** Variables by which this machine may already have a real installation: none of them may lead there from here. */
const foreign = "^(TRACEBLOC_|TB_|HOST_DATA|CLUSTER_NAME$|CLIENT_ENV$|K3D_|KUBECONFIG$)";

/**
 * Writes the program that a person starts: the product with the lab's environment in front, so that what it prints works
 * when pasted into any shell. `backend` is the URL of the stand-in.
 */
export function writeProgram(backend) {
  mkdirSync(place(), { recursive: true, mode: 0o700 });
  copyFileSync(join(root, "scripts", "lab", "values.yaml"), place("values.yaml"));
  const { PATH: _, ...lab } = environment({ backend });
  const variables = {
    ...lab,
    TRACEBLOC_STATE_DIR: place("state"),
    HOST_DATA_DIR: dataDirectory(),
    CLUSTER_NAME: cluster,
    TRACEBLOC_VALUES_FILE: place("values.yaml"),
    TRACEBLOC_CLIENT_ID: labClient,
    TRACEBLOC_CLIENT_PASSWORD: labPassword,
  };
  // Without it a package.json further up would decide how node reads the program.
  writeFileSync(place("package.json"), `{ "type": "commonjs" }\n`);
  writeFileSync(
    programPath(),
    `#!/usr/bin/env node
// Written by \`npm run try\`: the product, pointed at the lab. \`npm run try -- --down\` removes it.
for (const name of Object.keys(process.env)) if (/${foreign}/.test(name)) delete process.env[name];
Object.assign(process.env, ${JSON.stringify(variables, null, 2)});
process.env.PATH = ${JSON.stringify(inCache("bin") + delimiter)} + process.env.PATH;
require(${JSON.stringify(join(root, "dist", "bin.cjs"))});
`,
  );
  chmodSync(programPath(), 0o700);
}

export function isWritten() {
  return existsSync(programPath());
}

/** Runs the product as a person sees it. Gives its exit code. */
export function show(args) {
  return start(process.execPath, [programPath(), ...args]);
}

/** Runs the product for its answer. */
export async function ask(args) {
  return (await run(process.execPath, [programPath(), ...args])).trim();
}

/** kubectl of the lab, with the kubeconfig that the product keeps. */
export async function kubectl(args) {
  const kubeconfig = await ask(["kubeconfig"]);
  return run(inCache("bin", "kubectl"), ["--kubeconfig", kubeconfig, "--namespace", namespace, ...args], {
    seconds: 120,
  });
}

/** Starts a program on this terminal, with those of its lines on stderr that `worth` likes. Gives its exit code, or the signal that ended it. */
export function start(command, args, worth) {
  const stderr = worth === undefined ? "inherit" : "pipe";
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", "inherit", stderr] });
  if (worth !== undefined) {
    createInterface(child.stderr).on("line", (line) => {
      if (worth(line)) process.stderr.write(`    ${line}\n`);
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
}
