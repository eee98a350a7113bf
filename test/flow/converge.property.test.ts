import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { known } from "../../src/engine/fact.ts";
import { run, type Ended, type Program } from "../../src/engine/run.ts";
import { statePaths } from "../../src/files/state.ts";
import { performers, plan, type Asked, type Facts, type InstallAction } from "../../src/install.ts";
import type { Performer, Performers } from "../../src/engine/plan.ts";
import { asking, machine, platform, scripted } from "../unit/cluster/stand-in.ts";
import { anyWorld as anyState, effectOf, factsOf, nearlyHealthy, type World } from "./modelled-world.ts";

const kinds: readonly InstallAction["do"][] = [
  "tools.fetch",
  "storage.folders",
  "cluster.remove",
  "cluster.create",
  "cluster.start",
  "cluster.unpause",
  "cluster.restart",
  "cluster.await",
  "cluster.connect",
  "storage.prepare",
  "release.apply",
  "release.await",
];

const anyWorld = fc.oneof(anyState, nearlyHealthy);

const anyAsked: fc.Arbitrary<Asked> = fc
  .record({
    credentials: fc.constantFrom({}, { clientId: "client-1" }, { clientId: "client-1", clientPassword: "old" }),
    mode: fc.constantFrom({}, { storageMode: "hostpath" as const }, { storageMode: "node-local" as const }),
    file: fc.constantFrom({}, { env: { CLIENT_ENV: "dev" } }),
    force: fc.boolean(),
  })
  .map(({ credentials, mode, file, force }) => ({
    wishes: asking({ ...credentials, ...mode }),
    file,
    force,
    platform: platform(),
  }));

/** Runs the real loop over the real planner and the real order of rooms; only what actions do to the world is modelled. */
async function runIn(start: World, asked: Asked, stubborn: ReadonlySet<string> = new Set()) {
  let world = start;
  let latest = factsOf(world, asked);
  const on = machine(scripted());
  const table = performers(
    () => asked,
    () => latest,
    statePaths("/nowhere"),
  );
  const modelled = Object.entries(table).map(([kind, real]) => {
    const performer: Performer<InstallAction> = {
      ...(real as Performer<InstallAction>),
      says: () => kind,
      perform: (action) => {
        if (!stubborn.has(kind)) world = effectOf(action, world, latest, asked);
        return Promise.resolve();
      },
      prove: () => Promise.resolve(known({ holds: !stubborn.has(kind), says: kind }, "")),
    };
    return [kind, performer] as const;
  });
  const program: Program<Facts, InstallAction> = {
    observe: (_, before) => {
      const fresh = factsOf(world, asked);
      // What no action has made stale is not looked at again.
      const keep = <Room extends "cluster" | "storage" | "release" | "tools">(room: Room): Facts[Room] =>
        before === undefined || before.stale.includes(room) ? fresh[room] : before.facts[room];
      latest = {
        ...fresh,
        cluster: keep("cluster"),
        storage: keep("storage"),
        release: keep("release"),
        tools: keep("tools"),
      };
      return Promise.resolve(latest);
    },
    plan: (facts, done) => plan(facts, asked, done),
    performers: Object.fromEntries(modelled) as unknown as Performers<InstallAction>,
  };
  const journal = { before: () => {}, after: () => {}, failed: () => {} };
  const ended = await run(program, on, journal, { dryRun: false, command: "install" });
  return { ended, world };
}

const gist = ({ how, done, planned, failure }: Ended<Facts, InstallAction>) =>
  `${how} after ${done.map(({ action }) => action.do).join(", ")}; ${[...planned.refusals, failure].map((one) => one?.reason).join(" ")}`;

describe("an install, from any state of the machine", () => {
  test("comes to an end within 8 stages, settled or refused", async () => {
    await fc.assert(
      fc.asyncProperty(anyWorld, anyAsked, async (world, asked) => {
        const { ended } = await runIn(world, asked);
        expect(["settled", "refused"], gist(ended)).toContain(ended.how);
      }),
      { numRuns: 600 },
    );
  });

  test("comes to an end also where some of what it does has no effect", async () => {
    await fc.assert(
      fc.asyncProperty(anyWorld, anyAsked, fc.subarray([...kinds]), async (world, asked, stubborn) => {
        const { ended } = await runIn(world, asked, new Set(stubborn));
        expect(["settled", "refused"], gist(ended)).toContain(ended.how);
      }),
      { numRuns: 600 },
    );
  });

  test("that settles leaves a cluster that runs, directories as they should be, a release and ready workloads", async () => {
    await fc.assert(
      fc.asyncProperty(anyWorld, anyAsked, async (start, asked) => {
        const { ended, world } = await runIn(start, asked);
        if (ended.how !== "settled") return;
        expect(world, gist(ended)).toMatchObject({ cluster: "running", api: "ready", workloads: "ready" });
        expect(world.release?.status, gist(ended)).toBe("deployed");
        const mayBe = world.hostpath ? ["exact", "read-only"] : ["exact", "read-only", "as the kubelet leaves them"];
        expect(mayBe).toContain(world.directories);
      }),
      { numRuns: 600 },
    );
  });

  test("that settled has nothing left to do when it is run again", async () => {
    await fc.assert(
      fc.asyncProperty(anyWorld, anyAsked, async (start, asked) => {
        const { ended, world } = await runIn(start, { ...asked, force: false });
        if (ended.how !== "settled") return;
        const again = await runIn(world, { ...asked, force: false });
        expect(again.ended.done.map(({ action }) => `${action.do}: ${action.because}`)).toEqual([]);
      }),
      { numRuns: 600 },
    );
  });

  test("that is refused has done nothing before, unless that was needed to know", async () => {
    await fc.assert(
      fc.asyncProperty(anyWorld, anyAsked, async (start, asked) => {
        const { ended } = await runIn(start, asked);
        if (ended.how !== "refused") return;
        const does = ended.done.map(({ action }) => action.do);
        expect(does.filter((kind) => ["release.apply", "cluster.create", "storage.folders"].includes(kind))).toEqual(
          [],
        );
      }),
      { numRuns: 600 },
    );
  });
});
