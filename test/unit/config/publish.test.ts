import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";

import { initialFile } from "../../../src/config/init.ts";
import { flagOf, propertyOf, settingKeys, settings } from "../../../src/config/names.ts";
import { k3dToolsImage, k3sImage, pinFor, pins, toolVersions } from "../../../src/config/pins.ts";
import { objectionToImage } from "../../../src/config/rules.ts";
import { configJsonSchema } from "../../../src/config/schema.ts";
import { shownSettings, showText } from "../../../src/config/show.ts";
import { load, refusals } from "./loading.ts";

const source = join(dirname(fileURLToPath(import.meta.url)), "../../../src");

describe("config init", () => {
  test("sets nothing", async () => {
    const loaded = await load({ file: initialFile() });
    const plain = await load();
    expect(loaded.ok && loaded.wishes).toEqual(plain.ok && plain.wishes);
  });

  test("explains every setting of the file with a value that will do", async () => {
    const lines = initialFile()
      .split("\n")
      .filter((line) => /^# \w+: /.test(line));
    expect(lines.map((line) => line.slice(2).split(":")[0])).toEqual(
      settingKeys.filter((key) => settings[key].secret !== true),
    );
    const file = lines
      .map((line) => line.slice(2))
      .join("\n")
      // Three examples name files that a machine may not have.
      .replace(/^(chart|values|caBundle): .*$/gm, "");
    expect(await refusals({ file, environment: { TRACEBLOC_REGISTRY_PASSWORD: "lab-word" } })).toEqual([]);
  });

  test("holds no line that is wider than 100 columns, but for an image with its digest", () => {
    const wide = initialFile()
      .split("\n")
      .filter((line) => line.length > 100);
    for (const line of wide) expect(line).toMatch(/^# (?:k3sImage|  otherwise): +\S+@sha256:\S+$/);
  });
});

describe("config show", () => {
  test("names every setting once, with where it comes from, and no secret", async () => {
    const environment = { TRACEBLOC_CLIENT_ID: "id-1", TRACEBLOC_CLIENT_PASSWORD: "canary-1", HOST_DATA_DIR: "/srv/t" };
    const loaded = await load({ environment, file: "cluster: lab\n" });
    if (!loaded.ok) throw new Error("refused");
    const shown = shownSettings(loaded.wishes);
    expect(shown.map(({ key }) => key)).toEqual(settingKeys);
    expect(JSON.stringify(shown)).not.toContain("canary");
    const text = showText(shown);
    expect(text).not.toContain("canary");
    expect(text).toMatch(/^clientPassword +TRACEBLOC_CLIENT_PASSWORD +\(hidden\)$/m);
    expect(text).toMatch(/^dataDir +HOST_DATA_DIR +\/srv\/t$/m);
    expect(text).toMatch(/^cluster +tracebloc.yaml:1 +lab$/m);
    expect(text).toMatch(/^chart +default +-$/m);
  });
});

describe.each([Number.POSITIVE_INFINITY, 100, 80, 60])("in %d columns, config show", (width) => {
  const long = `registry.example.com/${"x".repeat(100)}:v1`;

  test("has every origin in one column, and every value behind it or below", async () => {
    const loaded = await load({ environment: { TRACEBLOC_K3S_IMAGE: long, HOST_DATA_DIR: "/srv/t" } });
    if (!loaded.ok) throw new Error("refused");
    const shown = shownSettings(loaded.wishes);
    const lines = showText(shown, width).trimEnd().split("\n");
    const first = lines[0]?.indexOf("default") ?? 0;
    for (const { key, value, origin } of shown) {
      const at = lines.findIndex((line) => line.startsWith(`${key} `));
      expect(lines[at]?.slice(first)).toMatch(new RegExp(`^${origin.name.replaceAll(/\W/g, ".")}(?:  |$)`));
      expect([lines[at], lines[at + 1]].some((line) => line?.endsWith(`  ${value ?? "-"}`))).toBe(true);
    }
    expect(lines.filter((line) => line.length > width && line.trim().includes(" "))).toEqual([]);
  });
});

describe("config schema", () => {
  const schema = configJsonSchema() as {
    properties: Record<string, Record<string, unknown>>;
    additionalProperties: boolean;
  };

  test("describes every setting of the file, refuses any other, and holds no secret", () => {
    expect(Object.keys(schema.properties)).toEqual(settingKeys.filter((key) => settings[key].secret !== true));
    expect(schema.additionalProperties).toBe(false);
    const texts = Object.values(schema.properties).map((property) => property["description"]);
    expect(texts).toEqual(texts.map(() => expect.any(String) as string));
  });

  test("is plain data", () => {
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  test("says what an editor can check", () => {
    expect(schema.properties["namespace"]).toMatchObject({
      type: "string",
      maxLength: 37,
      pattern: expect.any(String) as string,
    });
    expect(schema.properties["apiPort"]).toMatchObject({ type: "integer", minimum: 1024, maximum: 65535 });
    expect(schema.properties["storageMode"]).toMatchObject({ enum: ["hostpath", "node-local"] });
    expect(schema.properties["clientEnv"]?.["enum"]).toEqual([
      "prod",
      "stg",
      "dev",
      "production",
      "staging",
      "development",
    ]);
  });
});

describe("names", () => {
  test("a flag of a setting comes back from commander under the setting's name", () => {
    for (const key of settingKeys) expect(propertyOf(flagOf(settings[key]) ?? key)).toBe(key);
    expect(propertyOf("--no-color")).toBe("color");
  });

  test("no two settings share a variable", () => {
    const all = settingKeys.flatMap((key) => settings[key].variables);
    expect(new Set(all).size).toBe(all.length);
  });

  test("the table is light: --help reads it, and loads neither zod nor yaml nor anything else from outside", () => {
    const seen = new Set<string>();
    const visit = (file: string) => {
      if (seen.has(file)) return;
      seen.add(file);
      const imports = readFileSync(file, "utf8").matchAll(/^import (?!type )[^"]*"([^"]+)"/gm);
      for (const [, target = ""] of imports) {
        expect(`${file} imports ${target}`).toMatch(/ imports \.{1,2}\//);
        visit(join(dirname(file), target));
      }
    };
    visit(join(source, "config/names.ts"));
    expect(seen.size).toBeLessThanOrEqual(5);
  });
});

describe("pins", () => {
  test("each has a digest of its own and an address with its version and system", () => {
    for (const { tool, os, url, sha256 } of pins) {
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(url).toMatch(/^https:\/\//);
      expect(url).toContain(toolVersions[tool]);
      expect(url).toContain(os);
    }
    expect(new Set(pins.map(({ sha256 }) => sha256)).size).toBe(pins.length);
    expect(new Set(pins.map(({ url }) => url)).size).toBe(pins.length);
  });

  test("k3d and helm are pinned wherever this program runs", () => {
    for (const os of ["linux", "darwin", "windows"] as const) {
      for (const arch of ["amd64", "arm64"] as const) {
        expect(pinFor("k3d", os, arch)).toBeDefined();
        expect(pinFor("helm", os, arch)).toBeDefined();
      }
    }
  });

  test("Windows on ARM takes what is built for x64 where there is nothing else", () => {
    expect(pinFor("k3d", "windows", "arm64")?.arch).toBe("amd64");
    expect(pinFor("helm", "windows", "arm64")?.arch).toBe("arm64");
  });

  test("nothing is pinned on the word of one source, or for an unknown processor", () => {
    expect(pinFor("kubectl", "darwin", "arm64")).toBeUndefined();
    expect(pinFor("kubectl", "windows", "amd64")).toBeUndefined();
    expect(pinFor("helm", "linux", undefined)).toBeUndefined();
  });

  test("the images obey the rules for images", () => {
    expect(objectionToImage(k3sImage)).toBeUndefined();
    expect(objectionToImage(k3dToolsImage)).toBeUndefined();
    expect(k3sImage).toMatch(/@sha256:[0-9a-f]{64}$/);
  });
});
