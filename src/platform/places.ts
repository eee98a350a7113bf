import type { Environment } from "./environment.ts";
import type { Platform } from "./platform.ts";

/**
 * Puts variables in the place of `$NAME` at the start of a text or after `//`. Undefined where one is not set,
 * since half a path would be another path.
 */
export function fill(template: string, environment: Environment): string | undefined {
  const name = /\$([A-Z_]+(?:\(X86\))?)/.exec(template)?.[1];
  if (name === undefined) return template;
  const value = environment[name];
  return value === undefined || value === "" ? undefined : template.replace(`$${name}`, () => value);
}

/** The home directory, or undefined where the environment names none that can be used. */
export function homeDirectory(platform: Platform, environment: Environment): string | undefined {
  return firstPlace(platform, platform.name === "windows" ? ["$USERPROFILE"] : ["$HOME"], environment);
}

/** Where our own state lies unless TRACEBLOC_STATE_DIR says otherwise: the platform's place for it. */
export function defaultStateDirectory(platform: Platform, environment: Environment): string | undefined {
  return firstPlace(platform, platform.stateDirectory, environment);
}

/** Where data lies unless HOST_DATA_DIR says otherwise. */
export function defaultDataDirectory(platform: Platform, environment: Environment): string | undefined {
  return firstPlace(platform, platform.dataDirectory, environment);
}

/** A relative value is as good as none: the XDG specification says so of its variables, and a home must not move with the cwd. */
function firstPlace(platform: Platform, templates: readonly string[], environment: Environment): string | undefined {
  const places = templates.map((template) => fill(template, environment));
  const place = places.find((candidate) => candidate !== undefined && platform.path.isAbsolute(candidate));
  return place === undefined ? undefined : platform.path.normalize(place);
}

/** Whether one path is the other or lies below it, by this platform's rules. Both absolute. Windows does not tell cases apart. */
export function isWithin(platform: Platform, path: string, folder: string): boolean {
  const way = platform.path.relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${platform.path.sep}`) && !platform.path.isAbsolute(way));
}

/** Why a folder must not be handed to a cluster as a whole: it is the system's, or everybody's. Undefined where it may. */
export function whyNotForData(platform: Platform, environment: Environment, folder: string): string | undefined {
  const { path } = platform;
  const home = homeDirectory(platform, environment);
  if (path.dirname(folder) === folder) return "is the root of a file system";
  if (home !== undefined && path.relative(home, folder) === "") return "is your home directory";
  if (home !== undefined && isWithin(platform, home, folder)) return "contains your home directory";
  const filled = (templates: readonly string[]) => templates.flatMap((template) => fill(template, environment) ?? []);
  const tree = filled(platform.systemTrees).find((candidate) => isWithin(platform, folder, candidate));
  if (tree !== undefined) return `is in ${tree}, which belongs to the system`;
  const shared = filled(platform.systemFolders).find((candidate) => path.relative(candidate, folder) === "");
  return shared === undefined ? undefined : "is shared with the rest of the system";
}
