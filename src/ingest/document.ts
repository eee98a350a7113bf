import { isAlias, isMap, isPair, isScalar, isSeq, visit, type Document, type Node, type ScalarTag } from "yaml";

import { parsed, type Flaw as Unreadable } from "../config/yaml-file.ts";
import type { Path } from "./schema.ts";

/** What a file holds, with a way back from a key to its line. */
export type IngestDocument = { value: unknown; lineOf: (path: Path) => number };

const boolean = "tag:yaml.org,2002:bool";
/** YAML 1.1 as Python's yaml reads it, which is what the file is read with in the end: `y` and `n` are texts there. */
const yesAndNo: ScalarTag[] = [
  { tag: boolean, default: true, test: /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/, resolve: () => true },
  { tag: boolean, default: true, test: /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/, resolve: () => false },
];

/** Reads the text of an IngestConfig, or gives everything that keeps it from being read. Never throws. */
export function readDocument(text: string): IngestDocument | { unreadable: readonly Unreadable[] } {
  const { document, flaws, lineOf } = parsed(text, {
    version: "1.1",
    customTags: (tags) => [...yesAndNo, ...tags.filter((tag) => typeof tag === "string" || tag.tag !== boolean)],
  });
  if (document === undefined || flaws.length > 0) return { unreadable: flaws };
  const odd = oddKeys(document).map(({ at, why }) => ({ line: lineOf(at), why }));
  if (odd.length > 0) return { unreadable: odd };
  const lineAt = (path: Path) => lineOf(offsetAt(document, path));
  try {
    return { value: document.toJS() as unknown, lineOf: lineAt };
  } catch {
    return { unreadable: [{ line: 1, why: "names an anchor that is not there, or repeats itself too often" }] };
  }
}

/** Keys that are no texts: a column `no`, a column `1`. Python would look for them under another name. */
function oddKeys(document: Document.Parsed): readonly { at: number; why: string }[] {
  const found: { at: number; why: string }[] = [];
  visit(document, {
    Pair(_, { key }) {
      if (isAlias(key) || (isScalar(key) && typeof key.value === "string")) return;
      const node = key as Node | null;
      if (isScalar(key) && isMerge(key.value)) return;
      const value = isScalar(key) ? ` (it is read as ${nameOf(key.value)})` : "";
      found.push({ at: node?.range?.[0] ?? 0, why: `has a key that is no text: put it in quotes${value}` });
    },
  });
  return found;
}

function isMerge(key: unknown): boolean {
  return typeof key === "symbol" && key.description === "<<";
}

/** What a plain word became in YAML 1.1, for people. */
export function nameOf(value: unknown): string {
  if (value instanceof Date) return "a date";
  if (Array.isArray(value)) return "a list";
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "string") return "a text";
  return typeof value === "object" ? "a group of keys" : JSON.stringify(value);
}

/** Where the last part of a path stands that is in the file: a key at its own place, a list's entry at its value. */
function offsetAt(document: Document.Parsed, path: Path): number {
  let node: unknown = document.contents;
  let offset = (document.contents as Node | null)?.range?.[0] ?? 0;
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document);
    const next: unknown = isSeq(node)
      ? node.items[Number(part)]
      : isMap(node)
        ? node.items.find(({ key }) => isScalar(key) && key.value === part)
        : undefined;
    const place = (isPair(next) ? next.key : next) as Node | null | undefined;
    if (place?.range == null) return offset;
    offset = place.range[0];
    node = isPair(next) ? next.value : next;
  }
  return offset;
}
