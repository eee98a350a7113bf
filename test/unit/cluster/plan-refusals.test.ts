import { describe, expect, test } from "vitest";

import type { ClusterAction } from "../../../src/cluster/actions.ts";
import type { ClusterFacts } from "../../../src/cluster/facts.ts";
import type { Node } from "../../../src/cluster/node.ts";
import { isSameImage, planClusterDelete } from "../../../src/cluster/plan.ts";
import type { Wishes } from "../../../src/config/wishes.ts";
import { known } from "../../../src/engine/fact.ts";
import type { Action, Done } from "../../../src/engine/plan.ts";
import { memoryNeeds } from "../../../src/host/checks/memory.ts";
import {
  absent,
  adopted,
  answering,
  answers,
  done,
  facts,
  gist,
  nowhere,
  ours,
  plan,
  ready,
  standing,
  strangers,
  tools,
  unfinished,
} from "./facts.ts";
import { asking, defaults } from "./stand-in.ts";

describe("refusals", () => {
  test.each<[string, ClusterFacts, Wishes, string[]]>([
    ["a cluster that is nothing of ours", answering(ready, strangers), defaults, ["CLUSTER_NOT_OURS"]],
    ["a stopped one as well: it is not started", standing("stopped", strangers), defaults, ["CLUSTER_NOT_OURS"]],
    [
      "a container of the node's name",
      facts({ is: "foreign", node: { ...strangers, cluster: undefined } }),
      defaults,
      ["CLUSTER_NOT_OURS"],
    ],
    ["B09: half made, and not by us", standing("half created", adopted), defaults, ["CLUSTER_INCOMPLETE"]],
    [
      "B09: half made, with another installation's label",
      standing("half created", { ...ours, installation: "id-2" }, { installation: unfinished }),
      defaults,
      ["CLUSTER_INCOMPLETE"],
    ],
    ["B09: parts, and we never began", facts({ is: "incomplete", members: [tools] }), defaults, ["CLUSTER_INCOMPLETE"]],
    ["B45: paused, and not ours", standing("paused", adopted), defaults, ["NODE_PAUSED"]],
    [
      "B28: a port that was asked for and is in use",
      absent({ port: known({ wished: 6600, free: 6601 }, "listen") }),
      asking({ apiPort: 6600 }),
      ["PORT_TAKEN"],
    ],
    [
      "B28: no port left",
      absent({ port: known({ wished: 6550, free: undefined }, "listen") }),
      defaults,
      ["PORT_TAKEN"],
    ],
    [
      "B12: all differences at once",
      answering(ready),
      asking({ dataDir: "/data", datasetDir: "/srv" }),
      ["CLUSTER_DIFFERS", "CLUSTER_DIFFERS"],
    ],
    [
      "B12: a difference, also of a stopped one, before it is started",
      standing("stopped", ours),
      asking({ dataDir: "/data" }),
      ["CLUSTER_DIFFERS"],
    ],
    [
      "B12: node-local is not made of hostpath",
      answering(ready),
      asking({ storageMode: "node-local" }),
      ["CLUSTER_DIFFERS"],
    ],
  ])("%s", (_, seen, wishes, expected) => {
    const planned = plan(seen, wishes);
    expect(gist(planned)).toEqual(expected);
    expect(planned.refusals.every(({ remedies }) => remedies.length > 0)).toBe(true);
  });

  test("a cluster that is not ours is described, with the commands that settle it", () => {
    expect(plan(answering(ready, strangers)).refusals).toEqual([
      {
        reason: "CLUSTER_NOT_OURS",
        room: "cluster",
        says: "cluster tracebloc exists and is not a tracebloc cluster of this machine: nothing is mounted at /tracebloc in its node",
        remedies: [
          { says: "use another name", command: "tracebloc install --cluster tracebloc-2" },
          { says: "or remove that one, if it is not needed", command: "k3d cluster delete tracebloc" },
        ],
        details: [
          "k3d-tracebloc-server-0: created 2026-11-30, running, image rancher/k3s:v1.35.5-k3s1",
          "folders of this machine in it: none",
        ],
      },
    ]);
  });

  test("a difference names both sides, who asked, and both ways out", () => {
    expect(plan(answering(ready), asking({ dataDir: "/da ta" })).refusals).toEqual([
      {
        reason: "CLUSTER_DIFFERS",
        room: "cluster",
        says: "cluster tracebloc was made with data directory /home/ada/.tracebloc, and --data-dir asks for /da ta",
        remedies: [
          { says: "keep the cluster as it is", command: "tracebloc install --data-dir /home/ada/.tracebloc" },
          {
            says: "or let it be made anew; folders of this machine stay: remove it, then run this again",
            command: "tracebloc uninstall",
          },
        ],
      },
    ]);
  });
});

describe("nothing is tried twice in one run", () => {
  test.each<[string, ClusterFacts, ClusterAction["do"][], string[]]>([
    ["created and gone", absent(), ["cluster.create"], ["CLUSTER_UNKNOWN"]],
    ["started and not up", standing("stopped", ours), ["cluster.start"], ["CLUSTER_START_FAILED"]],
    ["woken and still paused", standing("paused", ours), ["cluster.unpause"], ["NODE_PAUSED"]],
    ["waited for and still restarting", standing("restarting", ours), ["cluster.await"], ["NODE_RESTARTING"]],
    ["removed and still there", standing("half created", ours), ["cluster.remove"], ["CLUSTER_INCOMPLETE"]],
    ["removed: then made", absent({ installation: unfinished }), ["cluster.remove"], ["cluster.create"]],
    ["fetched and still not known", answering(answers.unknownUser), ["cluster.connect"], ["KUBECONFIG_UNUSABLE"]],
    ["B41: past its time: first a fresh kubeconfig", answering(answers.expired), [], ["cluster.connect"]],
    [
      "B41: still past its time: k3s renews at a start",
      answering(answers.expired),
      ["cluster.connect"],
      ["cluster.restart"],
    ],
    ["B41: even so", answering(answers.expired), ["cluster.connect", "cluster.restart"], ["KUBECONFIG_UNUSABLE"]],
    ["an API that accepts and never answers", answering(answers.silent), ["cluster.await"], ["API_NOT_ANSWERING"]],
    ["an API that refuses", answering(answers.refused), ["cluster.await"], ["API_NOT_ANSWERING"]],
    ["an API that breaks off", answering(answers.broken), ["cluster.await"], ["API_NOT_ANSWERING"]],
    [
      "B09: one that we never saw ready and that does not come: anew",
      answering(answers.refused, ours, { installation: unfinished }),
      ["cluster.await"],
      ["cluster.remove", "cluster.create"],
    ],
    [
      "B09: but not twice",
      answering(answers.refused, ours, { installation: unfinished }),
      ["cluster.await", "cluster.remove", "cluster.create"],
      ["API_NOT_ANSWERING"],
    ],
    [
      "B09: one that we never saw ready and that keeps restarting: anew",
      standing("restarting", ours, { installation: unfinished }),
      ["cluster.await"],
      ["cluster.remove", "cluster.create"],
    ],
    [
      "B09: an adopted one is never made anew",
      answering(answers.refused, adopted, { installation: unfinished }),
      ["cluster.await"],
      ["API_NOT_ANSWERING"],
    ],
    [
      "cut off before it was noted: the note is made up for",
      answering(ready, ours, { installation: unfinished }),
      [],
      ["cluster.connect"],
    ],
    [
      "cut off before it was noted, and noted now",
      answering(ready, ours, { installation: unfinished }),
      ["cluster.connect"],
      [],
    ],
  ])("%s", (_, seen, before, expected) => {
    expect(gist(plan(seen, defaults, done(...before)))).toEqual(expected);
  });

  test("B20: a node that is killed again and again is told as a matter of memory", () => {
    const killed: Node = { ...ours, exitCode: 137, restarts: 5 };
    const [refusal] = plan(standing("restarting", killed), defaults, done("cluster.await")).refusals;
    expect(refusal?.says).toBe("k3d-tracebloc-server-0 was killed 5 times, as it happens when memory runs out");
    expect(refusal?.remedies[0]?.says).toContain(`(${memoryNeeds.floorGb} GB at least)`);
  });
});

describe("the image of an existing cluster", () => {
  test.each([
    ["rancher/k3s:v1.35.5-k3s1@sha256:2074", "rancher/k3s:v1.35.5-k3s1", true],
    ["mirror.example.com:5000/rancher/k3s:v1.35.5-k3s1", "rancher/k3s:v1.35.5-k3s1@sha256:2074", true],
    ["rancher/k3s:v1.29.4-k3s1", "rancher/k3s:v1.35.5-k3s1", false],
    ["other/rancher/k3s:v1", "/rancher/k3s:v1", false],
  ])("B12: %s and %s are the same: %s", (one, other, same) => {
    expect([isSameImage(one, other), isSameImage(other, one)]).toEqual([same, same]);
  });

  test("is a warning where another one was asked for, and nothing where it is the default that moved on", () => {
    expect(
      plan(answering(ready), asking({ k3sImage: "rancher/k3s:v1.36.0-k3s1" })).warnings.map(({ reason }) => reason),
    ).toEqual(["PIN_CHANGED"]);
    expect(plan(answering(ready, { ...ours, image: "rancher/k3s:v1.29.4-k3s1" })).warnings).toEqual([]);
  });
});

describe("uninstall", () => {
  const gone = (seen: ClusterFacts, deleteData = false, before: readonly Done<Action>[] = []) =>
    gist(planClusterDelete(seen, { deleteData }, before));

  test.each<[string, ClusterFacts, string[]]>([
    ["ours goes, whatever its state", answering(ready), ["cluster.delete"]],
    ["ours, paused", standing("paused", ours), ["cluster.delete"]],
    [
      "half made by us",
      facts({ is: "incomplete", members: [tools] }, { installation: unfinished }),
      ["cluster.delete"],
    ],
    ["an adopted one stays", answering(ready, adopted), []],
    ["a stranger's stays", answering(ready, strangers), []],
    ["what only has the node's name stays", facts({ is: "foreign", node: strangers }), []],
    ["parts that we never began stay", facts({ is: "incomplete", members: [tools] }), []],
    ["absent", absent(), []],
    ["without our state nothing is ours", answering(ready, ours, { installation: nowhere }), []],
  ])("%s", (_, seen, expected) => {
    expect(gone(seen)).toEqual(expected);
  });

  test("node-local: the cluster holds the data, and goes only with it", () => {
    const nodeLocal = answering(ready, { ...ours, mounts: [] });
    expect([gone(nodeLocal), gone(nodeLocal, true)]).toEqual([[], ["cluster.delete"]]);
  });

  test("what stays after it was deleted is told, not deleted again", () => {
    expect(gone(answering(ready), false, done("cluster.delete"))).toEqual(["CLUSTER_INCOMPLETE"]);
  });
});
