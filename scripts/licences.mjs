// The licences of what the bundle really contains, read from the bundler's own list of modules.

import { readdir, readFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";

/** The packages with code in the output: directory, name, version and licence, sorted by name. */
async function bundledPackages(output) {
  const modules = output.flatMap((chunk) =>
    Object.entries(chunk.modules ?? {})
      .filter(([id, module]) => module.renderedLength > 0 && id.includes(`${sep}node_modules${sep}`))
      .map(([id]) => id),
  );
  const packages = new Map();
  for (const id of modules) {
    const found = await packageOf(id);
    packages.set(`${found.name}@${found.version}`, found);
  }
  return [...packages.values()].sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version));
}

/**
 * What goes into THIRD_PARTY_LICENSES. Fails where a package ships no licence text, since then we may not ship it.
 *
 * @param {{ modules?: Record<string, { renderedLength: number }> }[]} output what the bundler wrote
 */
export async function licenceTexts(output) {
  const sections = [];
  for (const { directory, name, version, license } of await bundledPackages(output)) {
    const file = (await readdir(directory)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    if (file === undefined) throw new Error(`${name} ${version} has no licence file in ${directory}`);
    const text = (await readFile(join(directory, file), "utf8")).replaceAll("\r\n", "\n").trim();
    sections.push(`${name} ${version} (${license})\n\n${text}\n`);
  }
  const rule = `\n${"-".repeat(78)}\n\n`;
  return ["tracebloc contains code of these packages, each under its own licence.\n", ...sections].join(rule);
}

/** The nearest package.json with a name: some packages carry nested ones that hold a module type only. */
async function packageOf(id) {
  for (let directory = dirname(id); directory !== dirname(directory); directory = dirname(directory)) {
    const manifest = await readFile(join(directory, "package.json"), "utf8").then(JSON.parse, () => ({}));
    if (manifest.name !== undefined && manifest.version !== undefined) {
      return { directory, name: manifest.name, version: manifest.version, license: manifest.license };
    }
  }
  throw new Error(`no package.json above ${id}`);
}
