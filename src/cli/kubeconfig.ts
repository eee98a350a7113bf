import { existsSync } from "node:fs";

import type { ExitCode } from "../engine/reasons.ts";
import { fold } from "../platform/characters.ts";
import { commandLines } from "../ui/text.ts";
import { begin } from "./begin.ts";
import { printed } from "./printed.ts";
import type { Flags } from "./program.ts";
import { refuse } from "./refuse.ts";

/** `tracebloc kubeconfig`: the path of our own, for `KUBECONFIG=`. The person's own changes only with `--merge`. */
export async function kubeconfig(flags: Flags): Promise<ExitCode> {
  const begun = await begin("kubeconfig", flags);
  if (typeof begun === "number") return begun;
  const cluster = begun.asked.wishes.cluster.value;
  const path = begun.state.kubeconfig(cluster);
  if (!existsSync(path)) {
    return refuse(begun, {
      reason: "NOT_INSTALLED",
      room: "cluster",
      says: `there is no kubeconfig of cluster ${cluster}`,
      remedies: [{ says: "install, or repair, which fetches it", command: "tracebloc install" }],
    });
  }
  if (flags["merge"] !== true) return printed("kubeconfig", flags, { path }, `${path}\n`);

  const { mergeKubeconfig } = await import("../cluster/merge.ts");
  const merged = await mergeKubeconfig(path, begun.here.environment, begun.here.platform);
  if (!begun.options.quiet) {
    const { style } = begun.screen;
    const added = `Context ${merged.context} was added; the current one stays ${merged.current ?? "unset"}.`;
    const use = commandLines("To use it", `kubectl --context ${merged.context} get pods -A`, style);
    begun.screen.lines([...fold(added, style.width), ...use]);
  }
  return printed("kubeconfig", flags, { path: merged.path }, `${merged.path}\n`);
}
