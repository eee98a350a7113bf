import {
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type ParsedNode,
  type ScalarTag,
  type SchemaOptions,
  type YAMLError,
} from "yaml";

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

/**
 * The values of a file for Helm, read as Helm does, or what keeps them from being read. An empty file has none. What is
 * laid over generated values goes on as JSON, so that every anchor, `<<` and `yes` has to mean here what it means there.
 */
export function readValues(text: string): { values: Readonly<Record<string, unknown>> } | { flaw: Flaw } {
  const { document, flaws, lineOf } = parsed(text, asHelmReads);
  const [first] = flaws;
  if (document === undefined || first !== undefined) return { flaw: first ?? unreadable };
  const contents = document.contents;
  if (contents === null || (isScalar(contents) && contents.value === null)) return { values: {} };
  if (!isMap(contents)) return { flaw: { line: 1, why: "holds no values, `key: value`" } };
  const odd = oddPart(document, lineOf);
  if (odd !== undefined) return { flaw: odd };
  try {
    return { values: document.toJS() as Readonly<Record<string, unknown>> };
  } catch {
    return { flaw: { line: 1, why: "repeats itself too often by its anchors" } };
  }
}

const unreadable: Flaw = { line: 1, why: "cannot be read as YAML" };

/** What Helm would refuse, or read in a way of its own: told with its line, and never quoted. */
function oddPart(document: Document.Parsed, lineOf: (offset: number) => number): Flaw | undefined {
  const [warned] = document.warnings;
  if (warned !== undefined) return { line: lineOf(warned.pos[0]), why: "has a tag that is not known" };
  let found: Flaw | undefined;
  visit(document, {
    Pair(_, { key }) {
      if (isScalar(key) || isAlias(key)) return undefined;
      const at = (key as ParsedNode | null)?.range?.[0] ?? 0;
      found = { line: lineOf(at), why: "has a list or a group for a key: put it in quotes" };
      return visit.BREAK;
    },
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return undefined;
      found = { line: lineOf(alias.range?.[0] ?? 0), why: "names an anchor that is not set before it" };
      return visit.BREAK;
    },
  });
  return found;
}

const binary: ScalarTag = {
  tag: "tag:yaml.org,2002:binary",
  resolve: (base64) => Buffer.from(base64, "base64").toString(),
};
const newOctal: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  default: true,
  test: /^[-+]?0o[0-7]+$/,
  resolve: (digits) => Number(digits.replace("+", "")),
};

function isOtherThere(tag: { tag: string; format?: string }): boolean {
  return /timestamp|binary/.test(tag.tag) || tag.format === "TIME";
}

/** YAML 1.1 as Go's library for Kubernetes has it (tried with Helm 4.2): times and dates are texts, and `0o17` is a number too. */
const asHelmReads: SchemaOptions & { version: "1.1" } = {
  version: "1.1",
  customTags: (tags) => [newOctal, binary, ...tags.filter((tag) => typeof tag === "string" || !isOtherThere(tag))],
};

export type Parsed = {
  document: Document.Parsed | undefined;
  flaws: readonly Flaw[];
  lineOf: (offset: number) => number;
};

/** What comes after these follows from them: a file of brackets alone had a thousand and more. */
const mostFlaws = 10;

/** A text as YAML with what is wrong in it; never throws. `asked` says by which version and rules. */
export function parsed(text: string, asked: SchemaOptions & { version?: "1.1" } = {}): Parsed {
  const counter = new LineCounter();
  const lineOf = (offset: number) => counter.linePos(offset).line || 1;
  try {
    // Without prettyErrors: they quote the file.
    const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, ...asked });
    const flaws = document.errors
      .slice(0, mostFlaws)
      .map((error) => ({ line: lineOf(error.pos[0]), why: explain(error) }));
    return { document, flaws, lineOf };
  } catch {
    return { document: undefined, flaws: [unreadable], lineOf };
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
