import type { Finding } from "../engine/finding.ts";
import type { Environment } from "../platform/environment.ts";
import type { Platform } from "../platform/platform.ts";
import { finding, namedSetting, wrongValue } from "./findings.ts";
import { mirrorOf } from "./image-reference.ts";
import { settingKeys, settings } from "./names.ts";
import { resolvePath, type Standpoint } from "./paths.ts";
import type { Objection } from "./release-names.ts";
import { checkValues } from "./schema.ts";
import type { Origin, Settings } from "./wishes.ts";
import { clean, fromFlags, fromVariables, type Flags, type Written } from "./written.ts";

/** For each setting the one place that counts. */
export type Chosen = Partial<Record<keyof Settings, Written>>;
export type Values = Partial<Record<keyof Settings, unknown>>;

/**
 * Flag before variable before file. What is outranked is not looked at, so that a flag gets a person past a wrong
 * variable. Two names of one variable that differ are a conflict: nobody could say which was meant.
 */
export function chooseWritten(
  flags: Flags,
  environment: Environment,
  inFile: Chosen,
): { chosen: Chosen; findings: readonly Finding[] } {
  const chosen: Chosen = {};
  const findings: Finding[] = [];
  for (const key of settingKeys) {
    const flag = fromFlags(settings[key], flags);
    const { written, differs } = fromVariables(settings[key], environment);
    const first = flag ?? written ?? inFile[key];
    if (first !== undefined) chosen[key] = first;
    if (flag !== undefined || written === undefined || differs === undefined) continue;
    const says = `${written.origin.name} and ${differs.origin.name} both set ${key}, and differ`;
    findings.push(finding("CONFIG_CONFLICT", says, { says: `keep ${written.origin.name} alone` }));
  }
  return { chosen, findings };
}

/**
 * Cleans, checks and settles what was chosen. A value that will not do is left out and told; `folder` is that of the
 * settings file, for relative paths in it.
 */
export function readWritten(chosen: Chosen, from: Standpoint, folder: string | undefined) {
  const values: Values = {};
  const objections: Partial<Record<keyof Settings, Objection>> = {};
  const warnings: Finding[] = [];

  for (const key of settingKeys) {
    const written = chosen[key];
    if (written === undefined) continue;
    const cleaned = clean(settings[key].kind, written.value);
    if ("why" in cleaned) objections[key] = cleaned;
    else values[key] = cleaned.value;
    if ("removed" in cleaned) warnings.push(cleanedCredential(key, written));
  }
  for (const { key, ...objection } of checkValues(values)) objections[key] = objection;
  for (const key of settingKeys) {
    const written = chosen[key];
    if (written === undefined || objections[key] !== undefined) continue;
    const settled = settle(key, values[key], written, from, folder);
    if (typeof settled === "object") objections[key] = settled;
    else values[key] = settled;
  }
  const wrong = settingKeys.flatMap((key) => {
    const [written, objection] = [chosen[key], objections[key]];
    if (written === undefined || objection === undefined) return [];
    delete values[key];
    return [wrongValue(namedSetting(key), written, objection, from.platform)];
  });
  return { values, findings: wrong, warnings };
}

/** A credential that came on standard input or was typed, by the rules of every other. `origin` says where it came from. */
export function readCredential(
  key: "clientId" | "clientPassword",
  written: string,
  origin: Origin,
  platform: Platform,
): { value: string } | { finding: Finding } {
  const cleaned = clean("credential", written);
  const [wrong] = "why" in cleaned ? [cleaned] : checkValues({ [key]: cleaned.value });
  if (wrong === undefined && "value" in cleaned) return { value: String(cleaned.value) };
  const objection = { why: wrong?.why ?? "is empty" };
  return { finding: wrongValue(namedSetting(key), { value: written, origin }, objection, platform) };
}

/** A checked value as the program wants it: paths absolute, aliases reduced, no slash at the end of an address. */
function settle(
  key: keyof Settings,
  value: unknown,
  { origin }: Written,
  from: Standpoint,
  folder: string | undefined,
) {
  const { kind, aliases } = settings[key];
  if (typeof value === "number") return value;
  const text = String(value);
  if (kind === "url") return text.replace(/\/+$/, "");
  // Without TLS is said by its scheme alone; the usual one says nothing.
  if (key === "imageRegistry") return `${/^http:/i.test(text) ? "http://" : ""}${mirrorOf(text) ?? text}`;
  if (kind !== "folder" && kind !== "file") return aliases?.[text] ?? text;
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return { why: "is an address: fetch it, and name what you have then" };
  const resolved = resolvePath(text, origin, from, folder);
  return "path" in resolved ? resolved.path : resolved;
}

function cleanedCredential(key: string, { origin }: Written): Finding {
  const says = `${key} (${origin.name}) had control characters in it, which were taken out`;
  return finding("CREDENTIALS_CLEANED", says, { says: "set it again without them" });
}
