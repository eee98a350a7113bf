// What npm has to install before anything of this checkout can run. Plain node, since it runs before `npm ci`.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Installs the dependencies where they are not what the lock file asks for. Gives how that went, in a word. */
export async function ensureDependencies() {
  if (!(await areMissing())) return "there";
  const child = spawn("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=warn"], { cwd: root, stdio: "inherit" });
  const exit = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  if (exit !== 0) throw new Error(`npm ci ended with ${exit}`);
  return "installed";
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
