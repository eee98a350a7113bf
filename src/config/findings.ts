import type { Finding, Remedy } from "../engine/finding.ts";
import type { Reason } from "../engine/reasons.ts";
import { visible } from "../platform/characters.ts";
import type { Platform } from "../platform/platform.ts";
import { setCommand, unsetCommand } from "../platform/shell.ts";
import { settings } from "./names.ts";
import type { Objection } from "./release-names.ts";
import type { Settings, Wish } from "./wishes.ts";

/** A setting or option as a message needs it. */
export type Named = { key: string; allowed: string; hidden: boolean };

/** A setting as a message names it. An id is no secret, but a password put in its place by mistake would be shown. */
export function namedSetting(key: keyof Settings): Named {
  return { key, allowed: settings[key].allowed, hidden: settings[key].kind === "credential" };
}

/** Something of the configuration that will not do: says what, where it stands, and what is allowed. */
export function finding(reason: Reason, says: string, ...remedies: readonly Remedy[]): Finding {
  return { reason, room: "config", says, remedies };
}

/** A wrong value. Never shows a hidden one, nor more than a line of any. */
export function wrongValue(named: Named, written: Wish<unknown>, wrong: Objection, platform: Platform): Finding {
  const { key, allowed, hidden } = named;
  const shown = hidden ? "" : display(written.value);
  const says = [key, shown, `(${written.origin.name})`, wrong.why].filter((part) => part !== "").join(" ");
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
  if (origin.from === "flag") return [{ says: `for example ${origin.name} ${instead}` }];
  return [{ says: `for example, in ${origin.name}: "${key}: ${instead}"` }];
}

/** A value as a message shows it: on one line, cut at 60 characters. Lists and groups are not shown. */
export function display(value: unknown): string {
  if (typeof value === "string") return visible(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
