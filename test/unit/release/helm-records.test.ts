import { gzipSync } from "node:zlib";

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readReleaseRecords } from "../../../src/release/helm-records.ts";
import recorded from "../../fixtures/release/records.json" with { type: "json" };

describe("Helm's records of releases", () => {
  test("are read as Helm 4 wrote them: the newest revision of each, with chart, values and labels", () => {
    const [edge, web] = readReleaseRecords(recorded.answer);
    expect(edge).toMatchObject({
      name: "edge",
      namespace: "edge",
      revision: 2,
      status: "deployed",
      labels: { "tracebloc.io/wishes": "0123456789abcdef" },
      content: { chart: "client", chartVersion: "2.0.0", values: { clientId: "5f0c6f0a-0000-4000-8000-00000000aaaa" } },
    });
    expect(edge?.lastDeployed).toBe(Date.parse("2026-11-30T17:06:47.162Z"));
    expect(web).toMatchObject({ name: "web", revision: 2, status: "failed", content: { chart: "web" } });
  });

  test("a failed newest revision hides the deployed one before it", () => {
    const statuses = recorded.answer.items
      .filter(({ metadata }) => metadata.labels.name === "web")
      .map(({ metadata }) => metadata.labels.status);
    expect(statuses.toSorted()).toEqual(["deployed", "failed"]);
    expect(readReleaseRecords(recorded.answer).find(({ name }) => name === "web")?.status).toBe("failed");
  });

  test("a failed revision stands with the values of the deployed one, and with its own where none is", () => {
    const { items } = recorded.answer;
    const web = items.filter(({ metadata }) => metadata.labels.name === "web");
    const withValue = (secret: (typeof items)[number]) => {
      const config = { of: secret.metadata.labels.status };
      const payload = btoa(btoa(JSON.stringify({ chart: { metadata: { name: "web", version: "1.0.0" } }, config })));
      return { ...secret, data: { release: payload } };
    };
    const valuesOf = (secrets: typeof items) => readReleaseRecords({ items: secrets })[0]?.content;
    expect(valuesOf(web.map(withValue))).toMatchObject({ values: { of: "deployed" } });
    const failed = web.filter(({ metadata }) => metadata.labels.status === "failed");
    expect(valuesOf(failed.map(withValue))).toMatchObject({ values: { of: "failed" } });
  });

  test("a damaged payload is unreadable and quotes nothing of itself", () => {
    const [first] = recorded.answer.items;
    const payload = Buffer.from("clientPassword=canary-0002").toString("base64");
    const [damaged] = readReleaseRecords({ items: [{ ...first, data: { release: payload } }] });
    expect(damaged?.content).toEqual({ unreadable: "its record is damaged" });
  });

  test.each([[{ status: "unknown" }], [{ status: "[object Object]" }], [{ status: "" }], [{ version: "x" }]])(
    "nothing is concluded from a revision of which Helm's labels tell no state: %j",
    (labels) => {
      const [first] = recorded.answer.items;
      const metadata = { ...first?.metadata, labels: { ...first?.metadata.labels, ...labels } };
      const [odd] = readReleaseRecords({ items: [{ ...first, metadata }] });
      expect(odd?.content).toEqual({ unreadable: "its status is not known" });
    },
  );

  test("a record without Helm's labels is still that of its Secret's name", () => {
    const [first] = recorded.answer.items;
    const metadata = { ...first?.metadata, name: "sh.helm.release.v1.my.app.v12", labels: { status: "deployed" } };
    const [found] = readReleaseRecords({ items: [{ ...first, metadata }] });
    expect(found).toMatchObject({ name: "my.app", revision: 12, secret: "sh.helm.release.v1.my.app.v12" });
    const [nameless] = readReleaseRecords({
      items: [{ ...first, metadata: { ...metadata, name: "odd", labels: {} } }],
    });
    expect(nameless).toMatchObject({ name: "odd", content: { unreadable: "its status is not known" } });
  });

  test("a payload that is made to fill the memory is not unpacked", () => {
    const [first] = recorded.answer.items;
    const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024)).toString("base64");
    const [record] = readReleaseRecords({ items: [{ ...first, data: { release: btoa(bomb) } }] });
    expect(record?.content).toEqual({ unreadable: "its record is damaged" });
  });

  test.each([[{ config: ["a"] }], [{ config: 7 }], [{ config: null }]])("values that are none are none: %j", (odd) => {
    const [first] = recorded.answer.items;
    const payload = btoa(btoa(JSON.stringify({ chart: { metadata: { name: "client", version: "2.0.0" } }, ...odd })));
    const [record] = readReleaseRecords({ items: [{ ...first, data: { release: payload } }] });
    expect(record?.content).toEqual({ chart: "client", chartVersion: "2.0.0", values: {} });
  });

  test.each([[null], [undefined], ["Forbidden"], [{}], [{ items: {} }]])("%j is no empty list", (answer) => {
    expect(() => readReleaseRecords(answer)).toThrow(TypeError);
  });

  test("no payload makes it throw", () => {
    const secret = fc.record({
      metadata: fc.record({ namespace: fc.string(), labels: fc.dictionary(fc.string(), fc.string()) }),
      data: fc.record({ release: fc.oneof(fc.string(), fc.base64String()) }),
    });
    fc.assert(
      fc.property(fc.array(secret), (items) => {
        expect(readReleaseRecords({ items }).length).toBeLessThanOrEqual(items.length);
      }),
    );
  });
});
