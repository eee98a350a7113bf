import type * as z from "zod/mini";

import { didYouMean } from "../config/did-you-mean.ts";
import type { Finding, Remedy } from "../engine/finding.ts";
import { visible } from "../platform/characters.ts";
import { nameOf, readDocument } from "./document.ts";
import { flawsTogether, isGroup, type Flaw, type Given } from "./rules.ts";
import { allowedFor, ingestConfig, keysAt, type IngestConfig, type Path } from "./schema.ts";

/** A config with a way back to where a key stands, `FILE:LINE`. */
export type ReadConfig = { config: IngestConfig; placeOf: (path: Path) => string } | { findings: readonly Finding[] };

/**
 * The IngestConfig in a file's text, or all that is wrong with it, from top to bottom. `name` is the file as the person
 * wrote it. Pure; nothing is looked for on a disk.
 */
export function readIngestConfig(text: string, name: string): ReadConfig {
  const read = readDocument(text);
  if ("unreadable" in read) {
    const mend = { says: "mend that line" };
    return {
      findings: read.unreadable.map(({ line, why }) => finding("INGEST_UNREADABLE", `${name}:${line} ${why}`, [mend])),
    };
  }
  const { value, lineOf } = read;
  if (!isGroup(value)) {
    const remedy = { says: "it begins with apiVersion: tracebloc.io/v1 and kind: IngestConfig" };
    return {
      findings: [finding("INGEST_UNREADABLE", `${name} holds ${nameOf(value)}, not an IngestConfig`, [remedy])],
    };
  }
  const given = withLongLabel(value);
  const result = ingestConfig.safeParse(given);
  const flaws = withoutEchoes([
    ...(result.error?.issues ?? []).flatMap((issue) => flawsOf(issue, given)),
    ...flawsTogether(value),
  ]);
  const placeOf = (path: Path) => `${name}:${lineOf(path)}`;
  if (result.success && flaws.length === 0) return { config: result.data, placeOf };
  const placed = flaws.map((flaw) => ({ flaw, line: lineOf(flaw.because ?? flaw.path) }));
  const sorted = placed.sort((one, other) => one.line - other.line);
  return { findings: sorted.map(({ flaw, line }) => told(flaw, valueAt(value, flaw.path), `${name}:${line}`)) };
}

/** The short form of a label is the name of its column. */
function withLongLabel(given: Given): Given {
  const { label } = given;
  return typeof label === "string" ? { ...given, label: { column: label } } : given;
}

/** One flaw per key, and none for a key that is only misspelt: what was meant is told there. */
function withoutEchoes(flaws: readonly Flaw[]): readonly Flaw[] {
  const meant = new Set(
    flaws.flatMap(({ path, meant: key }) => (key === undefined ? [] : [keyText([...path.slice(0, -1), key])])),
  );
  const seen = new Set<string>();
  return flaws.filter(({ path, isMissing }) => {
    const key = keyText(path);
    const isEcho = seen.has(key) || (isMissing === true && meant.has(key));
    seen.add(key);
    return !isEcho;
  });
}

function told({ path, why, allowed, meant, instead }: Flaw, value: unknown, where: string): Finding {
  const shown = display(path, value);
  const says = [keyText(path), ...(shown === "" ? [] : [shown]), `(${where})`, why].join(" ");
  const remedies = [
    ...(meant === undefined ? [] : [{ says: `did you mean ${meant}?` }]),
    ...(allowed === undefined ? [] : [{ says: `allowed: ${allowed}` }]),
    ...(instead === undefined ? [] : [{ says: instead }]),
  ];
  return finding("INGEST_INVALID", says, remedies);
}

function finding(reason: "INGEST_INVALID" | "INGEST_UNREADABLE", says: string, remedies: readonly Remedy[]): Finding {
  return { reason, room: "ingest", says, remedies };
}

/** What zod found, in our words. */
function flawsOf(issue: z.core.$ZodIssue, whole: unknown): readonly Flaw[] {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey([...path, key]));
  const value = valueAt(whole, path);
  const missing = value === undefined ? { isMissing: true } : {};
  if (issue.code === "invalid_value") {
    const choices = issue.values.map(String);
    const meant = typeof value === "string" ? didYouMean(value, choices) : undefined;
    const why =
      value === undefined
        ? "is missing"
        : choices.length > 1
          ? "is not one of the choices"
          : "is not what it has to be";
    return [{ path, why, ...missing, allowed: choices.join(", "), ...(meant !== undefined && { meant }) }];
  }
  const isShort = path.length === 1 && path[0] === "label";
  const expected = issue.code !== "invalid_type" ? "" : isShort ? "string" : issue.expected;
  const allowed = allowedFor(path) ?? plainly[expected] ?? plainly["string"];
  return [{ path, why: whyNot(value, expected), ...missing, ...(allowed !== undefined && { allowed }) }];
}

/** What zod expects, for people. */
const plainly: Readonly<Record<string, string>> = {
  string: "a text that is not empty",
  int: "a whole number",
  number: "a whole number",
  array: "a list",
  object: "keys with values",
  record: "keys with values",
};

function whyNot(value: unknown, expected: string): string {
  if (value === undefined) return "is missing";
  if (value === null) return "has no value";
  if (value === "") return "is empty";
  const isPlain = typeof value === "number" || typeof value === "boolean" || value instanceof Date;
  if (expected === "string" && isPlain) return `is read as ${nameOf(value)}, not as a text: put it in quotes`;
  return expected === "" ? "will not do" : `is ${kindOf(value)}`;
}

function kindOf(value: unknown): string {
  if (typeof value === "string") return "a text";
  if (typeof value === "number") return Number.isInteger(value) ? "a number" : "no whole number";
  return typeof value === "boolean" ? "a yes or no" : nameOf(value);
}

/** Words that people have for a key elsewhere: in the flags of other programs, or one for many. */
const otherNames = new Map([
  ["task", "category"],
  ["name", "table"],
  ["labels", "label"],
  ["target", "label"],
]);

function unknownKey(path: Path): Flaw {
  const key = String(path.at(-1));
  const around = path.slice(0, -1);
  const known = keysAt(around);
  const other = around.length === 0 ? otherNames.get(key) : undefined;
  const meant = other ?? didYouMean(key, known) ?? groupOf(key);
  return { path, why: "is no key here", ...(meant === undefined ? { allowed: known.join(", ") } : { meant }) };
}

/** Where a key belongs that is right and in the wrong place. */
function groupOf(key: string): string | undefined {
  const groups: readonly Path[] = [
    [],
    ["label"],
    ["data_id"],
    ["spec"],
    ["spec", "csv_options"],
    ["spec", "file_options"],
  ];
  const group = groups.find((path) => keysAt(path).includes(key));
  return group === undefined ? undefined : keyText([...group, key]);
}

function valueAt(whole: unknown, path: Path): unknown {
  let value = whole;
  for (const part of path) {
    const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, part);
    if (!isThere) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[part];
  }
  return value;
}

/** A key as people write it: spec.sidecars[0].column. */
function keyText(path: Path): string {
  return path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${plainKey(part)}`))
    .join("");
}

function plainKey(key: string): string {
  return /^[\w-]{1,60}$/.test(key) ? key : visible(key.slice(0, 60));
}

/** A value on one line. What goes to a processor of the site's own may be a secret, and is not shown. */
function display(path: Path, value: unknown): string {
  if (path[0] === "spec" && path[1] === "processors") return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || value === "") return "";
  return visible(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
