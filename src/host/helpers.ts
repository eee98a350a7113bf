import { readFile } from "node:fs/promises";

import { answered, known, unknown, type Fact } from "../engine/fact.ts";
import { within, type Machine } from "../engine/machine.ts";
import { homeDirectory } from "../platform/places.ts";
import { errnoOf } from "./errno.ts";
import type { MissingHelper } from "./facts.ts";
import { parseObject, recordIn, textIn } from "./json.ts";

/** A helper that Docker's configuration names, and by which key. */
export type NamedHelper = { helper: string; key: string };

/** The helpers in the text of Docker's config.json: `credsStore` for all registries, `credHelpers` for single ones. Pure. */
export function helpersIn(config: string): readonly NamedHelper[] {
  const told = parseObject(config);
  const store = textIn(told, "credsStore");
  const single = Object.entries(recordIn(told, "credHelpers") ?? {}).flatMap(([registry, helper]) =>
    typeof helper === "string" && helper !== "" ? [{ helper, key: `credHelpers of ${registry}` }] : [],
  );
  return [...(store === undefined ? [] : [{ helper: store, key: "credsStore" }]), ...single];
}

/** Those that are not on PATH: left over from another engine, or from Windows in a WSL distribution (B47). Never throws. */
export async function findMissingHelpers(on: Machine): Promise<Fact<readonly MissingHelper[]>> {
  const { path } = on.platform;
  const home = homeDirectory(on.platform, on.environment);
  const folder = on.environment["DOCKER_CONFIG"] || (home === undefined ? undefined : path.join(home, ".docker"));
  if (folder === undefined) return unknown("there is no home directory", "Docker's config.json");
  const file = path.join(folder, "config.json");
  const text = await answered(readFile(file, "utf8")).catch((error: unknown) =>
    errnoOf(error) === "ENOENT" ? "" : undefined,
  );
  if (text === undefined) return unknown("it cannot be read", file);

  const named = helpersIn(text);
  const missing = await Promise.all(
    [...new Set(named.map(({ helper }) => helper))].map(async (helper) =>
      (await isMissing(helper, on)) ? [helper] : [],
    ),
  );
  const gone = new Set(missing.flat());
  return known(
    named.filter(({ helper }) => gone.has(helper)).map((one) => ({ ...one, file })),
    file,
  );
}

/** Only a program that is not there is missing; one that fails has reasons of its own. */
async function isMissing(helper: string, on: Machine): Promise<boolean> {
  const file = `docker-credential-${helper}`;
  const result = await on.runner.run({
    file,
    args: ["version"],
    about: `${file} version`,
    timeoutMs: within(on, 5_000),
    graceMs: 500,
  });
  return result.outcome === "not-started" && result.notStarted === "missing";
}
