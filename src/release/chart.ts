import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The chart that ships with this version. A test holds it against the chart's own Chart.yaml, which is not read at run time. */
export const bundledChart = { name: "client", version: "2.0.0" } as const;

/** Folder of the bundled chart: beside `dist` in the package, beside `src` in a checkout. Throws when neither has it. */
export function bundledChartFolder(): string {
  const folder = ["../charts/client", "../../charts/client"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  if (folder === undefined) throw new Error("the chart that belongs to this program is missing from its package");
  return folder;
}
