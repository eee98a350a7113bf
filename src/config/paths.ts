import type { Environment } from "../platform/environment.ts";
import { homeDirectory } from "../platform/places.ts";
import type { Platform } from "../platform/platform.ts";
import type { Objection } from "./release-names.ts";
import type { Origin } from "./wishes.ts";

/** What a relative path is relative to, and what `~` is. */
export type Standpoint = { platform: Platform; environment: Environment; cwd: string };

/**
 * A path as a person writes it, made absolute and free of `.` and `..`. A relative one starts where its writer stands:
 * a flag in the current folder, the file in its own folder (`fileFolder`), a variable in the home directory, since a
 * variable outlives the folder it was set in (as the installers before this one had it). Nothing is looked at.
 */
export function resolvePath(
  written: string,
  origin: Origin,
  from: Standpoint,
  fileFolder = from.cwd,
): { path: string } | Objection {
  const { path } = from.platform;
  const home = homeDirectory(from.platform, from.environment);
  const refused = objectionToSpelling(written, from);
  if (refused !== undefined) return refused;

  const afterHome = /^~(?:$|[\\/](.*)$)/s.exec(written);
  if (path.isAbsolute(written)) return { path: withoutTrailingSeparator(from.platform, path.normalize(written)) };
  const bases = { flag: from.cwd, prompt: from.cwd, default: from.cwd, file: fileFolder, environment: home };
  const [base, rest] = afterHome === null ? [bases[origin.from], written] : [home, afterHome[1] ?? ""];
  if (base === undefined) return { why: "starts at the home directory, and there is none: HOME is not set" };
  return { path: withoutTrailingSeparator(from.platform, path.join(base, rest)) };
}

/** What cannot be meant, or would be another place than the one meant. */
function objectionToSpelling(written: string, { platform }: Standpoint): Objection | undefined {
  if (/^~[^\\/]/.test(written)) return { why: "names another user's home, which is not looked up here" };
  if (/^(?:\$\{?\w|%\w+%)/.test(written)) return { why: "begins with a variable, which is not replaced here" };
  if (/^[\\/]{2}/.test(written)) return { why: "is a network path, which a container engine cannot mount" };
  return platform.name === "windows" ? objectionOnWindows(written) : objectionOnPosix(written, platform);
}

function objectionOnWindows(written: string): Objection | undefined {
  const withBackslashes = written.replaceAll("/", "\\");
  if (withBackslashes.startsWith("\\")) return { why: "has no drive letter", instead: `C:${withBackslashes}` };
  const bare = /^([A-Za-z]:)([^\\].*)?$/s.exec(withBackslashes);
  return bare === null
    ? undefined
    : { why: "has no slash after its drive letter", instead: `${bare[1]}\\${bare[2] ?? ""}` };
}

/** In WSL2 the drives of Windows are there, under other names. */
function objectionOnPosix(written: string, { name }: Platform): Objection | undefined {
  const drive = /^([A-Za-z]):[\\/](.*)$/s.exec(written);
  if (drive === null) return undefined;
  const [, letter = "", rest = ""] = drive;
  const instead = name === "wsl2" ? { instead: `/mnt/${letter.toLowerCase()}/${rest.replaceAll("\\", "/")}` } : {};
  return { why: "begins with a drive letter, which is for Windows", ...instead };
}

function withoutTrailingSeparator({ path }: Platform, absolute: string): string {
  const { root, dir, base } = path.parse(absolute);
  return base === "" ? root : path.join(dir, base);
}
