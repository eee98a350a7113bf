import type { Finding } from "../engine/finding.ts";
import type { Platform } from "../platform/platform.ts";
import { readCredential } from "./read-settings.ts";
import type { Origin, Wish, Wishes } from "./wishes.ts";

const keys = ["clientId", "clientPassword"] as const;

/**
 * The client's id and password out of values for the chart, for those that were not given by name; what a values file
 * says of the client is asked for like anything else. A password is taken only with the id that it belongs to. `values`
 * come back without either, so that nothing of another client reaches the release behind what is wished for. `path` is
 * the file; `findings` name what in it can be no credential. Pure.
 */
export function withCredentialsOf(
  wishes: Wishes,
  values: Readonly<Record<string, unknown>>,
  path: string,
  platform: Platform,
): { wishes: Wishes; values: Readonly<Record<string, unknown>>; findings: readonly Finding[] } {
  const rest = Object.fromEntries(
    Object.entries(values).filter(([key, value]) => !(isCredential(key) && typeof value === "string")),
  );
  const wished = wishes.clientId.value;
  if (wished !== undefined && values["clientId"] !== undefined && values["clientId"] !== wished) {
    return { wishes, values: rest, findings: [] };
  }
  const found: Partial<Record<(typeof keys)[number], Wish<string>>> = {};
  const findings: Finding[] = [];
  for (const key of keys) {
    const written = values[key];
    if (typeof written !== "string" || wishes[key].value !== undefined) continue;
    const origin: Origin = { from: "file", name: `${key} in ${path}` };
    const read = readCredential(key, written, origin, platform);
    if ("finding" in read) findings.push(read.finding);
    else found[key] = { value: read.value, origin };
  }
  return { wishes: { ...wishes, ...found }, values: rest, findings };
}

function isCredential(key: string): boolean {
  return key === "clientId" || key === "clientPassword";
}
