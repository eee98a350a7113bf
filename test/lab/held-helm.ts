import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { execa } from "execa";

import { podImages } from "../../scripts/lab/versions.mjs";
import { until } from "./looks.ts";
import type { Product } from "./product.ts";

const charts = fileURLToPath(new URL("../../charts", import.meta.url));

/** A Helm that stays at work until it is let go or ended: it waits for a hook, a Job that is suspended. */
export type HeldHelm = {
  /** The product's own chart with that hook, for `--chart`. */
  chart: string;
  /** Resolves with Helm's pid once it waits. */
  waits: () => Promise<number>;
  /** Resolves when no Helm is left at this chart. */
  isGone: () => Promise<unknown>;
  /** Lets the Job run, so that Helm goes on and ends by itself. */
  letGo: () => Promise<void>;
};

export function holdHelm(product: Product): HeldHelm {
  const chart = join(product.folder, "holding-chart");
  cpSync(join(charts, "client"), chart, { recursive: true });
  const container = { name: "hold", image: podImages.busybox, command: ["true"] };
  const hook = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: "hold",
      namespace: "{{ .Release.Namespace }}",
      labels: { revision: "{{ .Release.Revision }}" },
      annotations: { "helm.sh/hook": "pre-install,pre-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation" },
    },
    spec: { suspend: true, template: { spec: { restartPolicy: "Never", containers: [container] } } },
  };
  writeFileSync(join(chart, "templates", "hold.yaml"), JSON.stringify(hook));

  const pid = async () => {
    const { stdout } = await execa("pgrep", ["-f", `^[^ ]*helm upgrade --install tracebloc ${chart} `], {
      reject: false,
    });
    return stdout === "" ? undefined : Number(stdout.split("\n")[0]);
  };
  // The job is that of the newest revision, and that is pending: both may be there from an earlier one as well.
  const isWaiting = async () => {
    const read = (path: string, ...what: string[]) =>
      product.kubectl(["--namespace", "tracebloc", "get", ...what, "--output", `jsonpath=${path}`]).catch(() => "");
    const [job, revisions] = await Promise.all([
      read("{.metadata.labels.revision}", "job", "hold"),
      read(
        "{range .items[*]}{.metadata.labels.version} {.metadata.labels.status},{end}",
        "secrets",
        "--selector",
        "owner=helm",
      ),
    ]);
    const newest = Math.max(...revisions.split(",").map((revision) => Number.parseInt(revision, 10) || 0));
    return Number(job) === newest && revisions.includes(`${newest} pending-`);
  };
  return {
    chart,
    waits: () => until("Helm to wait for its hook", async () => ((await isWaiting()) ? pid() : undefined)),
    isGone: () => until("Helm to end", async () => (await pid()) === undefined),
    letGo: async () => {
      const patch = JSON.stringify({ spec: { suspend: false } });
      await product.kubectl(["--namespace", "tracebloc", "patch", "job", "hold", "--patch", patch]);
    },
  };
}
