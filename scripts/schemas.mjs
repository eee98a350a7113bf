// The JSON Schemas that ship with the package, taken from the code that enforces them.

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { rolldown } from "rolldown";

/** Each module exports a function without parameters that gives a JSON Schema as plain data. */
const published = [
  { file: "tracebloc.schema.json", module: "src/config/schema.ts", name: "configJsonSchema" },
  { file: "output.schema.json", module: "src/ui/output-schema.ts", name: "outputJsonSchema" },
];

/** The schemas as plain data, with the file name that each ships under. A module that does not exist is left out. */
export async function jsonSchemas(root) {
  const present = published.filter(({ module }) => existsSync(join(root, module)));
  const directory = await mkdtemp(join(tmpdir(), "tracebloc-schemas-"));
  try {
    return await Promise.all(
      present.map(async ({ file, module, name }) => {
        const bundle = await rolldown({ input: join(root, module), platform: "node" });
        const bundled = join(directory, `${file}.mjs`);
        await bundle.write({ file: bundled, format: "esm", codeSplitting: false });
        const exported = await import(pathToFileURL(bundled).href);
        if (exported[name] === undefined) throw new Error(`${module} exports no ${name}, which ${file} is made from`);
        return { file, schema: exported[name]() };
      }),
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
