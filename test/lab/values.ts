import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { parse, stringify } from "yaml";

import { layerValues, type Values } from "../../src/release/values.ts";
import type { Product } from "./product.ts";

/** A values file of the operator's: the lab's own with other values laid over. Gives its path. */
export function layValuesOver(product: Product, over: Values): string {
  const under = parse(readFileSync(product.environment()["TRACEBLOC_VALUES_FILE"] ?? "", "utf8")) as Values;
  const path = join(product.folder, "values.yaml");
  writeFileSync(path, stringify(layerValues(under, over)));
  return path;
}
