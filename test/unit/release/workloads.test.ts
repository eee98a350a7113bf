import { describe, expect, test } from "vitest";
import { readWorkloads, workloadNames, type Deployment } from "../../../src/release/workloads.ts";

function deployment(
  name: string,
  over: { generation?: number; replicas?: number; status?: Deployment["status"] } = {},
): Deployment {
  const healthy = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  return {
    metadata: { name, namespace: "edge", generation: over.generation ?? 1 },
    spec: { replicas: over.replicas ?? 1 },
    status: { ...healthy, ...over.status },
  };
}

describe("the workloads of a release", () => {
  test("carry the release's name where the chart gives it", () => {
    expect(workloadNames("edge")).toEqual(["mysql-client", "edge-jobs-manager", "edge-requests-proxy"]);
  });

  test.each<[string, Deployment, string]>([
    ["available and of the newest version", deployment("mysql-client"), "ready"],
    ["not seen by its controller yet", deployment("mysql-client", { generation: 2 }), "waiting"],
    [
      "without a ready pod",
      deployment("mysql-client", { status: { availableReplicas: 0, readyReplicas: 0 } }),
      "waiting",
    ],
    [
      "with an old pod that still answers beside a new one that cannot start",
      deployment("mysql-client", { status: { replicas: 2, updatedReplicas: 1, availableReplicas: 1 } }),
      "waiting",
    ],
    ["with no new pod at all", deployment("mysql-client", { status: { updatedReplicas: 0 } }), "waiting"],
    [
      "scaled to nothing",
      deployment("mysql-client", { replicas: 0, status: { replicas: 0, updatedReplicas: 0, availableReplicas: 0 } }),
      "stopped",
    ],
    [
      "of another namespace",
      { ...deployment("mysql-client"), metadata: { name: "mysql-client", namespace: "other" } },
      "missing",
    ],
  ])("one %s is told as such", (_, given, state) => {
    expect(readWorkloads([given], "edge", "edge")[0]?.state).toBe(state);
  });

  test("a Deployment whose status is empty is waiting, not ready", () => {
    const bare: Deployment = { metadata: { name: "mysql-client", namespace: "edge" } };
    expect(readWorkloads([bare], "edge", "edge")[0]?.state).toBe("waiting");
  });
});
