import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

import type { ClusterAction } from "../../../src/cluster/actions.ts";
import { noteBirth } from "../../../src/cluster/installation.ts";
import { create, engine, failing, noted, performers, place, usePlace, type Made } from "./engine.ts";
import { exited, failures, fixture, machine, recorded, scripted, words } from "./stand-in.ts";

usePlace();

describe("starting", () => {
  const start = { do: "cluster.start", because: "", cluster: "tracebloc", toolsImage: "tools:1" } as const;

  test("B41: waits for the API, and fetches a kubeconfig that fits the certificates of this start", async () => {
    const { runner, made } = engine();
    const asked = scripted((command) => {
      if (!words(command).startsWith("k3d cluster start")) return undefined;
      made.set("k3d-tracebloc-server-0", { ...(made.get("k3d-tracebloc-server-0") as Made), state: "running" });
      return exited();
    }, runner.run.bind(runner));
    const on = machine(asked, place.root);
    await performers["cluster.create"].perform(create(), on);
    const stale = readFileSync(on.state.kubeconfig("tracebloc"), "utf8").replace(
      Buffer.from(fixture("tls/ca.crt")).toString("base64"),
      Buffer.from(fixture("tls/stranger.crt")).toString("base64"),
    );
    writeFileSync(on.state.kubeconfig("tracebloc"), stale);
    await performers["cluster.start"].perform(start, on);
    expect(await performers["cluster.start"].prove(start, on)).toMatchObject({ value: { holds: true } });
    expect(asked.calls.filter((call) => call.startsWith("k3d kubeconfig"))).toHaveLength(2);
  });

  test("B28: that fails on a port says so, and removes nothing", async () => {
    const { runner, removed } = engine();
    const failed = recorded(failures, "port taken by a container");
    const asked = scripted(({ args }) => (args[1] === "start" ? exited(failed) : undefined), runner.run.bind(runner));
    expect(await failing(performers["cluster.start"].perform(start, machine(asked, place.root)))).toMatchObject({
      reason: "PORT_TAKEN",
    });
    expect(removed).toEqual([]);
  });

  test("that is cut off by an interrupt says so", async () => {
    const { runner } = engine();
    const on = machine(
      scripted(
        ({ args }) => (args[1] === "start" ? (on.abort(), { ...exited(), outcome: "cancelled" }) : undefined),
        runner.run.bind(runner),
      ),
      place.root,
    );
    expect(await failing(performers["cluster.start"].perform(start, on))).toMatchObject({ reason: "INTERRUPTED" });
  });

  test("a paused cluster of ours is woken, and proven to run", async () => {
    const { runner, made } = engine();
    const on = machine(runner, place.root);
    await performers["cluster.create"].perform(create(), on);
    made.set("k3d-tracebloc-server-0", { ...(made.get("k3d-tracebloc-server-0") as Made), state: "paused" });
    const unpause = {
      do: "cluster.unpause",
      because: "",
      cluster: "tracebloc",
      containers: ["k3d-tracebloc-server-0"],
    } as const;
    expect(await performers["cluster.unpause"].prove(unpause, on)).toMatchObject({
      value: { holds: false, says: "cluster tracebloc is paused" },
    });
    await performers["cluster.unpause"].perform(unpause, on);
    expect(await performers["cluster.unpause"].prove(unpause, on)).toMatchObject({ value: { holds: true } });
  });

  test("connecting to one that was never noted as ready makes up for the note, and only where it is ready", async () => {
    const { runner } = engine();
    const on = machine(runner, place.root);
    const connect = {
      do: "cluster.connect",
      because: "",
      cluster: "tracebloc",
      api: { host: "127.0.0.1", port: place.port },
    } as const;
    noteBirth(on.state, "tracebloc", new Date());
    place.readyz = 500;
    await performers["cluster.connect"].perform(connect, on);
    expect(noted(on)).not.toHaveProperty("readyAt");
    place.readyz = 200;
    await performers["cluster.connect"].perform(connect, on);
    expect(noted(on)).toHaveProperty("readyAt");
  });

  test("waiting for one that was never noted as ready makes up for the note as well", async () => {
    const { runner, made } = engine();
    const on = machine(runner, place.root);
    const id = noteBirth(on.state, "tracebloc", new Date());
    made.set("k3d-tracebloc-server-0", {
      name: "k3d-tracebloc-server-0",
      role: "server",
      state: "running",
      installation: id,
      folder: "/x",
      type: "bind",
    });
    await performers["cluster.await"].perform({ do: "cluster.await", because: "", cluster: "tracebloc" }, on);
    expect(noted(on)).toHaveProperty("readyAt");
  });
});

describe("docker that refuses", () => {
  const node = "k3d-tracebloc-server-0";

  test.each([
    ["restart", { do: "cluster.restart" }, "CLUSTER_START_FAILED", `docker container restart ${node}`],
    ["unpause", { do: "cluster.unpause", containers: [node] }, "NODE_PAUSED", `docker unpause ${node}`],
  ] as const)("to %s the node is told, with the command to try by hand", async (verb, action, reason, command) => {
    const refusal = exited({ exitCode: 1, stderr: `Error response from daemon: cannot ${verb} it\n` });
    const { runner: whole } = engine();
    const runner = scripted(({ args }) => (args[1] === verb ? refusal : undefined), whole.run.bind(whole));
    const on = machine(runner, place.root);
    const performing = performers[action.do].perform({ because: "", cluster: "tracebloc", ...action } as never, on);
    const finding = await failing(performing);
    expect(finding).toMatchObject({ reason, remedies: [{ command }] });
    expect(finding.says).toContain(`cannot ${verb} it`);
  });
});

test("every action is said in a person's words, and makes what follows from it stale", () => {
  const actions = Object.keys(performers) as ClusterAction["do"][];
  for (const kind of actions) {
    expect(performers[kind].says({ do: kind, because: "", cluster: "tracebloc" } as never)).toContain(
      "cluster tracebloc",
    );
    expect(performers[kind].reveals).toContain("cluster");
  }
});
