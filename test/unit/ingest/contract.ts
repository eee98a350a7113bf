/** What the jobs manager asks of an IngestConfig (ingest.v1), as a JSON Schema of its own: written from the contract, not from src. */

const text = { type: "string", minLength: 1 };
const count = { type: "integer", minimum: 1 };
const size = { type: "array", items: count, minItems: 2, maxItems: 2 };
const strings = { type: "array", items: { type: "string" } };

function group(properties: object, required: readonly string[] = []): object {
  return { type: "object", additionalProperties: false, properties, required };
}

function when(categories: readonly string[], then: object): object {
  return { if: { required: ["category"], properties: { category: { enum: categories } } }, then };
}

const withPolicy = group({ column: text, policy: { enum: ["passthrough", "bucket"] } }, ["column", "policy"]);

const image = ["image_classification", "object_detection", "keypoint_detection", "semantic_segmentation"];
const texts = ["text_classification", "token_classification", "sentence_pair_classification"];
const regression = ["tabular_regression", "time_series_forecasting", "time_to_event_prediction"];
const tabular = ["tabular_classification", "time_series_classification"];
const unlabelledTexts = ["causal_language_modeling", "seq2seq", "embeddings"];
const unlabelled = ["masked_language_modeling", ...unlabelledTexts];

export const categories = [...image, ...texts, ...regression, ...tabular, ...unlabelled];

export const contract = {
  ...group(
    {
      apiVersion: { const: "tracebloc.io/v1" },
      kind: { const: "IngestConfig" },
      category: { enum: categories },
      // Beyond the contract, which takes any text: what MySQL and the other readers of the name take.
      table: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]{0,62}$" },
      intent: { enum: ["train", "test"] },
      ...Object.fromEntries(
        ["csv", "json", "images", "annotations", "masks", "texts", "sequences", "time_column"].map((key) => [
          key,
          text,
        ]),
      ),
      label: {
        anyOf: [text, group({ column: text, policy: { enum: ["passthrough", "bucket"] } }, ["column"])],
      },
      // Beyond the contract as well: MySQL's longest name of a column.
      schema: {
        type: "object",
        minProperties: 1,
        additionalProperties: text,
        propertyNames: { minLength: 1, maxLength: 64 },
      },
      target_size: size,
      number_of_keypoints: count,
      data_id: {
        ...group({ strategy: { enum: ["uuid", "column", "content_hash"] }, column: text }, ["strategy"]),
        if: { required: ["strategy"], properties: { strategy: { const: "column" } } },
        then: { required: ["column"] },
      },
      spec: group({
        csv_options: group({ chunk_size: count, delimiter: text, quotechar: text, escapechar: text }),
        file_options: {
          type: "object",
          properties: { target_size: size, extension: { enum: [".jpg", ".jpeg", ".png", ".txt", ".text", ".xml"] } },
        },
        validators: strings,
        sidecars: {
          type: "array",
          items: group(
            { column: text, source: text, dest: text, transform: group({ resize: size }), validators: strings },
            ["column", "source"],
          ),
        },
        processors: {
          type: "array",
          items: group({ script: text, class: text, args: { type: "object" } }, ["script", "class"]),
        },
      }),
    },
    ["apiVersion", "kind", "category", "table", "intent"],
  ),
  oneOf: [{ required: ["csv"] }, { required: ["json"] }],
  allOf: [
    when(image, { required: ["images", "label"] }),
    when(["object_detection"], { required: ["annotations"] }),
    when(["semantic_segmentation"], { required: ["masks"] }),
    when(["keypoint_detection"], { required: ["target_size", "number_of_keypoints"] }),
    when(texts, { required: ["texts", "label"] }),
    when([...tabular, ...regression], { required: ["schema", "label"] }),
    when(regression, { properties: { label: withPolicy } }),
    when(["time_series_classification"], {
      properties: { schema: { type: "object", required: ["sequence_id", "timestamp"] } },
    }),
    when(["masked_language_modeling"], { required: ["sequences"] }),
    when(unlabelledTexts, { required: ["texts"] }),
    when(unlabelled, { not: { required: ["label"] } }),
  ],
};

/** The least that each category takes. */
export function smallest(category: string): Record<string, unknown> {
  const shared = {
    apiVersion: "tracebloc.io/v1",
    kind: "IngestConfig",
    category,
    table: "t",
    intent: "train",
    csv: "c",
  };
  if (image.includes(category)) {
    const more: Record<string, object> = {
      object_detection: { annotations: "a" },
      semantic_segmentation: { masks: "m" },
      keypoint_detection: { target_size: [64, 64], number_of_keypoints: 17 },
    };
    return { ...shared, images: "i", label: "l", ...more[category] };
  }
  if (texts.includes(category)) return { ...shared, texts: "t", label: "l" };
  if (regression.includes(category)) {
    return { ...shared, schema: { a: "INT" }, label: { column: "a", policy: "bucket" } };
  }
  if (category === "masked_language_modeling") return { ...shared, sequences: "s" };
  if (unlabelledTexts.includes(category)) return { ...shared, texts: "t" };
  return { ...shared, schema: { sequence_id: "INT", timestamp: "INT" }, label: "l" };
}
