import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { licenceTexts } from "../../scripts/licences.mjs";

let directory: string;

/** A file of a made-up dependency, with its directories. */
async function put(path: string, content: string) {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), content);
}

/** What the bundler reports of a chunk: each module with the bytes that are left of it. */
const chunk = (modules: Record<string, number>) => ({
  modules: Object.fromEntries(
    Object.entries(modules).map(([path, renderedLength]) => [join(directory, path), { renderedLength }]),
  ),
});

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tracebloc-licences-"));
  await put("node_modules/kept/package.json", '{ "name": "kept", "version": "1.2.3", "license": "MIT" }');
  await put("node_modules/kept/LICENSE.md", "Kept by\r\nExample Person\n");
  await put("node_modules/kept/dist/package.json", '{ "type": "module" }');
  await put("node_modules/dropped/package.json", '{ "name": "dropped", "version": "1.0.0", "license": "MIT" }');
  await put("node_modules/bare/package.json", '{ "name": "bare", "version": "1.0.0", "license": "MIT" }');
});
afterAll(() => rm(directory, { recursive: true }));

test("a package with code in the bundle is listed with version and licence text, one without is not", async () => {
  const texts = await licenceTexts([
    chunk({ "node_modules/kept/dist/index.js": 10, "node_modules/dropped/index.js": 0, "src/bin.ts": 10 }),
    chunk({ "node_modules/kept/dist/other.js": 10 }),
  ]);
  expect(texts.match(/^\S+ [\d.]+ \(.*\)$/gm)).toEqual(["kept 1.2.3 (MIT)"]);
  expect(texts).toContain("Kept by\nExample Person\n");
});

test("a package without a licence text may not be shipped", async () => {
  await expect(licenceTexts([chunk({ "node_modules/bare/index.js": 10 })])).rejects.toThrow(
    "bare 1.0.0 has no licence file",
  );
});
