import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "rolldown/utils";
import { describe, expect, test } from "vitest";

import { exitCodeOf, exitCodes, reasons, type Reason } from "../../src/engine/reasons.ts";

const src = fileURLToPath(new URL("../../src", import.meta.url));

/** The rooms from left to right: a file imports from its own room and from those to the left. */
const rooms = [
  "platform",
  "process",
  "files",
  "engine",
  "config",
  "host",
  "tools",
  "cluster",
  "storage",
  "release",
  "images",
  "ingest",
  "support",
  "ui",
  "install.ts",
  "uninstall.ts",
  "status.ts",
  "report.ts",
  "cli",
  "bin.ts",
];

/** What only one file may touch. */
const owners: Record<string, string> = {
  execa: "process/execa-runner.ts",
  "node:child_process": "nothing",
  child_process: "nothing",
  "process.env": "platform/environment.ts",
  // A second Ctrl-C leaves at once; every other end is an exit code.
  "process.exit": "cli/running.ts",
};

type Import = { from: string; reexport: boolean };

/** What a module imports: static, type-only, dynamic and re-exported alike. */
function importsOf(path: string, code: string): Import[] {
  const { module, errors } = parseSync(path, code);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const dynamic = module.dynamicImports.map(({ moduleRequest }) => ({
    from: code.slice(moduleRequest.start, moduleRequest.end).replaceAll(/^["'`]|["'`]$/g, ""),
    reexport: false,
  }));
  const exported = module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ moduleRequest }) => (moduleRequest ? [{ from: moduleRequest.value, reexport: true }] : []));
  return [
    ...module.staticImports.map(({ moduleRequest }) => ({ from: moduleRequest.value, reexport: false })),
    ...exported,
    ...dynamic,
  ];
}

/** Uses of `process.env` and `process.exit`, by whatever name they came in. */
function processUses(path: string, code: string): string[] {
  const uses: string[] = [];
  const note = (name: string) => {
    if (`process.${name}` in owners) uses.push(`process.${name}`);
  };
  new Visitor({
    MemberExpression(node) {
      const named = node.property.type === "Identifier" && !node.computed ? node.property.name : "";
      const literal = node.property.type === "Literal" ? String(node.property.value) : "";
      if (node.object.type === "Identifier" && node.object.name === "process") note(named || literal);
    },
    VariableDeclarator(node) {
      if (node.init?.type !== "Identifier" || node.init.name !== "process" || node.id.type !== "ObjectPattern") return;
      for (const property of node.id.properties) {
        if (property.type === "Property" && property.key.type === "Identifier") note(property.key.name);
      }
    },
    ImportDeclaration(node) {
      if (!/^(node:)?process$/.test(node.source.value)) return;
      for (const specifier of node.specifiers) {
        if ("imported" in specifier && "name" in specifier.imported) note(specifier.imported.name);
      }
    },
  }).visit(parseSync(path, code).program);
  return uses;
}

/** Findings that are written with an empty list of remedies though they can end a run: by their reason, or "a finding". */
function withoutRemedy(path: string, code: string): string[] {
  const found: string[] = [];
  const note = (named: unknown) => {
    const reason = typeof named === "string" && named in reasons ? (named as Reason) : undefined;
    if (reason === undefined || exitCodeOf(reason, true) !== exitCodes.done) found.push(reason ?? "a finding");
  };
  const isEmpty = (node: { type: string }) => node.type === "ArrayExpression" && "elements" in node && isNone(node);
  const isNone = (node: object) => "elements" in node && Array.isArray(node.elements) && node.elements.length === 0;
  new Visitor({
    ObjectExpression({ properties }) {
      const values = new Map(
        properties.flatMap((property) =>
          property.type === "Property" && property.key.type === "Identifier"
            ? [[property.key.name, property.value]]
            : [],
        ),
      );
      const [remedies, reason] = [values.get("remedies"), values.get("reason")];
      if (remedies !== undefined && isEmpty(remedies)) note(reason?.type === "Literal" ? reason.value : undefined);
    },
    CallExpression({ arguments: given }) {
      const [first, second, third] = given;
      if (first?.type !== "Literal" || second === undefined || third === undefined) return;
      if (typeof first.value === "string" && first.value in reasons && isEmpty(third)) note(first.value);
    },
  }).visit(parseSync(path, code).program);
  return found;
}

/** Functions and values for other files without a word on what they are. */
function undocumented(code: string): string[] {
  const lines = code.split("\n");
  return lines.flatMap((line, at) => {
    const name = /^export (?:async )?(?:function\*?|const) (\w+)/.exec(line)?.[1];
    return name === undefined || lines[at - 1]?.endsWith("*/") === true ? [] : [name];
  });
}

/** What is wrong with a file of src, in sentences. `path` is relative to src. */
function faultsIn(path: string, code: string): string[] {
  const faults: string[] = [];
  const room = path.split("/")[0] ?? "";
  const imports = importsOf(path, code);
  if (!rooms.includes(room)) faults.push(`${path} is in no room of the house`);
  if (basename(path) === "index.ts") faults.push(`${path} is named like a barrel`);
  if (code.split("\n").length > 401) faults.push(`${path} has more than 400 lines`);
  if (/^export default /m.test(code)) faults.push(`${path} has a default export`);
  for (const { from, reexport } of imports) {
    if (reexport) faults.push(`${path} passes on what ${from} defines`);
    if (from in owners && owners[from] !== path) faults.push(`${path} imports ${from}, which is for ${owners[from]}`);
    if (!from.startsWith(".")) continue;
    const target = relative(src, resolve(src, dirname(path), from));
    if (!/\.(ts|json)$/.test(from)) faults.push(`${path} imports ${from} without its suffix`);
    if (!target.startsWith("..") && rooms.indexOf(target.split("/")[0] ?? "") > rooms.indexOf(room)) {
      faults.push(`${path} imports ${target}, which is to the right of ${room}`);
    }
  }
  for (const name of undocumented(code)) faults.push(`${path} does not say what ${name} is`);
  for (const reason of withoutRemedy(path, code)) faults.push(`${path} has ${reason} without a remedy`);
  for (const use of processUses(path, code)) {
    if (owners[use] !== path) faults.push(`${path} uses ${use}, which is for ${owners[use]}`);
  }
  return faults;
}

describe("the house rules, on samples", () => {
  test.each([
    ["files/lock.ts", 'import { a } from "../platform/a.ts";', []],
    [
      "files/lock.ts",
      'import { a } from "../engine/a.ts";',
      ["files/lock.ts imports engine/a.ts, which is to the right of files"],
    ],
    [
      "files/lock.ts",
      'import type { A } from "../cli/a.ts";',
      ["files/lock.ts imports cli/a.ts, which is to the right of files"],
    ],
    [
      "files/lock.ts",
      'const a = await import("../cli/a.ts");',
      ["files/lock.ts imports cli/a.ts, which is to the right of files"],
    ],
    ["ui/tty.ts", 'import { a } from "../install.ts";', ["ui/tty.ts imports install.ts, which is to the right of ui"]],
    ["ui/tty.ts", 'export * from "./lines.ts";', ["ui/tty.ts passes on what ./lines.ts defines"]],
    ["ui/tty.ts", 'export { a } from "./lines.ts";', ["ui/tty.ts passes on what ./lines.ts defines"]],
    ["ui/tty.ts", 'import { a } from "./lines";', ["ui/tty.ts imports ./lines without its suffix"]],
    ["ui/tty.ts", "export default 1;", ["ui/tty.ts has a default export"]],
    ["ui/index.ts", "/** One. */\nexport const a = 1;", ["ui/index.ts is named like a barrel"]],
    ["helpers/a.ts", "/** One. */\nexport const a = 1;", ["helpers/a.ts is in no room of the house"]],
    ["process/execa-runner.ts", 'import { execa } from "execa";', []],
    [
      "tools/helm.ts",
      'import { execa } from "execa";',
      ["tools/helm.ts imports execa, which is for process/execa-runner.ts"],
    ],
    [
      "process/execa-runner.ts",
      'const c = await import("node:child_process");',
      ["process/execa-runner.ts imports node:child_process, which is for nothing"],
    ],
    ["ui/tty.ts", "const a = process.env;", ["ui/tty.ts uses process.env, which is for platform/environment.ts"]],
    ["ui/tty.ts", 'const a = process["env"];', ["ui/tty.ts uses process.env, which is for platform/environment.ts"]],
    ["ui/tty.ts", "const { env: e } = process;", ["ui/tty.ts uses process.env, which is for platform/environment.ts"]],
    [
      "ui/tty.ts",
      'import { env } from "node:process";',
      ["ui/tty.ts uses process.env, which is for platform/environment.ts"],
    ],
    ["ui/tty.ts", "process.exit(1);", ["ui/tty.ts uses process.exit, which is for cli/running.ts"]],
    ["ui/tty.ts", "// process.env is not used here\nconst a = 'process.env';", []],
    ["ui/tty.ts", "export const a = 1;\nexport type B = 1;", ["ui/tty.ts does not say what a is"]],
    ["ui/tty.ts", "/** So. */\n\nexport async function a() {}", ["ui/tty.ts does not say what a is"]],
    ["host/a.ts", 'const a = { reason: "DISK_LOW", remedies: [] };', []],
    ["host/a.ts", 'const a = { reason: "NO_SPACE", remedies: [] };', ["host/a.ts has NO_SPACE without a remedy"]],
    ["host/a.ts", "const a = { says, remedies: [] };", ["host/a.ts has a finding without a remedy"]],
    ["host/a.ts", 'throw new Failure(finding("NO_SPACE", b, []));', ["host/a.ts has NO_SPACE without a remedy"]],
    ["host/a.ts", 'const a = warning("DISK_LOW", b, []);', []],
    ["host/a.ts", 'const a = refusal("NO_SPACE", b, [c]);', []],
    ["ui/tty.ts", "\n".repeat(401), ["ui/tty.ts has more than 400 lines"]],
    ["ui/tty.ts", "\n".repeat(400), []],
  ])("%s with `%s`", (path, code, faults) => {
    expect(faultsIn(path, code)).toEqual(faults);
  });
});

/** Whoever interrupted needs no remedy: the last line says that the same command goes on. The others are still to be mended. */
const excused = new Set([
  "engine/outcome.ts has a finding without a remedy",
  "engine/run.ts has NOT_CONVERGED without a remedy",
  "storage/delete.ts does not say what deletePerformer is",
]);

test("every file of src keeps the house rules", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(1);
  const faults = files.flatMap((path) => faultsIn(path.replaceAll("\\", "/"), readFileSync(join(src, path), "utf8")));
  expect(faults.filter((fault) => !excused.has(fault))).toEqual([]);
});
