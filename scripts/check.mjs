// `npm run check`: everything that can be said about the code without running the product. `--fix` repairs what a
// machine can repair.

import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { givenArguments } from "./arguments.mjs";
import "./outlive-readers.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const code = ["src", "test", "scripts"];
const formatted = [...code, "package.json", "tsconfig.json", ".oxlintrc.json", ".oxfmtrc.json"];

const checks = [
  { name: "lint", run: ["oxlint", "--deny-warnings", "--report-unused-disable-directives", ...code] },
  { name: "types", run: ["tsc"] },
  { name: "dead code", run: ["knip"] },
  { name: "format", run: ["oxfmt", "--check", ...formatted] },
  { name: "import order", run: ["vitest", "run", "--config", "test/vitest.config.ts", "test/unit/house.test.ts"] },
  { name: "package", run: ["publint", "--strict"], first: ["node", "scripts/build.mjs"] },
];

const fixes = [
  { name: "lint", run: ["oxlint", "--fix", ...code] },
  { name: "format", run: ["oxfmt", ...formatted] },
];

/** Runs a program of node_modules/.bin and gives its exit code and what it printed. */
function run([command, ...args]) {
  const path = `${join(root, "node_modules", ".bin")}:${process.env.PATH}`;
  const child = spawn(command, args, { cwd: root, env: { ...process.env, PATH: path, NO_COLOR: "1" } });
  return new Promise((resolve) => {
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    child.on("error", (error) => resolve({ code: 127, output: error.message }));
    child.on("close", (exit) => resolve({ code: exit ?? 1, output: Buffer.concat(chunks).toString() }));
  });
}

async function judge({ name, first, run: command }) {
  const began = performance.now();
  const prepared = first === undefined ? { code: 0 } : await run(first);
  const result = prepared.code === 0 ? await run(command) : prepared;
  return { name, ...result, seconds: ((performance.now() - began) / 1000).toFixed(1) };
}

const fixing = givenArguments("--fix").includes("--fix");
let failed = 0;
for (const step of fixing ? fixes : checks) {
  const { name, code: exit, output, seconds } = await judge(step);
  console.log(`${exit === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
  if (exit !== 0) console.log(`${output.trim()}\n`);
  failed += exit === 0 ? 0 : 1;
}
if (failed > 0 && !fixing) {
  console.log(`${failed} of ${checks.length} checks failed; \`npm run fix\` repairs format and simple lint`);
}
process.exitCode = failed > 0 ? 1 : 0;
