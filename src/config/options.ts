import type { Environment } from "../platform/environment.ts";
import { defaultStateDirectory, whyNotForData } from "../platform/places.ts";
import type { Finding } from "../engine/finding.ts";
import { finding, namedOption, wrongValue } from "./findings.ts";
import { optionNames } from "./names.ts";
import { resolvePath, type Standpoint } from "./paths.ts";
import type { Options, Origin, RunOptions, Wish } from "./wishes.ts";
import { clean, fromFlags, fromVariables, parseDuration, type Flags, type Written } from "./written.ts";

const hour = 3_600_000;
const bounds = { least: 10_000, most: 24 * hour };

/** The options of this run. Each problem is a finding; then the default stands in, so that the problem can be told as asked for. */
export function readOptions(flags: Flags, from: Standpoint): { options: Options; findings: readonly Finding[] } {
  const timeout = readTimeout(flags, from);
  const config = readPath("config", flags, from);
  const stateDir = readStateDir(flags, from);
  const options: Options = {
    json: isOn("json", flags),
    quiet: isOn("quiet", flags),
    verbose: isOn("verbose", flags),
    yes: isOn("yes", flags),
    force: isOn("force", flags),
    dryRun: isOn("dryRun", flags),
    color: readColor(flags, from),
    strict: readStrict(flags, from),
    timeoutMs: timeout.wish ?? byDefault(hour, "1h"),
    config: config.wish ?? byDefault(undefined, "searched"),
    stateDir: stateDir.wish ?? byDefault("", "none"),
  };
  const findings = [timeout, config, stateDir].flatMap((read) => read.findings);
  return {
    options,
    findings: options.quiet.value && options.verbose.value ? [...findings, quietAndVerbose()] : findings,
  };
}

type ReadOption<T> = { wish?: Wish<T>; findings: readonly Finding[] };

function byDefault<T>(value: T, name: string): Wish<T> {
  return { value, origin: { from: "default", name } };
}

function isOn(key: "json" | "quiet" | "verbose" | "yes" | "force" | "dryRun", flags: Flags): Wish<boolean> {
  const written = fromFlags(optionNames[key], flags);
  return written?.value === true ? { value: true, origin: written.origin } : byDefault(false, "off");
}

/** Commander says true where nothing was asked. NO_COLOR counts when it is not empty, whatever it says (no-color.org). */
function readColor(flags: Flags, { environment }: Standpoint): Wish<boolean> {
  const off = (origin: Origin) => ({ value: false, origin });
  if (flags["color"] === false) return off({ from: "flag", name: "--no-color" });
  if (environment["NO_COLOR"]) return off({ from: "environment", name: "NO_COLOR" });
  if (environment["TERM"] === "dumb") return off({ from: "environment", name: "TERM" });
  return byDefault(true, "as the terminal can");
}

/** CI systems set CI to true or 1; some people set it to false or 0 to get out of it. */
export function inCi(environment: Environment): boolean {
  return !/^(?:|0|false|no|off)$/i.test((environment["CI"] ?? "").trim());
}

/** `--no-strict` gets out of what CI implies. */
function readStrict(flags: Flags, { environment }: Standpoint): Wish<boolean> {
  const flag = (value: boolean, name: string): Wish<boolean> => ({ value, origin: { from: "flag", name } });
  if (flags["strict"] === true) return flag(true, "--strict");
  if (flags["strict"] === false) return flag(false, "--no-strict");
  return inCi(environment) ? { value: true, origin: { from: "environment", name: "CI" } } : byDefault(false, "off");
}

function readTimeout(flags: Flags, from: Standpoint): ReadOption<number> {
  return readText("timeoutMs", flags, from, (text) => {
    const ms = parseDuration(text);
    if (ms === undefined) return { why: "is no duration", instead: "30m" };
    return ms < bounds.least || ms > bounds.most ? { why: "is out of range" } : { value: ms };
  });
}

function readPath(key: "config" | "stateDir", flags: Flags, from: Standpoint): ReadOption<string> {
  return readText(key, flags, from, (text, origin) => {
    const resolved = resolvePath(text, origin, from);
    return "path" in resolved ? { value: resolved.path } : resolved;
  });
}

/** It becomes private to this user (0700), so it must not be a folder that others have a part in. */
function readStateDir(flags: Flags, from: Standpoint): ReadOption<string> {
  const { platform, environment } = from;
  const asked = readPath("stateDir", flags, from);
  if (asked.wish !== undefined) {
    const why = whyNotForData(platform, environment, asked.wish.value);
    if (why === undefined) return asked;
    return { findings: [wrongValue(namedOption("stateDir"), asked.wish, { why }, platform)] };
  }
  const usual = defaultStateDirectory(platform, environment);
  if (asked.findings.length > 0) return asked;
  return usual === undefined ? { findings: [noHome()] } : { wish: byDefault(usual, platform.label), findings: [] };
}

function readText<T>(
  key: keyof RunOptions,
  flags: Flags,
  { environment, platform }: Standpoint,
  read: (text: string, origin: Origin) => { value: T } | { why: string; instead?: string },
): ReadOption<T> {
  const written: Written | undefined =
    fromFlags(optionNames[key], flags) ?? fromVariables(optionNames[key], environment).written;
  if (written === undefined) return { findings: [] };
  const cleaned = clean("file", written.value);
  const result = "why" in cleaned ? cleaned : read(String(cleaned.value), written.origin);
  if ("why" in result) return { findings: [wrongValue(namedOption(key), written, result, platform)] };
  return { wish: { value: result.value, origin: written.origin }, findings: [] };
}

function quietAndVerbose(): Finding {
  return finding("CONFIG_CONFLICT", "--quiet and --verbose exclude each other", { says: "leave one of them out" });
}

function noHome(): Finding {
  return finding("CONFIG_INVALID", "stateDir (default) cannot be placed: there is no home directory", {
    says: "set TRACEBLOC_STATE_DIR, or HOME (USERPROFILE on Windows), to an absolute path",
  });
}
