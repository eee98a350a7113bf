import { hasControlCharacter } from "../platform/characters.ts";
import type { Environment } from "../platform/environment.ts";
import { cleanPasted } from "./credentials.ts";
import { flagOf, propertyOf, type Kind } from "./names.ts";
import type { Objection } from "./release-names.ts";
import type { Wish } from "./wishes.ts";

/** What a person wrote, and where. */
export type Written = Wish<unknown>;

/** Flags as commander hands them over: by property, undefined where not given. */
export type Flags = Readonly<Record<string, unknown>>;

/** What stands under one name on the command line, or undefined. */
export function fromFlags(name: { flag?: string }, flags: Flags): Written | undefined {
  const flag = flagOf(name);
  const value = flag === undefined ? undefined : flags[propertyOf(flag)];
  return flag === undefined || value === undefined ? undefined : { value, origin: { from: "flag", name: flag } };
}

/** What the variables of one setting say: the first that is set, and any other that says something else. */
export function fromVariables(
  { variables }: { variables: readonly string[] },
  environment: Environment,
): { written?: Written; differs?: Written } {
  const set = variables.flatMap((name): Written[] => {
    const value = environment[name];
    return value === undefined ? [] : [{ value, origin: { from: "environment", name } }];
  });
  const [written, ...others] = set;
  if (written === undefined) return {};
  const differs = others.find((other) => trimmed(other.value) !== trimmed(written.value));
  return { written, ...(differs !== undefined && { differs }) };
}

function trimmed(value: unknown): unknown {
  return typeof value === "string" ? value.trim() : value;
}

/** Longer than any path or address that works; what is longer was not meant. */
const longestText = 4096;

export type Cleaned = { value: unknown; removed?: true } | Objection;

/**
 * A value without what came along with it: blanks and line ends around it (a .env file with CRLF), escape sequences in
 * pasted credentials. Digits are read as a number, base 10, leading zeros allowed. Quotes around a value are refused
 * rather than taken off: whoever wrote them expects a shell that was not there.
 */
export function clean(kind: Kind, value: unknown): Cleaned {
  if (typeof value !== "string") return { value };
  const trimmedText = kind === "credential" ? value.replace(/[\r\n]+$/, "") : value.trim();
  const { text, removed } = kind === "credential" ? cleanPasted(trimmedText) : { text: trimmedText, removed: false };
  if (text.trim() === "") return { why: "is empty" };
  // Half of another line would be joined to it, and the backend say no more than that it is wrong.
  if (kind === "credential" && /[\r\n]/.test(trimmedText)) return { why: "has a line break in it" };
  if (/^(["'`]).*\1$/s.test(text)) return { why: "has quotes around it" };
  if (hasControlCharacter(text)) return { why: "has a line break or another control character in it" };
  if (text.length > longestText) return { why: "is too long" };
  if (kind === "number" && /^\d{1,15}$/.test(text)) return { value: Number(text) };
  return { value: text, ...(removed && { removed }) };
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };

/** Milliseconds of a duration: `600` and `600s`, `10m`, `1h30m`; base 10 whatever zeros lead. Undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const written = /^\d{1,9}$/.test(text) ? `${text}s` : text.toLowerCase();
  const parts = /^(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/.exec(written);
  if (parts === null || written === "") return undefined;
  const [, hours = "0", minutes = "0", seconds = "0"] = parts;
  const units = { h: hours, m: minutes, s: seconds };
  return Object.entries(units).reduce((sum, [unit, count]) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
}
