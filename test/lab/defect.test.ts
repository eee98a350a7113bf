import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { claimDirectory, createCluster, docker, runPod, type LabCluster } from "./lab.ts";

const ingestion = 65534;
const teardown = 65532;

/** What the product exists for, without the product: a volume, a writer and a remover of the test's own, no chart. */
describe("a hostPath volume that nobody prepared", () => {
  let cluster: LabCluster;

  beforeAll(async () => {
    cluster = await createCluster("lab-defect");
    await claimDirectory(cluster, "data", "/tracebloc/lab-defect/data");
  });
  afterAll(() => cluster.remove());

  const inNode = (command: string) => docker("exec", cluster.node, "sh", "-c", command);

  test("is made root:root 0755 by the kubelet, whatever fsGroup says, and the writer fails", async () => {
    const writer = await runPod(cluster, {
      name: "writer",
      uid: ingestion,
      claim: "data",
      args: ["write", "/data/shared/cats"],
    });

    expect(writer.exitCode).toBe(1);
    expect(writer.log).toContain("permission denied");
    expect(await inNode("ls -ldn /tracebloc/lab-defect/data")).toMatch(/^drwxr-xr-x +2 +0 +0 /);
  });

  test("lets one uid remove what another wrote once it is 2777", async () => {
    await inNode("chmod 2777 /tracebloc/lab-defect/data");
    const writer = await runPod(cluster, {
      name: "writer-2777",
      uid: ingestion,
      claim: "data",
      args: ["write", "/data/shared/cats"],
    });
    const remover = await runPod(cluster, {
      name: "remover-2777",
      uid: teardown,
      claim: "data",
      args: ["remove", "/data/shared/cats"],
    });

    expect(writer.exitCode).toBe(0);
    expect(remover.exitCode).toBe(0);
  });

  test("strands the dataset when it is sticky (client#667)", async () => {
    await inNode("chmod 3777 /tracebloc/lab-defect/data");
    const writer = await runPod(cluster, {
      name: "writer-3777",
      uid: ingestion,
      claim: "data",
      args: ["write", "/data/shared/cats"],
    });
    const remover = await runPod(cluster, {
      name: "remover-3777",
      uid: teardown,
      claim: "data",
      args: ["remove", "/data/shared/cats"],
    });

    expect(writer.exitCode).toBe(0);
    expect(remover.exitCode).toBe(1);
    expect(remover.log).toContain("operation not permitted");
  });

  test("is seen by a node that knows root alone, as a real k3s node does", async () => {
    expect(await inNode("cut -d: -f1,3 /etc/passwd")).toBe("root:0");
    expect(await docker("exec", "-u", "65534", cluster.node, "id", "-g")).toBe("0");
  });
});
