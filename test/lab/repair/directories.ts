import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { podImages } from "../../../scripts/lab/versions.mjs";
import { docker, inLab } from "../lab.ts";
import { findingOf, identityOf } from "../looks.ts";
import { callsOf, type Product } from "../product.ts";

const data = "/tracebloc/tracebloc/data";
const logs = "/tracebloc/tracebloc/logs";

/** Ways to break a directory behind the product's back, with what is then to be read. */
const faults = [
  {
    name: "that is root's and 0755, as the kubelet makes it (B01)",
    command: `chown 0:0 ${data}; chmod 0755 ${data}`,
    because: "data was 0755 and owned by root",
  },
  {
    name: "that is sticky, so that datasets cannot be removed (client#667)",
    command: `chmod 3777 ${data}`,
    because: "data was 3777 and owned by uid 1000",
  },
  {
    name: "that belongs to one of the writers",
    command: `chown 65534:65534 ${data}; chmod 0700 ${data}`,
    because: "data was 0700 and owned by uid 65534",
  },
  { name: "that is gone", command: `rm -rf ${logs}`, because: "logs was missing" },
  {
    name: "beside another one that is broken in another way",
    command: `chmod 0755 ${data}; chmod 0777 ${logs}`,
    because: "data was 0755 and owned by uid 1000, logs was 0777 and owned by uid 1000",
  },
];

export function brokenDirectories(product: Product): void {
  describe.each(faults)("with a directory $name", ({ command, because }) => {
    test("is repaired by a second run, without Helm, and the files below keep their modes", async () => {
      await product.inNode(`mkdir -m 0750 ${data}/cats; echo a >${data}/cats/1.csv; chmod 0640 ${data}/cats/1.csv`);
      onTestFinished(async () => void (await product.inNode(`rm -rf ${data}/cats`)));
      await product.inNode(command);

      const ran = await product.run(["install", "--json"]);

      expect(ran.exit, ran.last).toBe(0);
      expect(ran.result()).toMatchObject({ state: "healthy", actions: [{ do: "storage.prepare", because }] });
      expect(ran.result().storage?.map(({ result }) => result)).toEqual(["ready", "ready"]);
      expect(callsOf(ran.log()).filter(({ file }) => !file.endsWith("docker"))).toEqual([]);
      expect(await product.inNode(`stat -c '%a %u:%g' ${data} ${logs} ${data}/cats ${data}/cats/1.csv`)).toBe(
        "2777 1000:1000\n3777 1000:1000\n750 0:1000\n640 0:0",
      );
    });
  });

  test("keeps its folder to itself: no other cluster is made with it, and it is not deleted while another node has it", async () => {
    const mine = await identityOf(product.node);
    const other = await product.run(["install", "--cluster", `${product.cluster}-2`, "--json"]);
    expect(other.result()).toMatchObject({ exit: 5, actions: [], failures: [{ reason: "DATA_IN_USE" }] });

    const stranger = `${product.cluster}-stranger`;
    await docker(
      "run",
      "--detach",
      "--name",
      stranger,
      "--volume",
      `${product.data}:/mnt`,
      podImages.busybox,
      "sleep",
      "600",
    );
    onTestFinished(async () => void (await docker("container", "rm", "--force", stranger)));
    const deletion = await product.run(["uninstall", "--delete-data", "--yes", "--json"]);
    expect(deletion.result()).toMatchObject({ exit: 5, actions: [], failures: [{ reason: "DATA_IN_USE" }] });
    expect(await identityOf(product.node)).toBe(mine);
  });

  test("with a broken directory is told so by plan and status, which change nothing", async () => {
    await product.inNode(`chown 0:0 ${data}; chmod 0755 ${data}`);
    const before = await snapshot(product);

    const plan = await product.run(["plan", "--json"]);
    const status = await product.run(["status", "--json"]);
    const doctor = await product.run(["doctor", "--json"]);

    expect(plan.exit, plan.last).toBe(0);
    expect(plan.result()).toMatchObject({
      state: "planned",
      actions: [{ do: "storage.prepare", because: "data was 0755 and owned by root" }],
    });
    expect(status.exit, status.last).toBe(6);
    expect(status.result()).toMatchObject({
      state: "degraded",
      failures: [{ reason: "STORAGE_BLOCKED", says: "data was 0755 and owned by root" }],
    });
    expect(doctor.exit, doctor.last).toBe(6);
    expect(doctor.result().failures).toMatchObject([{ reason: "STORAGE_BLOCKED" }]);
    expect(await snapshot(product)).toEqual(before);

    expect(await product.run(["install"])).toMatchObject({ exit: 0 });
    expect(await product.run(["status"])).toMatchObject({ exit: 0 });
  });

  test("whose directory belongs to someone else is in order while the mode lets everyone in, and says whose it is", async () => {
    await product.inNode(`chown 65534:65534 ${data}; chmod 2777 ${data}`);
    onTestFinished(async () => void (await product.inNode(`chown 1000:1000 ${data}; chmod 2777 ${data}`)));

    const ran = await product.run(["install", "--json"]);

    expect(ran.exit, ran.last).toBe(0);
    expect(ran.result()).toMatchObject({ state: "healthy", actions: [] });
    expect(ran.result().storage?.[0]).toMatchObject({ result: "ready", note: "owned by 65534:65534" });
  });

  const obstacles = [
    {
      name: "a regular file (B46)",
      make: `echo mine >${data}`,
      look: `cat ${data}`,
      seen: "mine",
      kind: "no directory",
    },
    { name: "a symlink", make: `ln -s /etc ${data}`, look: `readlink ${data}`, seen: "/etc", kind: "a symlink" },
  ];
  test.each(obstacles)(
    "with $name in a directory's place leaves it alone, and its remedy works as pasted",
    async ({ make, look, seen, kind }) => {
      const etc = await product.inNode("ls -ldn /etc");
      await product.inNode(`mv ${data} ${data}.away; ${make}`);
      const undo = `[ -d ${data}.away ] && rm -rf ${data} ${data}.moved && mv ${data}.away ${data}; true`;
      onTestFinished(async () => void (await product.inNode(undo)));

      const ran = await product.run(["install", "--json"]);

      expect(ran.exit, ran.last).toBe(6);
      expect(ran.result()).toMatchObject({ state: "degraded", actions: [] });
      const found = findingOf(ran, "STORAGE_BLOCKED");
      expect(found?.says).toBe(`data cannot be used by the workloads: ${data} is ${kind}`);
      expect(await product.inNode(look)).toBe(seen);
      expect(await product.inNode("ls -ldn /etc")).toBe(etc);
      expect(await product.run(["status"])).toMatchObject({ exit: 6 });

      await inLab("sh", ["-c", found?.remedies[0]?.command ?? "false"]);
      const again = await product.run(["install", "--json"]);
      expect(again.exit, again.last).toBe(0);
      expect(await product.inNode(`stat -c %a ${data}`)).toBe("2777");
    },
  );
}

/** All that a command which changes nothing could have changed: our state, the data, the node and its containers. */
async function snapshot(product: Product): Promise<unknown> {
  const state = readdirSync(product.state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(path, "utf8"), changed: statSync(path).ctimeMs }));
  return {
    state,
    data: await product.inNode("find /tracebloc -not -path '*/mysql/*' -exec stat -c '%n %a %u:%g %Y %Z' {} +"),
    node: await docker("container", "inspect", "--format", "{{.Id}} {{.State.StartedAt}}", product.node),
    pods: await product.kubectl(["get", "pods", "--all-namespaces", "--output", "jsonpath={.items[*].metadata.uid}"]),
    helm: await product.kubectl([
      "get",
      "secrets",
      "--all-namespaces",
      "--output",
      "jsonpath={.items[*].metadata.resourceVersion}",
    ]),
  };
}
