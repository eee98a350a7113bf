import { describe, expect, test } from "vitest";

import type { Node } from "../../src/cluster/node.ts";
import type { Wishes } from "../../src/config/wishes.ts";
import { known, notYet } from "../../src/engine/fact.ts";
import type { Action, Done } from "../../src/engine/plan.ts";
import type { Asked, Facts } from "../../src/install.ts";
import type { ReleaseRecord } from "../../src/release/helm-records.ts";
import { deletionOf } from "../../src/report.ts";
import { storageNotYet } from "../../src/storage/observe.ts";
import { forUninstall, planUninstall, type UninstallWish } from "../../src/uninstall.ts";
import { absent, adopted, answering, ours, ready, standing, strangers } from "./cluster/facts.ts";
import { defaults, platform } from "./cluster/stand-in.ts";

const notLooked = notYet("nothing needs it");

function record(namespace = "tracebloc"): ReleaseRecord {
  const content = { chart: "client", chartVersion: "2.0.0", values: { clientId: "client-1" } };
  return {
    name: namespace,
    namespace,
    revision: 1,
    status: "deployed",
    labels: {},
    lastDeployed: 0,
    content,
    secret: "sh.helm.release.v1.tracebloc.v1",
  };
}

function facts(cluster: Facts["cluster"], records?: readonly ReleaseRecord[]): Facts {
  return {
    host: undefined,
    engine: undefined,
    tools: {
      k3d: notLooked,
      helm: known({ usable: { command: "helm", version: "4.2.3", from: "PATH" }, skipped: [], pin: undefined }, ""),
      kubectl: notLooked,
    },
    cluster,
    folders: notLooked,
    storage: storageNotYet("tracebloc", "not looked"),
    users: known([], ""),
    release: { records: records === undefined ? notLooked : known(records, ""), deployments: known([], "") },
  };
}

const at = (folder: string): Node => ({
  ...ours,
  mounts: [{ type: "bind", destination: "/tracebloc", source: folder, asked: folder, writable: true }],
});
const running = (node: Node, records: readonly ReleaseRecord[] = [record()]) => facts(answering(ready, node), records);
/** Without a kubeconfig of ours. */
const neverSeen = (node: Node) => {
  const seen = facts(answering(ready, node, { access: known({ is: "missing" }, "") }));
  return { ...seen, tools: { ...seen.tools, k3d: seen.tools.helm } };
};
const stopped = (node: Node) => facts(standing("stopped", node));
const gone = facts(absent({ installation: answering(ready).installation }));

const ask = (wishes: Partial<Wishes> = {}, wish: UninstallWish = { deleteData: false }): Asked =>
  forUninstall({ wishes: { ...defaults, ...wishes }, file: {}, force: false, platform: platform() }, wish);
const flag = (name: string, value: string) => ({ value, origin: { from: "flag" as const, name } });

/** What a plan comes down to: its actions, with the folders that lose their data, or the reasons of its refusals. */
function gist(seen: Facts, wishes: Partial<Wishes>, wish: UninstallWish, first = seen): string[] {
  const done: Done<Action>[] = seen === first ? [] : [deleted];
  const { actions, refusals } = planUninstall(seen, ask(wishes, wish), wish, done, first);
  return refusals.length > 0
    ? refusals.map(({ reason }) => reason)
    : actions.map((action) =>
        action.do === "storage.delete" ? `${action.do} ${action.release} ${action.holders.join(" ")}` : action.do,
      );
}
const deleted: Done<Action> = {
  action: { do: "cluster.delete", because: "" },
  proof: known({ holds: true, says: "" }, ""),
};

const keep = { deleteData: false };
const withData = { deleteData: true };
const inFolder = at("/srv/tb");

describe("what an uninstall takes away", () => {
  test.each<[string, Facts, Partial<Wishes>, UninstallWish, string[]]>([
    ["a cluster of ours goes", running(ours), {}, keep, ["cluster.delete"]],
    ["also where it is stopped", stopped(ours), {}, keep, ["cluster.delete"]],
    ["of an adopted one only the release", running(adopted), {}, keep, ["release.remove"]],
    ["one that keeps its data stays for it", running({ ...ours, mounts: [] }), {}, keep, ["release.remove"]],
    ["and goes with it", running({ ...ours, mounts: [] }), {}, withData, ["cluster.delete"]],
    ["which is looked for in one that was never adopted", neverSeen(adopted), {}, keep, ["cluster.connect"]],
    ["a stranger's stays", running(strangers, []), {}, keep, []],
    ["and is not looked into", neverSeen(strangers), {}, keep, []],
    [
      "data goes from where the node has it, whatever is wished today",
      running(inFolder),
      {},
      withData,
      ["cluster.delete", "storage.delete tracebloc /srv/tb"],
    ],
    [
      "also where the cluster is stopped",
      stopped(inFolder),
      {},
      withData,
      ["cluster.delete", "storage.delete tracebloc /srv/tb"],
    ],
    [
      "and not from another folder",
      running(inFolder),
      { dataDir: flag("--data-dir", "/srv/b") },
      withData,
      ["CLUSTER_DIFFERS"],
    ],
    [
      "where no cluster is left, from the folder that is named",
      gone,
      { dataDir: flag("--data-dir", "/srv/b") },
      withData,
      ["storage.delete tracebloc /srv/b"],
    ],
    [
      "another client's cluster stays",
      running(ours, [record("edge")]),
      { namespace: flag("--namespace", "lab") },
      keep,
      ["RELEASE_OF_ANOTHER_CLIENT"],
    ],
    [
      "its data is not deleted under another name",
      running(ours, [record("edge")]),
      {},
      withData,
      ["RELEASE_OF_ANOTHER_CLIENT"],
    ],
    [
      "whoever today's variables are about",
      running(adopted),
      { clientId: { value: "another", origin: { from: "environment", name: "TRACEBLOC_CLIENT_ID" } } },
      keep,
      ["release.remove"],
    ],
  ])("%s", (_, seen, wishes, wish, expected) => {
    expect(gist(seen, wishes, wish)).toEqual(expected);
  });

  test("once the cluster is gone, what was seen first tells where its data lies", () => {
    expect(gist(gone, {}, withData, running(inFolder))).toEqual(["storage.delete tracebloc /srv/tb"]);
  });
});

describe("what deletes the data later", () => {
  test.each<[string, Facts, Partial<Wishes>, string]>([
    ["needs no words where everything is as usual", running(ours), {}, ""],
    ["names the folder that only the cluster knew of", running(inFolder), {}, " --data-dir /srv/tb"],
    ["repeats what was a flag", running(inFolder), { dataDir: flag("--data-dir", "/srv/tb") }, " --data-dir /srv/tb"],
    ["names the release", running(ours, [record("edge")]), {}, " --namespace edge"],
  ])("%s", (_, first, wishes, words) => {
    expect(deletionOf(first, ask(wishes))).toBe(`tracebloc uninstall --delete-data${words}`);
  });
});
