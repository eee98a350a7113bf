import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";

import { pack, type Packed, root } from "./packed.ts";

const manifestSchema = z.looseObject({
  scripts: z.record(z.string(), z.string()),
  engines: z.object({ node: z.string() }),
});

let packed: Packed;
let files: string[];

beforeAll(async () => {
  packed = await pack();
  files = readdirSync(packed.unpacked, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(packed.unpacked, path)).isFile())
    .toSorted();
});
afterAll(() => packed.remove());

const text = (path: string) => readFileSync(join(packed.unpacked, path), "utf8");
const programFiles = () => files.filter((path) => path.endsWith(".cjs"));

describe("the package", () => {
  test("holds at most 12 files besides the charts", () => {
    const besides = files.filter((path) => !path.startsWith("charts/"));
    expect(besides.length, besides.join("\n")).toBeLessThanOrEqual(12);
  });

  test("holds what it needs to run and what its licence asks for", () => {
    expect(files).toEqual(
      expect.arrayContaining(["LICENSE", "README.md", "THIRD_PARTY_LICENSES", "dist/bin.cjs", "package.json"]),
    );
    const charts = ["client", "ingestor"].map((name) => `charts/${name}/Chart.yaml`);
    expect(files).toEqual(expect.arrayContaining(charts));
  });

  test("is at most 200 KB without the charts", () => {
    const withoutCharts = execFileSync("tar", ["-czf", "-", "--exclude=package/charts", "package"], {
      cwd: packed.directory,
      maxBuffer: 64 * 1024 * 1024,
    });
    expect(withoutCharts.byteLength).toBeLessThanOrEqual(200_000);
  });

  test("asks npm to install nothing and to run nothing", () => {
    const manifest = manifestSchema.parse(JSON.parse(text("package.json")));
    for (const kind of ["dependencies", "optionalDependencies", "peerDependencies", "bundleDependencies"]) {
      expect(Object.keys(manifest[kind] ?? {}), kind).toEqual([]);
    }
    for (const moment of ["preinstall", "install", "postinstall", "prepare"]) {
      expect(manifest.scripts).not.toHaveProperty(moment);
    }
  });

  test("loads nothing but Node's own modules and its own files", () => {
    const own = programFiles().map((path) => path.replace("dist/", "./"));
    const allowed = new Set([...own, ...builtinModules, ...builtinModules.map((name) => `node:${name}`)]);
    const loaded = programFiles().flatMap((path) => requestsOf(path, text(path)));
    expect(loaded).not.toEqual([]);
    expect(loaded.filter((name) => !allowed.has(name))).toEqual([]);
  });

  test("names no directory of the machine it was built on", () => {
    const traces = files.filter((path) => [root, `${homedir()}/`].some((place) => text(path).includes(place)));
    expect(traces).toEqual([]);
  });
});

/** What a CommonJS file passes to require() or import(), as far as it is written out. */
function requestsOf(path: string, code: string): string[] {
  const requests: string[] = [];
  const note = (argument: unknown) => {
    const request = z.object({ type: z.literal("Literal"), value: z.string() }).safeParse(argument);
    if (request.success) requests.push(request.data.value);
  };
  new Visitor({
    CallExpression(node) {
      if (node.callee.type === "Identifier" && node.callee.name === "require") note(node.arguments[0]);
    },
    ImportExpression(node) {
      note(node.source);
    },
  }).visit(parseSync(path, code).program);
  return requests;
}

describe("THIRD_PARTY_LICENSES", () => {
  test("lists every package that src imports", () => {
    const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => [path, readFileSync(join(root, "src", path), "utf8")] as const);
    const imported = sources.flatMap(([path, code]) => {
      const { staticImports } = parseSync(path, code).module;
      return staticImports
        .filter(({ entries }) => entries.some(({ isType }) => !isType))
        .map(({ moduleRequest }) => moduleRequest.value)
        .filter((from) => !from.startsWith(".") && !from.startsWith("node:"))
        .map((from) => /^(?:@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? from);
    });
    const missing = [...new Set(imported)].filter(
      (name) => !new RegExp(`^${name} \\d`, "m").test(text("THIRD_PARTY_LICENSES")),
    );
    expect(missing).toEqual([]);
  });
});
