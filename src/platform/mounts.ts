import { hasControlCharacter } from "./characters.ts";
import type { Platform } from "./platform.ts";

/** How a folder is written on the left of a bind mount, or why the engine cannot be given it. */
export type BindSource = { mountable: true; source: string } | { mountable: false; why: string };

/**
 * A folder of this machine as the source of `docker run -v source:/target`. Takes an absolute path.
 * On Windows that is the native form with a capital drive letter, which Docker Desktop translates: anything without
 * a drive (`data`, `/data`, a folder of a share) would become a named volume and be lost with the cluster (B25).
 * On POSIX a colon ends the source; comma, quotes, blanks and `@` are fine (tried on Docker 20.10 and k3d 5.9.0).
 */
export function bindSource(platform: Platform, folder: string): BindSource {
  const why = platform.name === "windows" ? whyNotFromWindows(folder) : whyNotFromPosix(folder);
  if (why !== undefined) return cannot(why);
  const { root, dir, base } = platform.path.parse(platform.path.normalize(folder));
  const source = base === "" ? root : platform.path.join(dir, base);
  return { mountable: true, source: platform.name === "windows" ? withCapitalDrive(source) : source };
}

/**
 * The same as the source of `k3d cluster create -v source:/target@all`. k3d cuts at `@` unless a backslash stands before
 * it, and has no spelling for a backslash that stands there itself.
 */
export function k3dBindSource(platform: Platform, folder: string): BindSource {
  const bind = bindSource(platform, folder);
  if (!bind.mountable) return bind;
  if (bind.source.includes("\\@")) return cannot("has an @ after a backslash, which k3d cannot be told");
  return { mountable: true, source: bind.source.replaceAll("@", "\\@") };
}

function cannot(why: string): BindSource {
  return { mountable: false, why };
}

function withCapitalDrive(source: string): string {
  return `${source.slice(0, 1).toUpperCase()}${source.slice(1)}`;
}

function whyNotFromPosix(folder: string): string | undefined {
  if (hasControlCharacter(folder)) return "has a control character in it";
  if (/^[A-Za-z]:[\\/]/.test(folder)) return "has a drive letter, which means nothing here";
  if (/^\\\\|^\/\/[^/]/.test(folder)) return "is a network path";
  if (!folder.startsWith("/")) return "is not an absolute path";
  if (folder.includes(":")) return "has a colon in it, which no container engine can mount";
  return undefined;
}

function whyNotFromWindows(folder: string): string | undefined {
  if (hasControlCharacter(folder)) return "has a control character in it";
  if (/^[\\/]{2}/.test(folder)) return "is a network or device path, which Docker Desktop cannot mount";
  if (!/^[A-Za-z]:[\\/]/.test(folder)) return "does not begin with a drive letter";
  const rest = folder.slice(2);
  const odd = /[:*?"<>|]/.exec(rest)?.[0];
  if (odd !== undefined) return `has ${odd} in it, which Windows does not allow in a name`;
  const names = rest.split(/[\\/]/).filter((name) => !/^\.{0,2}$/.test(name));
  if (names.some((name) => /[. ]$/.test(name))) return "has a name that ends in a dot or a blank, which Windows drops";
  const device = names.find((name) => /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i.test(name));
  return device === undefined ? undefined : `has ${device} in it, which is the name of a device on Windows`;
}
