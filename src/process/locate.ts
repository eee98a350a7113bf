import { accessSync, constants, statSync } from "node:fs";
import { posix, resolve, win32 } from "node:path";

import type { Environment } from "../platform/environment.ts";
import { obstacleIn, type Obstacle } from "./binary.ts";

/** What is wanted: a program by name or path, and the folder it runs in. */
type Wanted = { file: string; cwd?: string | undefined };

/**
 * The file to start, or what stands in the way. Looks before the system is asked, because its answer does not tell
 * enough: a missing folder and a missing interpreter are ENOENT like a missing program, and on Windows cmd.exe turns a
 * missing program into exit code 1.
 */
export function findProgram(wanted: Wanted, environment: Environment, os: NodeJS.Platform): string | Obstacle {
  if (wanted.cwd !== undefined && !isFolder(wanted.cwd)) {
    return { notStarted: "other", why: `the folder ${wanted.cwd} does not exist` };
  }
  const located = locate(wanted, environment, os);
  // Elsewhere than on Linux the system refuses by itself what it cannot run.
  return typeof located === "string" && os === "linux" ? (obstacleIn(located) ?? located) : located;
}

/** The file that would be started: as execvp finds it on POSIX, with the endings of PATHEXT on Windows. */
function locate({ file, cwd }: Wanted, environment: Environment, os: NodeJS.Platform): string | Obstacle {
  const windows = os === "win32";
  const isPath = file.includes("/") || (windows && file.includes("\\"));
  const folders = isPath ? [""] : foldersOn(environment["PATH"] ?? "/usr/bin:/bin", windows);
  const names = windows ? withEndings(file, environment["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD") : [file];

  let refused: string | undefined;
  for (const folder of folders) {
    for (const name of names) {
      const path = resolve(cwd ?? "", folder, name);
      const use = usable(path, windows);
      if (use === "yes") return path;
      if (use === "refused") refused ??= path;
    }
  }
  if (refused !== undefined) return { notStarted: "not-executable", why: `${refused} is not executable for this user` };
  return { notStarted: "missing", why: isPath ? `there is no ${file}` : `there is no ${file} on PATH` };
}

/** An empty or a relative entry is a folder below the current one, where anybody may have put a program: nothing is started from there. */
function foldersOn(path: string, windows: boolean): string[] {
  const rules = windows ? win32 : posix;
  return path.split(rules.delimiter).filter((folder) => rules.isAbsolute(folder));
}

function withEndings(file: string, pathExt: string): string[] {
  const endings = pathExt.split(";").filter((ending) => ending !== "");
  const complete = endings.some((ending) => file.toLowerCase().endsWith(ending.toLowerCase()));
  return complete ? [file] : endings.map((ending) => `${file}${ending.toLowerCase()}`);
}

/** A folder of the same name is passed over, as execvp does; a file that may not be run is remembered. */
function usable(path: string, windows: boolean): "yes" | "refused" | "no" {
  try {
    if (!statSync(path).isFile()) return "no";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "refused" : "no";
  }
  try {
    if (!windows) accessSync(path, constants.X_OK);
    return "yes";
  } catch {
    return "refused";
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
