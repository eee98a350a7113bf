import { categoryOf, type Category } from "./categories.ts";
import { allowedFor, type Path } from "./schema.ts";

/** Something that will not do: where, what, what is allowed there, and what was probably meant. */
export type Flaw = {
  path: Path;
  why: string;
  allowed?: string;
  meant?: string;
  /** What to do, where neither says it. */
  instead?: string;
  /** Whether the key is not there at all. */
  isMissing?: boolean;
  /** The key whose line is told, where the one in `path` is not in the file. */
  because?: Path;
};

export type Given = Readonly<Record<string, unknown>>;

/** What the keys of a file must be together. Looks at what is there, whether or not it is well-formed by itself. */
export function flawsTogether(given: Given): readonly Flaw[] {
  const category = categoryOf(given["category"]);
  return [
    ...aboutSource(given),
    ...aboutDataId(given["data_id"]),
    ...aboutSchema(given["schema"]),
    ...(category === undefined ? [] : aboutCategory(given, category)),
  ];
}

function aboutSource(given: Given): readonly Flaw[] {
  const [csv, json] = [has(given, "csv"), has(given, "json")];
  if (csv && json) return [{ path: ["json"], why: "stands beside csv", instead: "take one of the two out" }];
  if (csv || json) return [];
  return [{ ...missing(["csv"]), why: "is missing, and so is json: one of them says where the rows are" }];
}

function aboutDataId(given: unknown): readonly Flaw[] {
  if (!isGroup(given) || given["strategy"] !== "column" || has(given, "column")) return [];
  const because: Path = ["data_id", "strategy"];
  return [{ ...missing(["data_id", "column"]), why: "is missing: the strategy is column", because }];
}

function aboutCategory(given: Given, category: Category): readonly Flaw[] {
  const name = String(given["category"]);
  const because: Path = ["category"];
  const absent = category.needs
    .filter((key) => !has(given, key))
    .map((key) => ({ ...missing([key]), why: `is missing: ${name} needs it`, because }));
  return [...absent, ...aboutLabel(given, category, name), ...aboutColumns(given["schema"], category, name)];
}

function aboutLabel(given: Given, { label }: Category, name: string): readonly Flaw[] {
  const value = given["label"];
  const path: Path = ["label"];
  if (label === "none") {
    return has(given, "label")
      ? [{ path, why: `is not for ${name}, which learns without one`, instead: "take it out" }]
      : [];
  }
  const allowed =
    label === "policy"
      ? "{column: NAME, policy: bucket}, or passthrough for a number that may leave the cluster as it is"
      : undefined;
  const withAllowed = allowed === undefined ? {} : { allowed };
  if (!has(given, "label")) {
    return [{ ...missing(path), why: `is missing: ${name} needs it`, because: ["category"], ...withAllowed }];
  }
  const undecided = typeof value === "string" || (isGroup(value) && !has(value, "policy"));
  if (label !== "policy" || !undecided) return [];
  return [{ path, why: `has no policy, which ${name} needs: what of the number leaves the cluster`, ...withAllowed }];
}

/** MySQL's own bounds for the name of a column; every other character can be quoted. */
function aboutSchema(schema: unknown): readonly Flaw[] {
  if (!isGroup(schema)) return [];
  const names = Object.keys(schema);
  if (names.length === 0) return [{ ...at(["schema"]), why: "has no column" }];
  const wrong = names.filter((name) => name === "" || Array.from(name).length > 64 || name.includes("\0"));
  return wrong.map((name) => ({ ...at(["schema", name]), why: "has a name that no column can have" }));
}

function aboutColumns(schema: unknown, { columns = [] }: Category, name: string): readonly Flaw[] {
  if (!isGroup(schema)) return [];
  const absent = columns.filter((column) => !has(schema, column));
  return absent.map((column) => ({ ...missing(["schema", column]), why: `is missing: ${name} needs this column` }));
}

function at(path: Path): Pick<Flaw, "path" | "allowed"> {
  const allowed = allowedFor(path);
  return { path, ...(allowed !== undefined && { allowed }) };
}

function missing(path: Path): Pick<Flaw, "path" | "allowed" | "isMissing"> {
  return { ...at(path), isMissing: true };
}

/** A key that holds nothing is there: that it holds nothing is told by itself. */
function has(group: Given, key: string): boolean {
  return Object.hasOwn(group, key);
}

/** Whether a value of the file is a group of keys: no list and no date. */
export function isGroup(value: unknown): value is Given {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
