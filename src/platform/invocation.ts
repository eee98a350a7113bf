import type { Environment } from "./environment.ts";
import { isWithin } from "./places.ts";
import type { Platform } from "./platform.ts";
import { commandLine, quote } from "./shell.ts";

/** How this program is started again on this machine, for remedies to be pasted. */
export type Invocation = {
  /** `npx tracebloc`, `tracebloc`, or a line with a path; quoted for the platform's shell. */
  command: string;
  /** Another program of our name, found first on PATH: the person who types `tracebloc` gets that one. */
  otherOnPath?: string;
};

/** What the answer depends on; everything handed in. */
export type Start = {
  platform: Platform;
  environment: Environment;
  /** The script that runs, links resolved. */
  script: string;
  /** Every program of that name on PATH, in its order. */
  lookUp: (name: string) => readonly Found[];
};

/** A program as PATH has it, and the file that its links lead to. */
export type Found = { path: string; leadsTo: string };

/**
 * Under npx (npm says so in `npm_command`) the same again, with the package it was given. Else the plain name where
 * that is this program, or else a line that names the script itself. Pure but for `lookUp`.
 */
export function findInvocation({ platform, environment, script, lookUp }: Start): Invocation {
  const first = lookUp("tracebloc").find((found) => !belongsToNpm(platform, found));
  const isOurs = first !== undefined && isThisProgram(platform, first, script);
  const other = first === undefined || isOurs ? {} : { otherOnPath: first.path };
  if (environment["npm_command"] === "exec") return { command: underNpx(platform, environment), ...other };
  return { command: isOurs ? "tracebloc" : commandLine(platform, "node", script), ...other };
}

/** npm repeats `--package` in a variable; without it the bare name is right, which lets npm pick a version that suits this Node. */
function underNpx(platform: Platform, environment: Environment): string {
  const given = environment["npm_config_package"];
  return given === undefined || given === "" || given.includes("\n")
    ? "npx tracebloc"
    : `npx --package ${quote(platform.shell, given)} tracebloc`;
}

/** npx puts `node_modules/.bin` folders in front of PATH for the time of the run: what lies there is not on the person's own PATH. */
function belongsToNpm({ path: rules }: Platform, found: Found): boolean {
  const folder = rules.dirname(found.path);
  return rules.basename(folder) === ".bin" && rules.basename(rules.dirname(folder)) === "node_modules";
}

/** A link leads to the script; a shim of npm on Windows (`tracebloc.cmd`) lies beside the `node_modules` that hold it. */
function isThisProgram(platform: Platform, found: Found, script: string): boolean {
  const { path: rules } = platform;
  if (rules.relative(found.leadsTo, script) === "") return true;
  const isShim = platform.name === "windows" && /^tracebloc(?:\.cmd|\.ps1)?$/i.test(rules.basename(found.path));
  return isShim && isWithin(platform, script, rules.join(rules.dirname(found.path), "node_modules", "tracebloc"));
}

/** Where a program of this name may lie, in the order in which a shell looks. Pure; whether it is there is for the caller to see. */
export function candidatesOnPath(name: string, platform: Platform, environment: Environment): readonly string[] {
  const windows = platform.name === "windows";
  const endings = windows
    ? (environment["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").split(";").map((ending) => ending.toLowerCase())
    : [""];
  // An empty entry means the current folder, from which nothing of ours is ever started.
  const folders = (environment["PATH"] ?? "")
    .split(platform.path.delimiter)
    .filter((folder) => platform.path.isAbsolute(folder));
  return folders.flatMap((folder) => endings.map((ending) => platform.path.join(folder, `${name}${ending}`)));
}
