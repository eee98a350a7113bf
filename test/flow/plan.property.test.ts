import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { ownershipOf } from "../../src/cluster/ownership.ts";
import { known, unknown } from "../../src/engine/fact.ts";
import type { Action, Done, Planned } from "../../src/engine/plan.ts";
import { plan, releaseName, storageGround, type Asked, type Facts, type InstallAction } from "../../src/install.ts";
import { directoriesOf } from "../../src/storage/layout.ts";
import { isExact } from "../../src/storage/result.ts";
import { defaults } from "../unit/cluster/stand-in.ts";
import { anyAsked, anyFacts } from "./any-facts.ts";
import { factsOf, nearlyHealthy } from "./modelled-world.ts";
import { withoutRemedy } from "./remedies.ts";

const kinds = [
  "release.credentials",
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
] as const satisfies readonly InstallAction["do"][];

/** What an earlier stage of the run may have done, whatever came of it. */
const anyDone: fc.Arbitrary<readonly Done<Action>[]> = fc
  .array(fc.tuple(fc.constantFrom(...kinds), fc.boolean()), { maxLength: 4 })
  .map((some) => some.map(([kind, holds]) => ({ action: actionLike(kind), proof: holds ? proof : unknown("", "") })));
const proof = known({ holds: true, says: "seen" }, "a look");

/** With as much of it as a planner looks at. */
function actionLike(kind: InstallAction["do"]): Action {
  return { do: kind, because: "", tools: [], directories: [] } as Action;
}

/** What the loop would do: a plan with a refusal does nothing. */
const doing = ({ actions, refusals }: Planned<InstallAction>) => (refusals.length > 0 ? [] : actions);
const kindsOf = (planned: Planned<InstallAction>) => doing(planned).map((action) => action.do);

/** Everything but a look and a wait. */
const isChange = (kind: InstallAction["do"]) =>
  !["cluster.await", "release.await", "release.credentials"].includes(kind);
/** What is done to a cluster that is there, or to what is in it. */
const touches = (kind: InstallAction["do"]) => /^(cluster|storage\.prepare|release)/.test(kind) && isChange(kind);

/** A failure shows the facts without the path rules of a platform, which are long and circular. */
const shown = (value: unknown) =>
  JSON.stringify(value, (key, inner: unknown) => (key === "path" && typeof inner === "object" ? undefined : inner));
const runs: fc.Parameters<[unknown]> = {
  numRuns: 400,
  reporter: ({ failed, seed, counterexamplePath, counterexample, errorInstance }) => {
    if (failed) {
      throw new Error(`seed ${seed}, path ${counterexamplePath}: ${String(errorInstance)}\n${shown(counterexample)}`);
    }
  },
};
/**
 * Any facts at all seldom come to the end of a plan. Those of a machine on which little is wrong do, and some of them are
 * replaced: an answer that fails to come beside others that did.
 */
const nearlyRight: fc.Arbitrary<readonly [Facts, Asked]> = fc
  .tuple(nearlyHealthy, anyFacts, fc.constantFrom("nothing", "release", "records", "deployments", "storage"), anyAsked)
  .map(([world, other, replaced, any]) => {
    const asked = { ...any, wishes: { ...any.wishes, dataDir: defaults.dataDir } };
    const right = factsOf(world, asked);
    const silent = unknown("the Kubernetes API did not answer within 5 s", "");
    const changes: Record<typeof replaced, Partial<Facts>> = {
      nothing: {},
      release: { release: other.release },
      records: { release: { ...right.release, records: silent } },
      deployments: { release: { ...right.release, deployments: silent } },
      storage: { storage: other.storage },
    };
    return [{ ...right, ...changes[replaced] }, asked];
  });
const factsAndAsked = fc.oneof(fc.tuple(anyFacts, anyAsked), nearlyRight);
const planOf = fc.tuple(factsAndAsked, anyDone).map(([[facts, asked], done]) => ({ facts, asked, done }));
const fresh = factsAndAsked.map(([facts, asked]) => ({ facts, asked, planned: plan(facts, asked, []) }));

describe("the plan of an install, for any facts", () => {
  test("is made, and is the same for the same facts, which it leaves as they are", () => {
    fc.assert(
      fc.property(planOf, ({ facts, asked, done }) => {
        const before = shown(facts);
        const first = plan(facts, asked, done);
        expect(plan(facts, asked, done)).toEqual(first);
        expect(shown(facts)).toBe(before);
      }),
      runs,
    );
  });

  test("says why for every action, and what to do for every refusal", () => {
    fc.assert(
      fc.property(fresh, ({ planned }) => {
        for (const { because } of planned.actions) expect(because).toMatch(/\S/);
        for (const { says } of planned.refusals) expect(says).toMatch(/\S/);
        expect(withoutRemedy([...planned.refusals, ...planned.warnings])).toEqual([]);
      }),
      runs,
    );
  });

  test("changes nothing while it is unknown whether the cluster exists, or what is ours", () => {
    fc.assert(
      fc.property(fresh, ({ facts: { cluster }, planned }) => {
        if (cluster.cluster.state === "known" && cluster.installation.state === "known") return;
        expect(kindsOf(planned)).toEqual([]);
        expect(planned.refusals).not.toEqual([]);
      }),
      runs,
    );
  });

  test("leaves the release alone while it is unknown what the cluster holds", () => {
    fc.assert(
      fc.property(fresh, ({ facts, planned }) => {
        if (facts.release.records.state === "known") return;
        expect(kindsOf(planned).filter((kind) => kind === "release.apply")).toEqual([]);
      }),
      runs,
    );
  });

  test("makes a cluster only where there is none, or where it takes away what a run of ours left", () => {
    fc.assert(
      fc.property(fresh, ({ facts, planned }) => {
        const does = kindsOf(planned);
        if (!does.includes("cluster.create")) return;
        const { cluster } = facts.cluster;
        const isAbsent = cluster.state === "known" && cluster.value.is === "absent";
        expect(isAbsent || does.includes("cluster.remove")).toBe(true);
      }),
      runs,
    );
  });

  test("removes, wakes and restarts nothing that is not ours, and deletes nothing", () => {
    fc.assert(
      fc.property(fresh, ({ facts, planned }) => {
        const does = kindsOf(planned);
        expect(does).not.toContain("cluster.delete");
        const seen = facts.cluster.cluster;
        if (!does.some((kind) => ["cluster.remove", "cluster.unpause"].includes(kind))) return;
        expect(isOurs(facts)).toBe(true);
        expect(seen.state === "known" && seen.value.is !== "foreign").toBe(true);
      }),
      runs,
    );
  });

  test("touches nothing in a cluster whose data is no folder of this machine and which we did not make", () => {
    fc.assert(
      fc.property(fresh, ({ facts, planned }) => {
        const seen = facts.cluster.cluster;
        if (seen.state === "unknown" || !("node" in seen.value)) return;
        if (ownershipOf(seen.value.node, installationOf(facts)).whose !== "foreign" && seen.value.is !== "foreign") {
          return;
        }
        expect(kindsOf(planned).filter(touches)).toEqual([]);
      }),
      runs,
    );
  });

  test("prepares directories before Helm, and only those of which something is known and wrong", () => {
    fc.assert(
      fc.property(fresh, ({ facts, planned }) => {
        const actions = doing(planned);
        const prepare = actions.find((action) => action.do === "storage.prepare");
        const at = (kind: string) => actions.findIndex((action) => action.do === kind);
        if (prepare === undefined) return;
        expect(at("release.apply") === -1 || at("storage.prepare") < at("release.apply")).toBe(true);
        for (const { path } of prepare.directories) {
          const looked = facts.storage.directories.find(({ directory }) => directory.path === path);
          expect(looked?.seen.state === "known" && !isExact(looked.directory, looked.seen.value), path).toBe(true);
        }
      }),
      runs,
    );
  });

  test("runs Helm only in a cluster whose API is ready to our own kubeconfig", () => {
    fc.assert(
      fc.property(fresh, ({ facts: { cluster }, planned }) => {
        if (!kindsOf(planned).includes("release.apply")) return;
        expect(cluster.cluster).toMatchObject({ state: "known", value: { is: "running" } });
        expect(cluster.access).toMatchObject({ state: "known", value: { is: "asked", answer: { status: 200 } } });
      }),
      runs,
    );
  });

  test("upgrades only a release of chart client with an id, and of nobody else", () => {
    fc.assert(
      fc.property(fresh, ({ facts, asked, planned }) => {
        const apply = doing(planned).find((action) => action.do === "release.apply");
        if (apply === undefined || apply.isNew || facts.release.records.state === "unknown") return;
        const record = facts.release.records.value.find(
          ({ name, namespace, status }) =>
            name === apply.release && namespace === apply.namespace && status !== "uninstalled",
        );
        expect(record?.content).toMatchObject({ chart: "client" });
        const id = record !== undefined && "values" in record.content ? record.content.values["clientId"] : undefined;
        expect(id).toBeTypeOf("string");
        expect([undefined, id]).toContain(asked.wishes.clientId.value);
        expect(record?.status).not.toMatch(/^pending-|uninstalling/);
      }),
      runs,
    );
  });

  test("has nothing to do only where all that makes a client healthy was seen", () => {
    fc.assert(
      fc.property(planOf, ({ facts, asked, done }) => {
        const { actions, refusals, warnings } = plan(facts, asked, done);
        if (actions.length + refusals.length + warnings.length > 0) return;
        const { cluster, release, storage } = facts;
        expect(cluster.cluster).toMatchObject({ state: "known", value: { is: "running" } });
        expect([release.records.state, release.deployments.state]).toEqual(["known", "known"]);
        const { mode, dataBase = "" } = storageGround(facts, asked);
        if (mode === "node-local") return;
        const wanted = new Set(directoriesOf(releaseName(facts, asked), dataBase).map(({ path }) => path));
        for (const { directory, seen } of storage.directories) {
          if (!wanted.has(directory.path)) continue;
          expect(seen.state === "known" && isExact(directory, seen.value), directory.path).toBe(true);
        }
      }),
      runs,
    );
  });

  test("tries nothing twice in one run", () => {
    fc.assert(
      fc.property(planOf, ({ facts, asked, done }) => {
        const once = new Set([
          "cluster.create",
          "cluster.start",
          "cluster.unpause",
          "cluster.remove",
          "release.apply",
          "release.await",
        ]);
        const tried = new Set(done.map(({ action }) => action.do).filter((kind) => once.has(kind)));
        expect(kindsOf(plan(facts, asked, done)).filter((kind) => tried.has(kind))).toEqual([]);
      }),
      runs,
    );
  });
});

function installationOf({ cluster: { installation } }: Facts) {
  return installation.state === "known" && installation.value.is === "here"
    ? installation.value.installation
    : undefined;
}

/** By our label, or, where there is no server to carry it, by our note that we began to make it. */
function isOurs(facts: Facts): boolean {
  const seen = facts.cluster.cluster;
  const here = installationOf(facts);
  if (seen.state === "unknown" || here === undefined) return false;
  if ("node" in seen.value) return seen.value.node.installation === here.id;
  return "tracebloc" in here.clusters;
}
