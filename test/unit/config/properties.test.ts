import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { settingKeys, settings } from "../../../src/config/names.ts";
import { obsolete } from "../../../src/config/obsolete.ts";
import type { Finding } from "../../../src/engine/finding.ts";
import { exitCodeOf } from "../../../src/engine/reasons.ts";
import { hasControlCharacter } from "../../../src/platform/characters.ts";
import { platformNames, platformOf } from "../platform/personalities.ts";
import { load } from "./loading.ts";

const variables = [
  ...settingKeys.flatMap((key) => settings[key].variables),
  ...obsolete.flatMap((group) => group.variables),
];
const known = [
  "tracebloc",
  "hostpath",
  "node-local",
  "prod",
  "6550",
  "~",
  "~/x",
  "/srv/x",
  "C:\\x",
  "..",
  "",
  " ",
  "\r\n",
  '"x"',
];
const value = fc.oneof(fc.constantFrom(...known), fc.string({ unit: "binary", maxLength: 20 }));
const environment = fc.dictionary(
  fc.constantFrom(
    ...variables,
    "TRACEBLOC_STATE_DIR",
    "TRACEBLOC_CONFIG",
    "TRACEBLOC_TIMEOUT",
    "CI",
    "HOME",
    "USERPROFILE",
  ),
  value,
  { maxKeys: 6 },
);
const flags = fc.dictionary(
  fc.constantFrom(...settingKeys, "timeout", "config", "json", "quiet", "verbose", "strict", "color"),
  fc.oneof(value, fc.boolean()),
  { maxKeys: 5 },
);
const line = fc.tuple(
  fc.constantFrom(...settingKeys, "x", "- ", "\t", "? "),
  fc.oneof(value, fc.constantFrom("[", "{", "*a", "&a", "!!x", "|", "7")),
);
const file = fc.oneof(
  fc.array(line, { maxLength: 5 }).map((lines) => lines.map(([key, text]) => `${key}: ${text}`).join("\n")),
  fc.string({ unit: "binary", maxLength: 60 }),
);
const given = fc.record({ platform: fc.constantFrom(...platformNames), environment, flags, file });

/** A finding of one setting: its key first, then in brackets where it stands. */
function expectWellFormed({ reason, room, says, remedies }: Finding): void {
  expect(exitCodeOf(reason)).toBe(2);
  expect(room).toBe("config");
  expect(hasControlCharacter(says)).toBe(false);
  expect(says).not.toMatch(/\.$/);
  expect(remedies.length).toBeGreaterThan(0);
  // A file that cannot be read, and settings that exclude each other, are told otherwise.
  const placed = /\((?:--[a-z-]+|[A-Z0-9_]+|default|.*tracebloc\.yaml:\d+|.*:\d+)\) /;
  expect(reason !== "CONFIG_INVALID" || placed.test(says)).toBe(true);
}

describe("whatever is written", () => {
  test("loading ends in wishes or in findings of wrong input, and never throws", async () => {
    await fc.assert(
      fc.asyncProperty(given, async (input) => {
        const loaded = await load(input);
        if (loaded.ok) return;
        expect(loaded.findings.length).toBeGreaterThan(0);
        loaded.findings.forEach(expectWellFormed);
      }),
      { numRuns: 1500 },
    );
  });

  test("wishes are absolute, short, and of the kinds that the rest of the program counts on", async () => {
    await fc.assert(
      fc.asyncProperty(given, async (input) => {
        const loaded = await load(input);
        if (!loaded.ok) return;
        const { path } = platformOf(input.platform);
        const { wishes, options } = loaded;
        for (const place of [wishes.dataDir, wishes.datasetDir, wishes.values, wishes.chart, options.stateDir]) {
          if (place.value === undefined) continue;
          expect(path.isAbsolute(place.value)).toBe(true);
          expect(path.normalize(place.value)).toBe(place.value);
        }
        expect(["hostpath", "node-local"]).toContain(wishes.storageMode.value);
        expect(["dev", "stg", "prod"]).toContain(wishes.clientEnv.value);
        expect(Number.isInteger(wishes.apiPort.value)).toBe(true);
        expect(Number.isInteger(options.timeoutMs.value)).toBe(true);
        for (const key of settingKeys) expect(wishes[key].origin.name).not.toBe("");
      }),
      { numRuns: 800 },
    );
  });

  test("a password shows in nothing but its own wish", async () => {
    const canary = "canary7f3a91";
    const secret = fc.constantFrom(
      canary,
      `"${canary}"`,
      `${canary}\n`,
      `\u001b[200~${canary}`,
      ` ${canary} `,
      `${canary}\u0000x`,
    );
    const withSecret = fc.record({ given, secret, key: fc.constantFrom("clientPassword", "password", "token", "x") });
    await fc.assert(
      fc.asyncProperty(withSecret, async ({ given: input, secret: password, key }) => {
        const loaded = await load({
          ...input,
          environment: {
            ...input.environment,
            TRACEBLOC_CLIENT_PASSWORD: password,
            TRACEBLOC_REGISTRY_PASSWORD: password,
          },
          file: `${input.file}\n${key}: ${JSON.stringify(password)}\n`,
        });
        const told = loaded.ok ? loaded.warnings : [...loaded.findings, ...loaded.warnings];
        expect(JSON.stringify(told)).not.toContain("canary");
      }),
      { numRuns: 800 },
    );
  });
});
