import { describe, expect, test } from "vitest";

import { known, unknown, type Fact } from "../../../src/engine/fact.ts";
import { observeUsers, planUsers, type User } from "../../../src/storage/users.ts";
import { exited, machine, platform, scripted, timedOut } from "../cluster/stand-in.ts";

const dirs = { dataDir: "/srv/data", datasetDir: "/srv/datasets" };
const node: User = { container: "k3d-lab-server-0", cluster: "lab" };
const backup: User = { container: "backup", cluster: undefined };

describe("the folders of a cluster that is to be made", () => {
  const reasons = (users: Fact<readonly User[]>, mode: "hostpath" | "node-local" = "hostpath") =>
    planUsers(users, { mode, dirs, cluster: "lab-2", platform: platform() }).refusals.map(({ reason }) => reason);

  test.each<[string, Fact<readonly User[]>, string[]]>([
    ["nobody has are free", known([], ""), []],
    [
      "a node of another cluster has are refused: two databases would run on the same files",
      known([node], ""),
      ["DATA_IN_USE"],
    ],
    ["a container that is no node has are free", known([backup], ""), []],
    ["may have users that the engine does not tell are refused", unknown("no answer", "ls", 1), ["ENGINE_UNKNOWN"]],
  ])("%s", (_, users, expected) => {
    expect(reasons(users)).toEqual(expected);
    expect(reasons(users, "node-local")).toEqual([]);
  });

  test("are asked for by every one of them, and the cluster's own containers do not count", async () => {
    const runner = scripted(() => exited({ stdout: "k3d-lab-server-0 lab\nk3d-lab-2-server-0 lab-2\nbackup \n" }));
    const users = await observeUsers(Object.values(dirs), "lab-2", machine(runner));
    expect(users).toMatchObject({ state: "known", value: [node, backup] });
    expect(runner.calls[0]).toContain("--filter volume=/srv/data --filter volume=/srv/datasets");
  });

  test("are not free because the engine is silent", async () => {
    expect(await observeUsers(["/srv/data"], "lab-2", machine(scripted(() => timedOut)))).toMatchObject({
      state: "unknown",
    });
  });
});
