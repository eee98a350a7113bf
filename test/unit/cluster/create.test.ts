import { existsSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";

import type { Machine } from "../../../src/engine/machine.ts";
import { memoryNeeds } from "../../../src/host/checks/memory.ts";
import { create, engine, failing, kubeconfig, noted, performers, place, usePlace, type Made } from "./engine.ts";
import { exited, failures, machine, recorded, scripted } from "./stand-in.ts";

usePlace();

describe("creating a cluster", () => {
  test("ends with a node as asked, our own kubeconfig, an API that is ready, and a note of all that", async () => {
    const { runner, removed } = engine();
    const on = machine(runner, place.root);
    await performers["cluster.create"].perform(create(), on);

    expect(noted(on)).toEqual({ createdAt: expect.any(String) as string, readyAt: expect.any(String) as string });
    expect(statSync(create().dataDir ?? "").isDirectory()).toBe(true);
    const stored = on.state.kubeconfig("tracebloc");
    expect(statSync(stored).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(stored, "utf8"))).toMatchObject({
      clusters: [{ cluster: { server: `https://127.0.0.1:${place.port}` } }],
    });
    expect(removed).toEqual([]);
    expect(await performers["cluster.create"].prove(create(), on)).toMatchObject({
      state: "known",
      value: { holds: true, says: "node k3d-tracebloc-server-0 runs, the Kubernetes API is ready" },
    });
  });

  test("is not proven where the node has other folders than were asked for", async () => {
    const { runner } = engine();
    const on = machine(runner, place.root);
    await performers["cluster.create"].perform(create(), on);
    const says = "/tracebloc-data in the node is not /srv";
    expect(await performers["cluster.create"].prove({ ...create(), datasetDir: "/srv" }, on)).toMatchObject({
      value: { holds: false, says },
    });
    expect(await performers["cluster.create"].prove({ ...create(), dataDir: "/srv" }, on)).toMatchObject({
      value: { holds: false },
    });
  });

  test("B09: is noted before k3d is called, so that what a dead run leaves is known to be ours", async () => {
    const seen: unknown[] = [];
    const { runner } = engine({ create: (make) => (seen.push(noted(on)), make(), exited()) });
    const on: Machine = machine(runner, place.root);
    await performers["cluster.create"].perform(create(), on);
    expect(seen).toEqual([{ createdAt: expect.any(String) as string }]);
  });

  test("B28: takes another port where the one that was free is taken by the time k3d asks for it", async () => {
    const ports: string[] = [];
    const { runner } = engine({
      create: (make, { args }) => {
        ports.push(args[args.indexOf("--api-port") + 1] ?? "");
        if (ports.length === 1) return exited(recorded(failures, "port taken by a container"));
        make();
        return exited();
      },
    });
    const on = machine(runner, place.root);
    await performers["cluster.create"].perform({ ...create(), port: place.port - 1, anyPort: true }, on);
    expect(new Set(ports).size).toBe(2);
  });

  test("that fails takes away what it made, and keeps k3d's words and the node's last ones", async () => {
    const { runner, made, removed } = engine({
      create: (make) => (make(), exited(recorded(failures, "port taken by a program"))),
    });
    const on = machine(runner, place.root);
    const found = await failing(performers["cluster.create"].perform(create(), on));
    expect(found).toMatchObject({ reason: "PORT_TAKEN", room: "cluster" });
    expect(found.details?.join("\n")).toContain("Failed Cluster Start");
    expect(found.details).toContain('level=fatal msg="it broke"');
    expect([...made.keys()]).toEqual([]);
    expect(removed).toEqual(["k3d-tracebloc-server-0", "k3d-tracebloc", "k3d-tracebloc-images"]);
    expect(noted(on)).toBeUndefined();
  });

  test("B20: that fails because the node is killed again and again is told as a matter of memory", async () => {
    const { runner, made } = engine({
      create: (make) => {
        make();
        made.set("k3d-tracebloc-server-0", {
          ...(made.get("k3d-tracebloc-server-0") as Made),
          state: "restarting",
          exitCode: 137,
          restarts: 4,
        });
        return exited(recorded(failures, "node ends at once"));
      },
    });
    expect(await failing(performers["cluster.create"].perform(create(), machine(runner, place.root)))).toMatchObject({
      reason: "MEMORY_TOO_SMALL",
      says: "k3d-tracebloc-server-0 was killed 4 times, as it happens when memory runs out",
      remedies: [{ says: expect.stringContaining(`(${memoryNeeds.floorGb} GB at least)`) as string }],
    });
  });

  test("that fails because the node ends says with what", async () => {
    const { runner, made } = engine({
      create: (make) => {
        make();
        made.set("k3d-tracebloc-server-0", {
          ...(made.get("k3d-tracebloc-server-0") as Made),
          state: "restarting",
          exitCode: 1,
          restarts: 3,
        });
        return exited(recorded(failures, "node ends at once"));
      },
    });
    expect(await failing(performers["cluster.create"].perform(create(), machine(runner, place.root)))).toMatchObject({
      reason: "CLUSTER_CREATE_FAILED",
      says: "k3d could not make cluster tracebloc: k3d-tracebloc-server-0 ends again and again, last with exit code 1",
    });
  });

  test("B04: that the engine refuses is the host room's matter", async () => {
    const stderr = "FATA[0000] client version 1.43 is too old. Minimum supported API version is 1.44, please upgrade\n";
    const { runner } = engine({ create: () => exited({ exitCode: 1, stderr }) });
    const asked = scripted(
      ({ args }) => (args[0] === "context" ? exited({ exitCode: 1 }) : undefined),
      runner.run.bind(runner),
    );
    expect((await failing(performers["cluster.create"].perform(create(), machine(asked, place.root)))).says).toContain(
      "1.43",
    );
  });

  test("of which another program made the cluster meanwhile removes nothing of that one", async () => {
    const { runner, made, removed } = engine({
      create: (make) => {
        make();
        made.set("k3d-tracebloc-server-0", { ...(made.get("k3d-tracebloc-server-0") as Made), installation: "" });
        return exited(recorded(failures, "already exists"));
      },
    });
    const found = await failing(performers["cluster.create"].perform(create(), machine(runner, place.root)));
    expect(found.reason).toBe("CLUSTER_CREATE_FAILED");
    expect(found.details?.at(-1)).toContain("this installation did not make it");
    expect([removed, [...made.keys()]]).toEqual([[], ["k3d-tracebloc-server-0"]]);
  });

  test("that is interrupted ends k3d and leaves nothing", async () => {
    const { runner, made } = engine({
      create: (make, { signal }) =>
        new Promise((resolve) => {
          make();
          signal?.addEventListener("abort", () => resolve({ ...exited(), outcome: "cancelled" }));
          on.abort();
        }),
    });
    const on = machine(runner, place.root);
    const found = await failing(performers["cluster.create"].perform(create(), on));
    expect(found).toMatchObject({ reason: "INTERRUPTED" });
    expect([...made.keys()]).toEqual([]);
    expect(noted(on)).toBeUndefined();
  });

  test("B39: does not wait for k3d's timeout where the node's end is certain", async () => {
    const line =
      'WARN[0003] warning: encountered fatal log from node k3d-tracebloc-server-0 (retrying 0/10): level=fatal msg="failed to find cpuset cgroup (v2)"';
    const { runner } = engine({
      create: (make, { signal, onLine }) =>
        new Promise((resolve) => {
          make();
          signal?.addEventListener("abort", () => resolve({ ...exited({ stderr: line }), outcome: "cancelled" }));
          onLine?.(line, "stderr");
        }),
    });
    expect(await failing(performers["cluster.create"].perform(create(), machine(runner, place.root)))).toMatchObject({
      reason: "CLUSTER_CREATE_FAILED",
      says: "the kernel does not give the node the cgroup controller cpuset",
    });
  });

  test("B25: a volume in place of the folder is taken away again, before anything is put in it", async () => {
    const { runner, made } = engine({
      create: (make) => {
        make();
        made.set("k3d-tracebloc-server-0", {
          ...(made.get("k3d-tracebloc-server-0") as Made),
          type: "volume",
          folder: "/var/lib/docker/volumes/D/_data",
        });
        return exited();
      },
    });
    const found = await failing(performers["cluster.create"].perform(create(), machine(runner, place.root)));
    expect(found).toMatchObject({
      reason: "DATA_DIR_UNUSABLE",
      says: expect.stringContaining("is the volume /var/lib/docker/volumes/D/_data") as string,
    });
    expect([...made.keys()]).toEqual([]);
  });

  test("B11: an API that does not come is named within a bound, and the cluster stays for the next run", async () => {
    place.readyz = 500;
    const { runner, made } = engine();
    const on = machine(runner, place.root);
    const found = await failing(performers["cluster.create"].perform(create(), on));
    expect(found).toMatchObject({
      reason: "API_NOT_ANSWERING",
      says: "the Kubernetes API of cluster tracebloc answered 500: ok",
    });
    expect([...made.keys()]).toEqual(["k3d-tracebloc-server-0"]);
    expect(noted(on)).toEqual({ createdAt: expect.any(String) as string });
    expect(on.events.findLast((event) => event.type === "wait")).toMatchObject({
      waitingFor: "the Kubernetes API, which answered 500: ok",
      limitMs: 180_000,
    });
  });

  test("B07: a kubeconfig of another cluster is refused, and its key is in no word", async () => {
    const { runner } = engine();
    const other = scripted(
      ({ args }) => (args[0] === "kubeconfig" ? exited({ stdout: kubeconfig("k3d-corporate") }) : undefined),
      runner.run.bind(runner),
    );
    const on = machine(other, place.root);
    const found = await failing(performers["cluster.create"].perform(create(), on));
    expect(found).toMatchObject({
      reason: "KUBECONFIG_UNUSABLE",
      says: expect.stringContaining("it is about k3d-corporate") as string,
    });
    expect(existsSync(on.state.kubeconfig("tracebloc"))).toBe(false);
  });

  test("a kubeconfig that cannot be parsed is not quoted", async () => {
    const { runner } = engine();
    const stdout = "client-key-data: canary: of a key";
    const other = scripted(
      ({ args }) => (args[0] === "kubeconfig" ? exited({ stdout }) : undefined),
      runner.run.bind(runner),
    );
    const found = await failing(performers["cluster.create"].perform(create(), machine(other, place.root)));
    expect(found.reason).toBe("KUBECONFIG_UNUSABLE");
    expect(JSON.stringify(found)).not.toContain("canary");
  });
});
