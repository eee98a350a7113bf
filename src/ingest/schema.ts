import * as z from "zod/mini";

import { categoryNames } from "./categories.ts";

const text = z.string().check(z.minLength(1));
const count = z.int().check(z.minimum(1));
const size = z.array(count).check(z.minLength(2), z.maxLength(2));
const names = z.array(z.string());

/**
 * IngestConfig v1, key by key, with the label in its long form; what keys must be together, and what columns may be called,
 * is said in `rules.ts`. The jobs manager holds the file against the same contract (ingest.v1); a table's name is held to
 * what every reader of it takes, and MySQL with them.
 */
export const ingestConfig = z.strictObject({
  apiVersion: z.enum(["tracebloc.io/v1"]),
  kind: z.enum(["IngestConfig"]),
  category: z.enum(categoryNames),
  table: z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/)),
  intent: z.enum(["train", "test"]),
  csv: z.optional(text),
  json: z.optional(text),
  images: z.optional(text),
  annotations: z.optional(text),
  masks: z.optional(text),
  texts: z.optional(text),
  sequences: z.optional(text),
  label: z.optional(z.strictObject({ column: text, policy: z.optional(z.enum(["passthrough", "bucket"])) })),
  schema: z.optional(z.catchall(z.object({}), text)),
  time_column: z.optional(text),
  target_size: z.optional(size),
  number_of_keypoints: z.optional(count),
  data_id: z.optional(
    z.strictObject({ strategy: z.enum(["uuid", "column", "content_hash"]), column: z.optional(text) }),
  ),
  spec: z.optional(
    z.strictObject({
      csv_options: z.optional(
        z.strictObject({
          chunk_size: z.optional(count),
          delimiter: z.optional(text),
          quotechar: z.optional(text),
          escapechar: z.optional(text),
        }),
      ),
      file_options: z.optional(
        z.looseObject({
          target_size: z.optional(size),
          extension: z.optional(z.enum([".jpg", ".jpeg", ".png", ".txt", ".text", ".xml"])),
        }),
      ),
      validators: z.optional(names),
      sidecars: z.optional(
        z.array(
          z.strictObject({
            column: text,
            source: text,
            dest: z.optional(text),
            transform: z.optional(z.strictObject({ resize: z.optional(size) })),
            validators: z.optional(names),
          }),
        ),
      ),
      processors: z.optional(
        z.array(z.strictObject({ script: text, class: text, args: z.optional(z.looseObject({})) })),
      ),
    }),
  ),
});

/** A dataset and what is to be learnt from it, as its file says. */
export type IngestConfig = z.output<typeof ingestConfig>;

const file = "the path of a file as the ingestion sees it: /data/shared/cats-dogs/labels.csv";
const folder = (name: string) => `the path of a folder as the ingestion sees it: /data/shared/cats-dogs/${name}/`;
const columnName = "the name of a column";
const widthAndHeight = "[width, height], two whole numbers of at least 1";

/** What may stand at a key, for people. Lists of choices come from the schema itself. */
const allowedAt = new Map<string, string>(
  Object.entries({
    table: "letters, digits and underscores, at most 63, and no digit in front",
    csv: file,
    json: file,
    images: folder("images"),
    annotations: folder("annotations"),
    masks: folder("masks"),
    texts: folder("texts"),
    sequences: folder("sequences"),
    label: "the name of a column, or {column: NAME, policy: passthrough or bucket}",
    "label.column": columnName,
    schema: "columns with their SQL types, one a line: age: INT",
    "schema.*": "a SQL type, such as INT or VARCHAR(255), for a column of at most 64 characters",
    time_column: columnName,
    target_size: widthAndHeight,
    number_of_keypoints: "a whole number of at least 1",
    data_id: "{strategy: uuid}, {strategy: content_hash} or {strategy: column, column: NAME}",
    "data_id.column": columnName,
    "spec.csv_options.chunk_size": "a whole number of at least 1",
    "spec.file_options.target_size": widthAndHeight,
    "spec.sidecars": "a list of {column, source}, with dest, transform and validators where wanted",
    "spec.sidecars.transform.resize": widthAndHeight,
    "spec.processors": "a list of {script, class}, with args where wanted",
  }),
);

export type Path = readonly (string | number)[];

/** What may stand at a path, in a few words; undefined where the words for the kind of value have to do. */
export function allowedFor(path: Path): string | undefined {
  const keys = path.filter((part) => typeof part === "string");
  const [first = ""] = keys;
  if (first === "schema" && keys.length > 1) return allowedAt.get("schema.*");
  return allowedAt.get(keys.join("."));
}

/** The keys that a group at this path may have; none where it is no group, or may have any. */
export function keysAt(path: Path): readonly string[] {
  let here = unwrapped(ingestConfig);
  for (const part of path) {
    const { shape = {}, def } = here;
    const next = typeof part === "number" ? def.element : Object.hasOwn(shape, part) ? shape[part] : undefined;
    if (next === undefined) return [];
    here = unwrapped(next);
  }
  return Object.keys(here.shape ?? {});
}

/** As much of a schema's own structure as leads from a key to its keys. */
type Shape = {
  shape?: Readonly<Record<string, z.core.$ZodType>>;
  def: { innerType?: z.core.$ZodType; out?: z.core.$ZodType; element?: z.core.$ZodType };
};

/** A schema without what says that it may be missing or has a short form. */
function unwrapped(schema: z.core.$ZodType): Shape {
  const shape = schema as unknown as Shape;
  const inner = shape.def.innerType ?? shape.def.out;
  return inner === undefined ? shape : unwrapped(inner);
}
