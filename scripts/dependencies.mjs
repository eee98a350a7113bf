// What npm has to install before anything of this checkout can run. Plain node, since it runs before `npm ci`.

import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { interrupted, start } from "./children.mjs";
import { LabError } from "./lab/errors.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SIGN_OF_LIFE_SECONDS = 15;

/**
 * Installs the dependencies where they are not what the lock file asks for, and tells `say` about it. What npm prints is
 * shown where it fails. Throws a LabError then, with `again`: the command to run once npm can do it.
 */
export async function ensureDependencies(say, again) {
  if (!(await areMissing())) return say("dependencies: there");
  const began = performance.now();
  const seconds = () => `${Math.round((performance.now() - began) / 1000)} s`;
  say("dependencies: installing them with npm ci …");
  const timer = setInterval(() => say(`dependencies: npm is at it since ${seconds()} …`), SIGN_OF_LIFE_SECONDS * 1000);
  const { exit, output } = await npm(["ci", "--no-audit", "--no-fund", "--loglevel=warn"]).finally(() => {
    clearInterval(timer);
  });
  if (exit === 0) return say(`dependencies: installed (${seconds()})`);
  if (interrupted()) throw new LabError("npm was interrupted", { next: again });
  process.stdout.write(output);
  throw new LabError("npm could not install the dependencies; why is said above", { next: again });
}

async function npm(args) {
  const chunks = [];
  const exit = await start("npm", args, {
    cwd: root,
    what: "npm",
    stdio: ["ignore", "pipe", "pipe"],
    watch: ({ stdout, stderr }) => {
      for (const stream of [stdout, stderr]) stream.on("data", (chunk) => chunks.push(chunk));
    },
  });
  return { exit, output: Buffer.concat(chunks).toString() };
}

/** Compares what npm installed with what the lock file asks for, entry by entry: file times say nothing after a clone. */
async function areMissing() {
  const installed = await readJson(join(root, "node_modules", ".package-lock.json"));
  if (installed === undefined) return true;
  const { packages } = await readJson(join(root, "package-lock.json"));
  return Object.entries(packages).some(([path, wanted]) => {
    if (path === "") return false;
    const found = installed.packages[path];
    return found === undefined ? wanted.optional !== true : found.integrity !== wanted.integrity;
  });
}

function readJson(path) {
  return readFile(path, "utf8").then(JSON.parse, () => undefined);
}
