import { describe, expect, test } from "vitest";

import type { Api } from "../../../src/cluster/api.ts";
import { readList, readRecords } from "../../../src/release/observe.ts";
import { readWorkloads, type Deployment } from "../../../src/release/workloads.ts";
import recorded from "../../fixtures/release/records.json" with { type: "json" };
import { machine, scripted } from "../cluster/stand-in.ts";

describe("the records of releases", () => {
  /** An API with these records, which leaves out the superseded ones where it is asked to. */
  const api = (...statuses: string[]) => {
    const items = statuses.map((status, index) => ({
      ...recorded.answer.items[0],
      metadata: {
        name: `sh.helm.release.v1.edge.v${index + 1}`,
        namespace: "edge",
        labels: { name: "edge", owner: "helm", status, version: String(index + 1) },
      },
    }));
    const asked: string[] = [];
    const get: Api["get"] = async (path) => {
      asked.push(path);
      const all = !path.includes("superseded");
      const json = { items: items.filter(({ metadata }) => all || metadata.labels.status !== "superseded") };
      return { outcome: "answered", status: 200, text: "", json };
    };
    return { api: { get }, asked };
  };

  test.each([
    ["deployed, after others", ["superseded", "deployed"], 2, 1],
    ["failed, after one that is deployed", ["deployed", "failed"], 2, 2],
    ["gone: one that a newer one took the place of is left", ["superseded", "superseded"], 2, 2],
    ["gone, and an older one failed", ["failed", "superseded"], 2, 2],
  ])("tell the newest revision that is %s", async (_, statuses, revision, reads) => {
    const cluster = api(...statuses);
    const records = await readRecords(cluster.api, machine(scripted()));
    expect(records).toMatchObject({ state: "known", value: [{ name: "edge", revision }] });
    expect(cluster.asked).toHaveLength(reads);
  });
});

describe("a Kubernetes list", () => {
  test.each([[null], [{}], [{ items: {} }], [{ items: [null] }], [{ items: [5] }], [{ items: [{}] }]])(
    "of what has no name is not understood, and never taken for an empty one: %j",
    (answer) => {
      expect(() => readList(answer)).toThrow(TypeError);
    },
  );

  test("may leave out what it wants, also as null", () => {
    const metadata = { name: "mysql-client", namespace: "clinic" };
    const [deployment] = readList<Deployment>({ items: [{ metadata, spec: null, status: null }] });
    expect(deployment).toEqual({ metadata });
    expect(readWorkloads(deployment === undefined ? [] : [deployment], "clinic", "clinic")[0]).toMatchObject({
      name: "mysql-client",
      state: "waiting",
    });
  });
});
