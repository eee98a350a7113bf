import type { Finding } from "../engine/finding.ts";
import type { Environment } from "../platform/environment.ts";
import { k3dBindSource } from "../platform/mounts.ts";
import { homeDirectory, whyNotForData } from "../platform/places.ts";
import type { Platform } from "../platform/platform.ts";
import type { ConfigFiles } from "./disk.ts";
import { namedOption, namedSetting, wrongValue } from "./findings.ts";
import type { Standpoint } from "./paths.ts";
import type { Options, Wishes } from "./wishes.ts";

/** A folder as it was named, and where that really leads. */
export type Place = { path: string; leadsTo: string };

/** What the folders of this run really are, links followed. Asked beforehand, so that judging them is pure. */
export type Places = { dataDir: Place; datasetDir: Place | undefined; stateDir: Place; home: string | undefined };

/** Follows links, and asks for nothing else. Undefined where a folder has no place at all. */
export async function findPlaces(
  wishes: Wishes,
  options: Options,
  from: Standpoint,
  files: ConfigFiles,
): Promise<Places | undefined> {
  if (wishes.dataDir.value === "" || options.stateDir.value === "") return undefined;
  const place = async (path: string): Promise<Place> => ({ path, leadsTo: await files.realPath(path) });
  const home = homeDirectory(from.platform, from.environment);
  const [dataDir, stateDir, datasetDir, realHome] = await Promise.all([
    place(wishes.dataDir.value),
    place(options.stateDir.value),
    wishes.datasetDir.value === undefined ? undefined : place(wishes.datasetDir.value),
    home === undefined ? undefined : files.realPath(home),
  ]);
  return { dataDir, stateDir, datasetDir, home: realHome };
}

/** Folders that cannot hold data: the engine cannot be given them, or they are not this program's to hand over. */
export function judgeFolders(
  wishes: Wishes,
  places: Places,
  { platform, environment }: Standpoint,
): readonly Finding[] {
  return (["dataDir", "datasetDir"] as const).flatMap((key) => {
    const place = places[key];
    const why = place && whyNotThisFolder(place, places.home, platform, environment);
    return why === undefined ? [] : [wrongValue(namedSetting(key), wishes[key], { why }, platform)];
  });
}

/** A state directory becomes private: what it leads to by a link must be nobody else's either. The path itself is judged with the options. */
export function judgeStateDir(
  { stateDir }: Options,
  { stateDir: place, home }: Places,
  { platform, environment }: Standpoint,
): readonly Finding[] {
  if (place.leadsTo === place.path) return [];
  const why = whyNotThere(place.leadsTo, home, platform, environment);
  return why === undefined ? [] : [wrongValue(namedOption("stateDir"), stateDir, { why }, platform)];
}

function whyNotThisFolder(
  { path, leadsTo }: Place,
  home: string | undefined,
  platform: Platform,
  environment: Environment,
): string | undefined {
  const bind = k3dBindSource(platform, path);
  if (!bind.mountable) return bind.why;
  const why = whyNotForData(platform, environment, path);
  return why !== undefined || leadsTo === path ? why : whyNotThere(leadsTo, home, platform, environment);
}

/** The home directory may be a link as well: then the folder it leads to is the home that must not be handed over. */
function whyNotThere(
  leadsTo: string,
  home: string | undefined,
  platform: Platform,
  environment: Environment,
): string | undefined {
  const variable = platform.name === "windows" ? "USERPROFILE" : "HOME";
  const why = whyNotForData(platform, { ...environment, [variable]: home }, leadsTo);
  return why === undefined ? undefined : `leads to ${leadsTo}, which ${why}`;
}
