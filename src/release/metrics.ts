import type { Api } from "../cluster/api.ts";
import { within, type Machine } from "../engine/machine.ts";
import { waitUntil } from "../engine/wait.ts";
import type { Values } from "./values.ts";

/** metrics-server has 120 s in the installer before this one as well. */
const limitMs = 120_000;
const readLimitMs = 5_000;
const path = "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io";

/**
 * Waits until the cluster names the metrics API, without which the chart refuses to start its resource monitor: a k3s
 * that is up registers it a moment later, and an install in that moment failed (client#553). Says nothing about the
 * outcome: the chart has the better words. Bound in milliseconds: 120 000.
 */
export async function awaitMetrics(values: Values, api: Api, on: Machine): Promise<void> {
  if (values["resourceMonitor"] === false) return;
  await waitUntil(
    {
      room: "release",
      limitMs,
      everyMs: 1_000,
      waitingFor: () => "the metrics API",
      look: () => api.get(path, { timeoutMs: within(on, readLimitMs) }),
      // Anything but "there is none" is not what this wait is for.
      over: (answer) => answer.outcome !== "answered" || answer.status !== 404,
    },
    on,
  );
}
