// The built product, pointed at the lab, with a cluster, a state and a data directory of its own.

import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { start } from "../children.mjs";
import { labClient, labPassword } from "../lab/backend.mjs";
import { inCache } from "../lab/cache.mjs";
import { engineEnvironment } from "../lab/engine.mjs";
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

/** Runs the product for a person who asked it something: its answer on stdout, all else on stderr. Gives its exit code. */
export function passOn(args) {
  return start(process.execPath, [programPath(), ...args], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
}

/**
 * Runs the product as a part of the story, which is told on stdout: where that is a file or a pipe, what the product says of
 * itself goes there as well. `without` leaves out lines that are not true here. Gives its exit code.
 */
export function show(args, { without } = {}) {
  const command = [process.execPath, [programPath(), ...args]];
  if (without !== undefined) return startFiltered(...command, { worth: (line) => !without.test(line) });
  const stderr = process.stdout.isTTY ? "inherit" : process.stdout;
  return start(...command, { cwd: root, stdio: ["ignore", "inherit", stderr] });
}

/** Runs the product for its answer. */
export async function ask(args) {
  return (await run(process.execPath, [programPath(), ...args])).trim();
}

/** How a person calls docker so that it reaches the lab's engine. */
export function typedDocker() {
  const { DOCKER_HOST: host } = engineEnvironment();
  return host === undefined ? "docker" : `DOCKER_HOST=${host} docker`;
}

/** kubectl of the lab, with the kubeconfig that the product keeps. */
export async function kubectl(args) {
  const kubeconfig = await ask(["kubeconfig"]);
  return run(inCache("bin", "kubectl"), ["--kubeconfig", kubeconfig, "--namespace", namespace, ...args], {
    seconds: 120,
  });
}

/** Starts a program that tells its story on stderr, and brings those of its lines to ours that `worth` likes. */
export function startFiltered(command, args, { worth, margin = "", ...options }) {
  return start(command, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "pipe"],
    watch: ({ stderr }) => {
      createInterface(stderr).on("line", (line) => {
        if (worth(line)) process.stdout.write(line === "" ? "\n" : `${margin}${line}\n`);
      });
    },
    ...options,
  });
}
