import { isMap, isScalar, LineCounter, parseDocument, type Document, type ParsedNode, type YAMLError } from "yaml";

/** One line of a file of settings. `value` is a text, number, boolean or null; anything with parts is `{}`. */
export type Entry = { key: string; value: unknown; line: number };

/** What cannot be read, in a clause, and where. */
export type Flaw = { line: number; why: string };

export type Read = { entries: readonly Entry[]; flaws: readonly Flaw[] };

/**
 * The settings of a tracebloc.yaml: a flat list of keys, and all flaws at once. Beside a repeated key the others are read
 * all the same; in a file that is broken otherwise, what looks like a key may be half of a value. Text of the file never
 * comes back in a flaw, since it may hold a password.
 */
export function readSettings(text: string): Read {
  const { document, flaws, lineOf } = parsed(text);
  const broken = document?.errors.some(({ code }) => code !== "DUPLICATE_KEY") ?? true;
  const contents = document?.contents ?? null;
  if (contents === null || broken) return { entries: [], flaws };
  if (!isMap(contents)) return { entries: [], flaws: [...flaws, { line: 1, why: "holds no settings, `key: value`" }] };
  const entries = contents.items.map(({ key, value }) => ({
    key: isScalar(key) ? String(key.value) : "",
    value: valueOf(value),
    line: lineOf(key.range?.[0] ?? 0),
  }));
  return { entries, flaws };
}

/** Why a text is no values file for Helm, or undefined. An empty one is. */
export function flawOfValues(text: string): Flaw | undefined {
  const { document, flaws } = parsed(text);
  const contents = document?.contents ?? null;
  if (flaws.length > 0) return flaws[0];
  return contents === null || isMap(contents) || (isScalar(contents) && contents.value === null)
    ? undefined
    : { line: 1, why: "holds no values, `key: value`" };
}

type Parsed = { document: Document.Parsed | undefined; flaws: readonly Flaw[]; lineOf: (offset: number) => number };

function parsed(text: string): Parsed {
  const counter = new LineCounter();
  const lineOf = (offset: number) => counter.linePos(offset).line || 1;
  try {
    // Without prettyErrors: they quote the file.
    const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
    return {
      document,
      flaws: document.errors.map((error) => ({ line: lineOf(error.pos[0]), why: explain(error) })),
      lineOf,
    };
  } catch {
    return { document: undefined, flaws: [{ line: 1, why: "cannot be read as YAML" }], lineOf };
  }
}

/** Lists, groups and aliases come out as `{}`: no setting is one, and none is followed. */
function valueOf(node: ParsedNode | null): unknown {
  if (node === null) return null;
  return isScalar(node) ? node.value : {};
}

/** What people run into; the rest of the parser's errors share one clause. */
const explained: Partial<Record<YAMLError["code"], string>> = {
  BAD_DQ_ESCAPE: "has a backslash in double quotes: take single ones",
  BAD_INDENT: "is not indented as it should be, or a bracket is not closed",
  BAD_SCALAR_START: "begins with a character that has to be in quotes",
  BLOCK_AS_IMPLICIT_KEY: "has two colons: put the value in quotes",
  DUPLICATE_KEY: "repeats a key",
  MISSING_CHAR: "has a quote or bracket that is not closed",
  MULTIPLE_DOCS: "begins a second document, which is not read",
  TAB_AS_INDENT: "is indented with a tab: take blanks",
};

function explain(error: YAMLError): string {
  return explained[error.code] ?? "is not valid YAML";
}
