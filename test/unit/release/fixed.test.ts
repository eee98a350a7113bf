import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";
import { parse } from "yaml";

import { changesOfFixed } from "../../../src/release/fixed.ts";
import type { ReleaseRecord } from "../../../src/release/helm-records.ts";
import { layerValues, type Values } from "../../../src/release/values.ts";

const inNode = {
  storageClass: { create: true, name: "client-storage-class", provisioner: "manual", parameters: {} },
  hostPath: { enabled: true },
  pvcAccessMode: "ReadWriteOnce",
};

function record(values: Values): ReleaseRecord {
  return {
    name: "site",
    namespace: "site",
    revision: 1,
    status: "deployed",
    labels: {},
    lastDeployed: undefined,
    secret: "",
    content: { chart: "client", chartVersion: "2.0.0", values },
  };
}

const told = (has: Values, change: Values) =>
  changesOfFixed(record(has), layerValues(has, change)).map(({ says }) => says.split(":")[0]);

describe("what a release keeps for life", () => {
  test.each<[string, Values, string]>([
    [
      "the storage mode",
      { hostPath: { enabled: false } },
      "hostPath.enabled of release site is true and cannot become false",
    ],
    [
      "the datasets' place",
      { hostPath: { datasetPath: "/tracebloc-data" } },
      "hostPath.datasetPath of release site is /tracebloc and cannot become /tracebloc-data",
    ],
    [
      "the provisioner",
      { storageClass: { provisioner: "ebs.csi.aws.com" } },
      "storageClass.provisioner of release site is manual and cannot become ebs.csi.aws.com",
    ],
    [
      "its parameters",
      { storageClass: { parameters: { type: "gp3" } } },
      'storageClass.parameters of release site is {} and cannot become {"type"',
    ],
    [
      "when volumes are bound",
      { storageClass: { volumeBindingMode: "WaitForFirstConsumer" } },
      "storageClass.volumeBindingMode of release site is Immediate and cannot become WaitForFirstConsumer",
    ],
    [
      "the access mode",
      { pvcAccessMode: "ReadWriteMany" },
      "pvcAccessMode of release site is ReadWriteOnce and cannot become ReadWriteMany",
    ],
    [
      "a claim that would shrink",
      { pvc: { mysql: "512Mi" } },
      "pvc.mysql of release site is 2Gi and cannot become 512Mi",
    ],
  ])("%s is told before Helm finds out", (_, change, says) => {
    expect(told(inNode, change)).toContain(says);
  });

  test("a class of the cluster's own cannot be exchanged for another", () => {
    const has = { storageClass: { create: false, name: "local-path" } };
    expect(told(has, { storageClass: { name: "fast" } })).toEqual([
      "storageClass.name of release site is local-path and cannot become fast",
    ]);
  });

  test.each<[string, Values]>([
    ["a claim that grows", { pvc: { data: "1Ti" } }],
    ["a default that is said aloud", { pvc: { logs: "10Gi" }, hostPath: { datasetPath: "/tracebloc/" } }],
    ["the name of a class that the chart names itself", { storageClass: { name: "another" } }],
    ["everything else", { env: { CLIENT_ENV: "dev" }, networkPolicy: { training: { enabled: false } } }],
  ])("%s is no change", (_, change) => {
    expect(told(inNode, change)).toEqual([]);
  });

  test("a release that cannot be read is left to Helm", () => {
    const unreadable = { ...record({}), content: { unreadable: "its record is damaged" } };
    expect(changesOfFixed(unreadable, inNode)).toEqual([]);
  });

  test("a first revision that failed may be put right", () => {
    const failed = { ...record(inNode), status: "failed" as const };
    expect(changesOfFixed(failed, {})).toEqual([]);
    expect(changesOfFixed({ ...failed, revision: 2 }, {})).not.toEqual([]);
  });

  test("the chart's defaults are the ones that are taken here", () => {
    const values = fileURLToPath(new URL("../../../charts/client/values.yaml", import.meta.url));
    const defaults = parse(readFileSync(values, "utf8")) as Values;
    expect(changesOfFixed(record({}), defaults)).toEqual([]);
    expect(changesOfFixed(record(defaults), {})).toEqual([]);
  });
});
