/** A key of an IngestConfig that names where a part of the dataset lies. */
export type Place = "images" | "annotations" | "masks" | "texts" | "sequences";

export type Category = {
  /** Keys without which there is no dataset, beside csv or json. */
  needs: readonly (Place | "schema" | "target_size" | "number_of_keypoints")[];
  /**
   * What the label has to be. `policy`: a number to predict, so that somebody must have decided what of it leaves the
   * cluster. `none`: learnt without one; a label gets as far as the backend, which then answers that there is no data.
   */
  label: "column" | "policy" | "none";
  /** Columns that the schema must have under exactly these names. */
  columns?: readonly string[];
};

/** The categories of IngestConfig v1, by what each one asks for. The one table. */
export const categories = {
  image_classification: { needs: ["images"], label: "column" },
  object_detection: { needs: ["images", "annotations"], label: "column" },
  keypoint_detection: { needs: ["images", "target_size", "number_of_keypoints"], label: "column" },
  semantic_segmentation: { needs: ["images", "masks"], label: "column" },
  text_classification: { needs: ["texts"], label: "column" },
  token_classification: { needs: ["texts"], label: "column" },
  sentence_pair_classification: { needs: ["texts"], label: "column" },
  tabular_classification: { needs: ["schema"], label: "column" },
  tabular_regression: { needs: ["schema"], label: "policy" },
  time_series_forecasting: { needs: ["schema"], label: "policy" },
  time_series_classification: { needs: ["schema"], label: "column", columns: ["sequence_id", "timestamp"] },
  time_to_event_prediction: { needs: ["schema"], label: "policy" },
  masked_language_modeling: { needs: ["sequences"], label: "none" },
  causal_language_modeling: { needs: ["texts"], label: "none" },
  seq2seq: { needs: ["texts"], label: "none" },
  embeddings: { needs: ["texts"], label: "none" },
} as const satisfies Record<string, Category>;

export type CategoryName = keyof typeof categories;

/** Every name that a dataset may give as its category, in the order of the table. */
export const categoryNames = Object.keys(categories) as readonly CategoryName[];

/** What a category asks for, or undefined where a text names none. */
export function categoryOf(name: unknown): Category | undefined {
  return typeof name === "string" && Object.hasOwn(categories, name) ? categories[name as CategoryName] : undefined;
}
