import type { Finding } from "../engine/finding.ts";
import { isWithin } from "../platform/places.ts";
import type { Platform } from "../platform/platform.ts";
import { finding } from "./findings.ts";
import type { Place, Places } from "./folders.ts";
import type { Options, Wish, Wishes } from "./wishes.ts";

/** A login of which half is missing. Pure. */
export function registryConflicts({ registryUsername, registryPassword }: Wishes): readonly Finding[] {
  const [only, ...other] = [registryUsername, registryPassword].filter(({ value }) => value !== undefined);
  if (only === undefined || other.length > 0) return [];
  const says = `${only.origin.name} is set alone: a registry asks for user name and password`;
  return [finding("CONFIG_CONFLICT", says, { says: "set both, or neither" })];
}

/** Settings that exclude each other, each pair once. Pure. */
export function findConflicts(
  wishes: Wishes,
  options: Options,
  places: Places,
  platform: Platform,
): readonly Finding[] {
  const { storageMode, dataDir, datasetDir } = wishes;
  if (storageMode.value === "node-local") {
    if (datasetDir.value === undefined) return [];
    // Datasets that seem to lie in a folder of their own would be lost with the cluster.
    return [
      exclude(
        ["storageMode", storageMode],
        ["datasetDir", datasetDir],
        "with node-local, data lies inside the cluster",
      ),
    ];
  }
  const pairs = [
    {
      one: ["dataDir", dataDir],
      place: places.dataDir,
      other: ["datasetDir", datasetDir],
      beside: places.datasetDir,
      why: "",
    },
    {
      one: ["dataDir", dataDir],
      place: places.dataDir,
      other: ["stateDir", options.stateDir],
      beside: places.stateDir,
      why: secrets,
    },
    {
      one: ["datasetDir", datasetDir],
      place: places.datasetDir,
      other: ["stateDir", options.stateDir],
      beside: places.stateDir,
      why: secrets,
    },
  ] as const;
  return pairs
    .filter(({ place, beside }) => overlap(place, beside, platform))
    .map(({ one, other, why }) => exclude(one, other, `one lies in the other${why}`));
}

const secrets = ", and the secrets of the state directory must not be mounted";

function overlap(one: Place | undefined, other: Place | undefined, platform: Platform): boolean {
  if (one === undefined || other === undefined) return false;
  return isWithin(platform, one.leadsTo, other.leadsTo) || isWithin(platform, other.leadsTo, one.leadsTo);
}

type Named = readonly [key: string, wish: Wish<unknown>];

function exclude(one: Named, other: Named, why: string): Finding {
  const says = `${spell(one)} and ${spell(other)} exclude each other: ${why}`;
  const folders = one[0] !== "storageMode";
  return finding("CONFIG_CONFLICT", says, {
    says: folders ? "choose folders beside each other" : "leave one of them out",
  });
}

function spell([key, { value, origin }]: Named): string {
  return `${key} ${String(value)} (${origin.name})`;
}
