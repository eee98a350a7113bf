// Bundles src into dist: CommonJS, one file per moment at which code is needed, nothing left to install.
//
// CommonJS, because Node reaches the first line of a program about 5 ms sooner without its ES module loader, and
// `--help` 8 ms sooner (medians of 25 interleaved runs on Node 20; `npm run bench` shows today's).

import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { rolldown } from "rolldown";

import { licenceTexts } from "./licences.mjs";
import "./outlive-readers.mjs";
import { jsonSchemas } from "./schemas.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
const source = (path) => join(root, "src", path);

const shared = {
  format: "cjs",
  // An import() that became require() spares the ES module loader as well.
  dynamicImportInCjs: false,
  entryFileNames: "[name].cjs",
  chunkFileNames: "[name].cjs",
  comments: { legal: false, annotation: false, jsdoc: false },
  // Short names save a fifth of the package. A defect's trace still leads to its place: the same commit builds the same
  // bundle, with a source map where one is wanted.
  minify: { compress: true, mangle: true, codegen: { removeWhitespace: true } },
};

/**
 * What packages bring along and nothing here uses: 60 kB that every first run would fetch. Of yaml the ES modules are
 * taken: those for Node are CommonJS, of which nothing can be left out.
 */
const leftOut = {
  chalk: join(root, "scripts", "build", "colours.mjs"),
  debug: join(root, "scripts", "build", "no-debug.mjs"),
  "cli-spinners": join(root, "scripts", "build", "spinners.mjs"),
  "get-stream": join(root, "scripts", "build", "execa-unused.mjs"),
  "@sindresorhus/merge-streams": join(root, "scripts", "build", "no-merge.mjs"),
  "npm-run-path": join(root, "scripts", "build", "no-merge.mjs"),
  execa: join(root, "scripts", "build", "execa.mjs"),
  "human-signals": join(root, "scripts", "build", "signals.mjs"),
  yaml: join(root, "node_modules", "yaml", "browser", "dist", "index.js"),
};

/** Parts of execa that stand for what the runner never asks for. */
const unused =
  /[\\/]execa[\\/]lib[\\/](?:(?:ipc|convert|pipe|verbose|transform)[\\/]|io[\\/](?:contents|iterate|max-buffer)\.js|resolve[\\/]all-async\.js|return[\\/]message\.js|stdio[\\/]duplicate\.js)/;
const withoutUnused = {
  name: "execa-without-the-unused",
  resolveId: {
    filter: { id: /^\.\.?\// },
    handler: (id, importer) =>
      importer !== undefined && unused.test(join(dirname(importer), id))
        ? join(root, "scripts", "build", "execa-unused.mjs")
        : null,
  },
};

/** bin.cjs alone, in syntax that an old Node parses: it is what tells the person that their Node is old. */
async function bundleEntry() {
  const bundle = await rolldown({
    input: { bin: source("bin.ts") },
    platform: "node",
    transform: { target: "es2015" },
    plugins: [
      {
        name: "program-is-another-file",
        resolveId: (id) => (id === "./cli/program.ts" ? { id: "./program.cjs", external: true } : null),
      },
    ],
  });
  return (await bundle.generate(shared)).output;
}

/** program.cjs for `--help` and wrong input, commands.cjs for what commands do, and a file for each rarely used part. */
async function bundleProgram() {
  const program = source("cli/program.ts");
  const bundle = await rolldown({
    input: { program },
    platform: "node",
    resolve: { alias: leftOut },
    plugins: [withoutUnused],
    transform: { target: "node20.19" },
    preserveEntrySignatures: "allow-extension",
  });
  const groups = [
    { name: "program", tags: ["$initial"], priority: 4 },
    // Read only where there is YAML to read, all of it together.
    {
      name: "yaml",
      test: /node_modules\/yaml\/|\/src\/(?:config\/yaml-file|cluster\/kubeconfig-yaml|cluster\/merge|images\/manifests)\.ts$/,
      priority: 2,
    },
    { name: "images", test: /\/src\/images\//, priority: 1 },
    // A spinner, and the road through a proxy: one file for what most runs do without.
    { name: "seldom", test: lazyParts, priority: 2 },
    { name: commandsChunk(program), debugName: "commands", priority: 3 },
  ];
  return (await bundle.generate({ ...shared, codeSplitting: { groups } })).output;
}

const lazyParts =
  /node_modules\/(?:https-proxy-agent|agent-base|ora|cli-cursor|restore-cursor|log-symbols|is-unicode-supported|is-interactive|stdin-discarder|string-width|strip-ansi|ansi-regex|get-east-asian-width|onetime|mimic-function)\/|\/build\/(?:colours|no-debug|spinners)\.mjs$/;

/**
 * Names the chunk of what the program loads when a command runs, all commands together: they share most of their
 * code, and a file for each would only make the package harder to look through. What commands load lazily in their
 * turn (a spinner, a proxy agent) stays apart.
 */
function commandsChunk(program) {
  let inCommands;
  return (id, graph) => {
    inCommands ??= staticClosure(
      [...staticClosure([program], graph)].flatMap(
        (module) => graph.getModuleInfo(module)?.dynamicallyImportedIds ?? [],
      ),
      graph,
    );
    return inCommands.has(id) ? "commands" : null;
  };
}

/** All modules that are evaluated when those of `ids` are. */
function staticClosure(ids, graph) {
  const seen = new Set();
  const left = [...ids];
  while (left.length > 0) {
    const id = left.pop();
    if (seen.has(id)) continue;
    seen.add(id);
    left.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
  }
  return seen;
}

const output = [...(await bundleEntry()), ...(await bundleProgram())];
const schemas = await jsonSchemas(root);
const files = new Map([
  ...output.map(({ fileName, code }) => [fileName, code]),
  ...schemas.map(({ file, schema }) => [file, `${JSON.stringify(schema)}\n`]),
]);

// Written over what is there, and only then cleared of the rest: a build while the program runs pulls nothing from
// under its feet.
await mkdir(dist, { recursive: true });
for (const [name, text] of files) await writeFile(join(dist, name), text);
for (const name of await readdir(dist)) if (!files.has(name)) await rm(join(dist, name), { recursive: true });
await chmod(join(dist, "bin.cjs"), 0o755);
await writeFile(join(root, "THIRD_PARTY_LICENSES"), await licenceTexts(output));

const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const sizes = [...files].map(([name, text]) => `${name} ${(Buffer.byteLength(text) / 1024).toFixed(1)} KiB`);
console.log(`built ${manifest.name} ${manifest.version}: ${sizes.join(", ")}`);
