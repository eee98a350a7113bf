import { Failure } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import { engineFailure } from "../host/failure.ts";
import { firstComplaint, succeeded } from "../process/runner.ts";
import { isReady, saysOf } from "./api.ts";
import { complaintsOf, meaningOf } from "./complaints.ts";
import { reach } from "./connect.ts";
import { dockerChange } from "./docker.ts";
import { startCluster } from "./k3d.ts";
import { logTail } from "./look.ts";
import { nodeName } from "./node.ts";
import { apiSilent, finding } from "./refusals.ts";
import { watchK3d } from "./watch.ts";

const again = { says: "run the same command again: it goes on from here" };

/**
 * Starts what is stopped and waits until the API is ready: k3d may be content with a log line of an earlier boot, or
 * wait for one that comes only at the first (B11).
 */
export async function start(action: { cluster: string; toolsImage: string }, on: Machine, k3d: string): Promise<void> {
  const { cluster, toolsImage } = action;
  const { result } = await watchK3d(on, startCluster(k3d, cluster, toolsImage), `k3d to start cluster ${cluster}`);
  if (on.stop.aborted) {
    throw new Failure(finding("INTERRUPTED", `interrupted while cluster ${cluster} was starting`, [again]));
  }
  if (!succeeded(result)) {
    const complaints = complaintsOf(result.stderr);
    const details = [...complaints, ...(await logTail(on, cluster))];
    const explained = meaningOf([result.stderr, ...details].join("\n"), on.platform);
    if (explained !== undefined) {
      throw new Failure(finding(explained.reason, explained.says, explained.remedies, details));
    }
    const engine = await engineFailure(result, on, "k3d");
    throw new Failure(
      engine ??
        finding(
          "CLUSTER_START_FAILED",
          `k3d could not start cluster ${cluster}: ${complaints[0] ?? firstComplaint(result)}`,
          [{ says: "see what its node says", command: `docker logs --tail 50 ${nodeName(cluster)}` }],
          details,
        ),
    );
  }
  await reachOrFail(on, k3d, cluster);
}

/** Restarts the node: k3s renews certificates that are past their time when it starts, ours among them (B41). */
export async function restart(cluster: string, on: Machine, k3d: string): Promise<void> {
  const node = nodeName(cluster);
  const result = await on.runner.run(
    dockerChange("docker container restart", 90_000, "container", "restart", "--time", "30", node),
  );
  if (!succeeded(result)) {
    const says = `${node} could not be restarted: ${firstComplaint(result)}`;
    const byHand = {
      says: "restart it by hand, then run the same command again",
      command: `docker container restart ${node}`,
    };
    throw new Failure((await engineFailure(result, on)) ?? finding("CLUSTER_START_FAILED", says, [byHand]));
  }
  await reachOrFail(on, k3d, cluster);
}

/** Wakes what is paused. */
export async function unpause(containers: readonly string[], on: Machine): Promise<void> {
  const result = await on.runner.run(
    dockerChange("docker container unpause", 30_000, "container", "unpause", ...containers),
  );
  if (!succeeded(result)) {
    const says = `${containers.join(", ")} could not be woken: ${firstComplaint(result)}`;
    const byHand = {
      says: "wake it by hand, then run the same command again",
      command: `docker unpause ${containers.join(" ")}`,
    };
    throw new Failure((await engineFailure(result, on)) ?? finding("NODE_PAUSED", says, [byHand]));
  }
}

async function reachOrFail(on: Machine, k3d: string, cluster: string): Promise<void> {
  const answer = await reach(on, k3d, cluster);
  if (!isReady(answer)) {
    throw new Failure({ ...apiSilent(cluster, saysOf(answer)), details: await logTail(on, cluster) });
  }
}
