import { describe, expect, test } from "vitest";

import { awaitLeftovers, stillRuns } from "../../../src/engine/leftovers.ts";
import type { Child } from "../../../src/process/processes.ts";
import { machine } from "./support.ts";

const helm: Child = { pid: 4711, startedAt: "boot/1", file: "helm", about: "helm upgrade" };
const k3d: Child = { pid: 4712, startedAt: "boot/2", file: "k3d", about: "k3d cluster create" };

describe("children of an earlier run", () => {
  test("none are not waited for, nor talked about", async () => {
    const { on, events } = machine();
    const never = () => Promise.reject(new Error("not to be asked"));
    expect(await awaitLeftovers([], never, on, 1_000)).toEqual({ gone: [], living: [], unknown: [] });
    expect(events).toEqual([]);
  });

  test("are waited for by name until all have ended", async () => {
    const { on, events } = machine();
    const endsAt = new Map([
      [helm.pid, 1_200],
      [k3d.pid, 300],
    ]);
    const isAlive = async ({ pid }: { pid: number }) =>
      on.now() >= (endsAt.get(pid) ?? 0) ? ("no" as const) : ("yes" as const);
    const left = await awaitLeftovers([helm, k3d], isAlive, on, 60_000);
    expect(left).toEqual({ gone: [helm, k3d], living: [], unknown: [] });
    expect(stillRuns(left)).toBeUndefined();
    expect(events.map((event) => event.type === "wait" && event.waitingFor)).toEqual([
      "helm upgrade (process 4711), k3d cluster create (process 4712) of an earlier run to end",
      "helm upgrade (process 4711), k3d cluster create (process 4712) of an earlier run to end",
      "helm upgrade (process 4711) of an earlier run to end",
      "helm upgrade (process 4711) of an earlier run to end",
    ]);
  });

  test("that do not end within the bound are a reason not to go on", async () => {
    const { on } = machine();
    const left = await awaitLeftovers([helm, k3d], async ({ pid }) => (pid === helm.pid ? "yes" : "no"), on, 5_000);
    expect(left).toEqual({ gone: [k3d], living: [helm], unknown: [] });
    expect(on.now()).toBeLessThanOrEqual(5_000);
    expect(stillRuns(left)).toEqual({
      reason: "CHILD_STILL_RUNS",
      room: "run",
      says: "helm upgrade (process 4711) of an earlier run is still at work",
      remedies: [{ says: "wait until process 4711 has ended, then run the same command again" }],
    });
  });

  test("of which nothing can be told are not waited for, and not taken for gone", async () => {
    const { on } = machine();
    const left = await awaitLeftovers([helm], async () => "unknown", on, 60_000);
    expect(left).toEqual({ gone: [], living: [], unknown: [helm] });
    expect(on.now()).toBe(0);
  });
});
