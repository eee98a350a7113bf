import { describe, expect, test } from "vitest";

import type { ClusterAction } from "../../../src/cluster/actions.ts";
import type { ClusterFacts } from "../../../src/cluster/facts.ts";
import type { Node } from "../../../src/cluster/node.ts";
import { planClusterDelete } from "../../../src/cluster/plan.ts";
import type { Wishes } from "../../../src/config/wishes.ts";
import { known, unknown } from "../../../src/engine/fact.ts";
import { nothing } from "../../../src/engine/plan.ts";
import {
  absent,
  access,
  adopted,
  answering,
  answers,
  create,
  facts,
  gist,
  member,
  ours,
  plan,
  ready,
  remove,
  standing,
  tools,
  unfinished,
} from "./facts.ts";
import { asking, defaults } from "./stand-in.ts";

describe("plans, compared whole", () => {
  test.each<[string, ClusterFacts, Wishes, ClusterAction[]]>([
    ["absent: make it", absent(), defaults, [create]],
    [
      "absent, port in use, none asked for: the next free one",
      absent({ port: known({ wished: 6550, free: 6552 }, "listen") }),
      defaults,
      [{ ...create, port: 6552 }],
    ],
    [
      "absent, ports not known: the wished one, k3d will tell",
      absent({ port: unknown("no sockets", "listen") }),
      defaults,
      [create],
    ],
    [
      "absent, node-local: no folder of this machine",
      absent(),
      asking({ storageMode: "node-local" }),
      [{ ...create, dataDir: undefined }],
    ],
    ["absent, with a dataset directory", absent(), asking({ datasetDir: "/srv" }), [{ ...create, datasetDir: "/srv" }]],
    ["absent, but begun: first what is left over", absent({ installation: unfinished }), defaults, [remove, create]],
    ["half created by us: anew", standing("half created", ours), defaults, [remove, create]],
    [
      "only parts, begun by us: anew",
      facts({ is: "incomplete", members: [tools] }, { installation: unfinished }),
      defaults,
      [remove, create],
    ],
    [
      "stopped: start",
      standing("stopped", ours),
      defaults,
      [
        {
          do: "cluster.start",
          because: "cluster tracebloc is stopped",
          cluster: "tracebloc",
          toolsImage: "ghcr.io/k3d-io/k3d-tools:5.9.0",
        },
      ],
    ],
    [
      "partly stopped: start",
      standing("partly stopped", adopted),
      defaults,
      [
        {
          do: "cluster.start",
          because: "parts of cluster tracebloc are stopped",
          cluster: "tracebloc",
          toolsImage: "ghcr.io/k3d-io/k3d-tools:5.9.0",
        },
      ],
    ],
    [
      "B45: paused, ours: wake what is paused",
      standing("paused", ours, {}, [{ ...member, state: "paused" }, tools]),
      defaults,
      [
        {
          do: "cluster.unpause",
          because: "cluster tracebloc is paused",
          cluster: "tracebloc",
          containers: [ours.name],
        },
      ],
    ],
    [
      "restarting: wait",
      standing("restarting", ours),
      defaults,
      [{ do: "cluster.await", because: "k3d-tracebloc-server-0 is restarting", cluster: "tracebloc" }],
    ],
    [
      "running, no kubeconfig: fetch it",
      standing("running", ours, { access: known({ is: "missing" }, "read") }),
      defaults,
      [
        {
          do: "cluster.connect",
          because: "there is no kubeconfig of it yet",
          cluster: "tracebloc",
          api: { host: "127.0.0.1", port: 6550 },
        },
      ],
    ],
    [
      "running, kubeconfig of another port: fetch it",
      standing("running", ours, { access: known({ is: "elsewhere", access: { ...access, port: 6551 } }, "read") }),
      defaults,
      [
        {
          do: "cluster.connect",
          because: "its API is at port 6550, and our kubeconfig says 6551",
          cluster: "tracebloc",
          api: { host: "127.0.0.1", port: 6550 },
        },
      ],
    ],
    [
      "running, made anew behind our back: fetch it",
      answering(answers.mismatch),
      defaults,
      [
        {
          do: "cluster.connect",
          because: "the Kubernetes API is not the one that our kubeconfig was made for",
          cluster: "tracebloc",
          api: { host: "127.0.0.1", port: 6550 },
        },
      ],
    ],
    [
      "running, not ready: wait",
      answering(answers.starting),
      defaults,
      [{ do: "cluster.await", because: "the Kubernetes API answered 500: [-]etcd failed", cluster: "tracebloc" }],
    ],
    ["running and ready: nothing", answering(ready), defaults, []],
    ["adopted, running and ready: nothing", answering(ready, adopted), defaults, []],
    [
      "adopted, its data elsewhere and none asked for: nothing",
      answering(ready, {
        ...adopted,
        mounts: [{ ...(adopted.mounts[0] as Node["mounts"][0]), source: "/srv", asked: "/srv" }],
      }),
      defaults,
      [],
    ],
  ])("%s", (_, seen, wishes, actions) => {
    expect(plan(seen, wishes)).toEqual({ ...nothing, actions });
  });
});

test("a data directory that is asked for where the cluster keeps its data itself is told to have no effect", () => {
  const seen = standing("running", { ...ours, mounts: [] });
  expect(plan(seen, asking({ dataDir: "/data" })).warnings).toMatchObject([{ reason: "CONFIG_IGNORED" }]);
  expect(plan(seen).warnings).toEqual([]);
});

describe("each unknown has its answer, and none of them is no", () => {
  test.each<[string, ClusterFacts, string[]]>([
    ["our own state", absent({ installation: unknown("EACCES", "read") }), ["STATE_UNUSABLE"]],
    [
      "our own state, written by a newer version",
      absent({ installation: known({ is: "newer", version: "2.0.0" }, "read") }),
      ["STATE_NEWER"],
    ],
    ["the cluster", facts(unknown("no answer within 10 s", "docker")), ["CLUSTER_UNKNOWN"]],
    ["the road to the API", standing("running", ours, { access: unknown("?", "read") }), ["cluster.connect"]],
    ["where the API is", standing("running", { ...ours, api: undefined }), ["KUBECONFIG_UNUSABLE"]],
  ])("%s", (_, seen, expected) => {
    expect(gist(plan(seen))).toEqual(expected);
    expect(gist(planClusterDelete(seen, { deleteData: true }, []))).toEqual(
      expected[0]?.startsWith("cluster.") || expected[0]?.startsWith("KUBE") ? ["cluster.delete"] : expected,
    );
  });
});
