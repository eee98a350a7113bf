import { existsSync } from "node:fs";

import { Failure } from "../engine/finding.ts";
import { exitCodes, type ExitCode } from "../engine/reasons.ts";
import { begin } from "./begin.ts";
import type { Flags } from "./program.ts";

/** `tracebloc kubeconfig`: the path of our own, for `KUBECONFIG=`. The person's own changes only with `--merge`. */
export async function kubeconfig(flags: Flags): Promise<ExitCode> {
  const begun = await begin("kubeconfig", flags);
  if (typeof begun === "number") return begun;
  const cluster = begun.asked.wishes.cluster.value;
  const path = begun.state.kubeconfig(cluster);
  if (!existsSync(path)) {
    throw new Failure({
      reason: "NOT_INSTALLED",
      room: "cluster",
      says: `there is no kubeconfig of cluster ${cluster}`,
      remedies: [{ says: "install, or repair, which fetches it", command: "tracebloc install" }],
    });
  }
  if (flags["merge"] !== true) {
    process.stdout.write(`${path}\n`);
    return exitCodes.done;
  }
  const { mergeKubeconfig } = await import("../cluster/merge.ts");
  const merged = await mergeKubeconfig(path, begun.here.environment, begun.here.platform);
  process.stdout.write(`${merged.path}\n`);
  begun.screen.lines([
    `Context ${merged.context} was added; the current one stays ${merged.current ?? "unset"}.   kubectl --context ${merged.context} get pods -A`,
  ]);
  return exitCodes.done;
}
