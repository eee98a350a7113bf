import type { Finding, Remedy } from "../engine/finding.ts";
import type { Reason } from "../engine/reasons.ts";
import { visible } from "../platform/characters.ts";
import type { Platform } from "../platform/platform.ts";
import { quote, setCommand, unsetCommand } from "../platform/shell.ts";
import { optionNames, settings, type Kind } from "./names.ts";
import type { Objection } from "./release-names.ts";
import type { RunOptions, Settings, Wish } from "./wishes.ts";

/** A setting or option as a message needs it. */
export type Named = { key: string; allowed: string; kind: Kind };

/** A setting of the table in `names.ts`, by its key. */
export function namedSetting(key: keyof Settings): Named {
  const { allowed, kind } = settings[key];
  return { key, allowed, kind };
}

/** The same for an option, by the name that a person knows it by. */
export function namedOption(key: keyof RunOptions): Named {
  return { key: key === "timeoutMs" ? "timeout" : key, allowed: optionNames[key].allowed, kind: "file" };
}

/** Something of the configuration that will not do: says what, where it stands, and what is allowed. */
export function finding(reason: Reason, says: string, ...remedies: readonly Remedy[]): Finding {
  return { reason, room: "config", says, remedies };
}

/** A wrong value: key, value, origin, what is wrong with it and what is allowed. */
export function wrongValue(named: Named, written: Wish<unknown>, wrong: Objection, platform: Platform): Finding {
  const { key, allowed, kind } = named;
  const says = [key, display(kind, written.value), `(${written.origin.name})`, wrong.why]
    .filter((part) => part !== "")
    .join(" ");
  return finding("CONFIG_INVALID", says, { says: `allowed: ${allowed}` }, ...correction(key, written, wrong, platform));
}

/** What to type where a value that would do is known, or where taking the value away is the way out. */
function correction(
  key: string,
  { value, origin }: Wish<unknown>,
  { instead }: Objection,
  platform: Platform,
): readonly Remedy[] {
  if (origin.from === "environment") {
    if (instead !== undefined) return [{ says: "for example", command: setCommand(platform, origin.name, instead) }];
    const isBlank = typeof value === "string" && value.trim() === "";
    return isBlank ? [{ says: "or do without it", command: unsetCommand(platform, origin.name) }] : [];
  }
  if (instead === undefined) return [];
  if (origin.from === "flag") return [{ says: `for example ${origin.name} ${quote(platform.shell, instead)}` }];
  return [{ says: `for example, in ${origin.name}: ${key}: ${instead}` }];
}

/**
 * A value as a message shows it: on one line, cut at 60 characters. Not shown are lists and groups; credentials, where a
 * password may stand in the place of an id; and addresses with more to them than an address, which is where tokens are.
 */
function display(kind: Kind, value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || kind === "credential") return "";
  const isAddress = kind === "url" || kind === "image";
  if (isAddress && !/^[\w.:/-]*(?:@sha256:\w*)?$/.test(value)) return "";
  return visible(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
