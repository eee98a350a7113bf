import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";

import { noteBirth } from "../../../src/cluster/installation.ts";
import { create, engine, failing, noted, performers, place, usePlace, type Made } from "./engine.ts";
import { exited, machine, scripted } from "./stand-in.ts";

usePlace();

describe("removing and deleting", () => {
  const remove = { do: "cluster.remove", because: "", cluster: "tracebloc" } as const;
  const member = (installation: string, role = "server"): Made => ({
    name: `k3d-tracebloc-${role}-0`,
    role,
    state: "created",
    installation,
    folder: "/x",
    type: "bind",
  });

  test("takes containers, network and volumes by exact name, and the note", async () => {
    const { runner, made, removed } = engine();
    const on = machine(runner, place.root);
    const id = noteBirth(on.state, "tracebloc", new Date());
    made.set("k3d-tracebloc-server-0", member(id));
    made.set("k3d-tracebloc-tools", { ...member("", "noRole"), name: "k3d-tracebloc-tools" });
    await performers["cluster.remove"].perform(remove, on);
    expect(removed).toEqual(["k3d-tracebloc-server-0", "k3d-tracebloc-tools", "k3d-tracebloc", "k3d-tracebloc-images"]);
    expect(noted(on)).toBeUndefined();
    expect(await performers["cluster.remove"].prove(remove, on)).toMatchObject({ value: { holds: true } });
  });

  test.each(["", "id-of-another"])("never takes a server with the label %j", async (label) => {
    const { runner, made, removed } = engine();
    const on = machine(runner, place.root);
    noteBirth(on.state, "tracebloc", new Date());
    made.set("k3d-tracebloc-server-0", member(label));
    for (const kind of ["cluster.remove", "cluster.delete"] as const) {
      expect(await failing(performers[kind].perform({ ...remove, do: kind } as never, on))).toMatchObject({
        reason: "CLUSTER_INCOMPLETE",
      });
    }
    expect(removed).toEqual([]);
  });

  test("without our own state nothing is ours to take", async () => {
    const { runner, made, removed } = engine();
    made.set("k3d-tracebloc-server-0", member("id-1"));
    await failing(
      performers["cluster.delete"].perform({ ...remove, do: "cluster.delete" }, machine(runner, place.root)),
    );
    expect(removed).toEqual([]);
  });

  test("is no success while anything is left", async () => {
    const { runner, made } = engine();
    const deaf = scripted(
      ({ args }) => (args[1] === "rm" ? exited({ exitCode: 1 }) : undefined),
      runner.run.bind(runner),
    );
    const on = machine(deaf, place.root);
    made.set("k3d-tracebloc-server-0", member(noteBirth(on.state, "tracebloc", new Date())));
    expect(await failing(performers["cluster.remove"].perform(remove, on))).toMatchObject({
      says: "what is left of cluster tracebloc could not be removed: k3d-tracebloc-server-0",
    });
    expect(noted(on)).toBeDefined();
  });

  test("waits where the engine is still removing for a run that was killed", async () => {
    const { runner, made } = engine();
    let looks = 0;
    const busy = scripted(({ args }) => {
      if (args[1] === "ls" && (looks += 1) === 4) made.clear();
      const stderr = "Error response from daemon: removal of container k3d-tracebloc-server-0 is already in progress\n";
      return args[0] === "container" && args[1] === "rm" ? exited({ exitCode: 1, stderr }) : undefined;
    }, runner.run.bind(runner));
    const on = machine(busy, place.root);
    made.set("k3d-tracebloc-server-0", member(noteBirth(on.state, "tracebloc", new Date())));
    await performers["cluster.remove"].perform(remove, on);
    expect(noted(on)).toBeUndefined();
  });

  test("deleting takes our kubeconfig with it", async () => {
    const { runner } = engine();
    const on = machine(runner, place.root);
    await performers["cluster.create"].perform(create(), on);
    await performers["cluster.delete"].perform({ ...remove, do: "cluster.delete" }, on);
    expect(existsSync(on.state.kubeconfig("tracebloc"))).toBe(false);
  });
});
