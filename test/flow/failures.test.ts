import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import type { Reason } from "../../src/engine/reasons.ts";
import { helmFails, k3dFails, reportedFailure, type Answer } from "./answers.ts";
import { flow, type Flow, type Ran } from "./command.ts";
import { created, failing } from "./stand-in.ts";

const changing = ({ calls }: Ran) =>
  calls.flatMap(({ mutates, file, args }) => (mutates === true ? [[file, ...args.slice(0, 2)].join(" ")] : []));

/** An install in which k3d fails like this, with the node already made, and what is left afterwards. */
async function installWith(answer: Answer, killed = false): Promise<{ machine: Flow; ran: Ran }> {
  const machine = await flow("linux");
  const state = { Status: "restarting", ExitCode: 137, OOMKilled: true };
  machine.world.faults.push(
    failing("k3d cluster create", answer, ({ args }) => {
      machine.world.cluster = { ...created(args), ...(killed && { seen: { state, restarts: 4 } }) };
    }),
  );
  return { machine, ran: await machine.tracebloc("install", "--json") };
}

const notes = ({ person }: Flow) =>
  (JSON.parse(readFileSync(join(person.state, "installation.json"), "utf8")) as { clusters: object }).clusters;

describe("k3d that fails while it makes the cluster", () => {
  test.each<[string, Answer, Reason, number, RegExp]>([
    ["B06: certificate", k3dFails("certificate not trusted"), "IMAGE_PULL_TLS", 4, /does not trust the registry/],
    ["B43: pull limit", k3dFails("pull limit"), "IMAGE_PULL_LIMIT", 4, /limit of pulls/],
    ["no network", k3dFails("no network to the registry"), "IMAGE_PULL_FAILED", 4, /no such host/],
    ["no such image", k3dFails("no such image"), "IMAGE_PULL_FAILED", 4, /does not give/],
    ["registry refuses", k3dFails("registry refuses"), "IMAGE_PULL_FAILED", 4, /does not give/],
    ["B28: a program", k3dFails("port taken by a program"), "PORT_TAKEN", 3, /port 6592/],
    ["B28: a container", k3dFails("port taken by a container"), "PORT_TAKEN", 3, /port 6593/],
    ["B28: on Windows", reportedFailure("B28: port not available on Windows"), "PORT_TAKEN", 3, /port 6550/],
    ["B18: no space", reportedFailure("B18: no space left"), "NO_SPACE", 4, /disk of the container engine is full/],
    ["B30: not shared", reportedFailure("B30: folder not shared"), "DATA_DIR_UNUSABLE", 3, /\/home\/mia\/\.tracebloc/],
    ["B30: older", reportedFailure("B30: folder not shared, older wording"), "DATA_DIR_UNUSABLE", 3, /\.tracebloc/],
    ["B30: privacy", reportedFailure("B30: macOS keeps the engine out"), "DATA_DIR_UNUSABLE", 3, /macOS keeps/],
    ["B23: snap", reportedFailure("B23: engine from snap"), "DATA_DIR_UNUSABLE", 3, /read-only file system/],
    ["B38: inotify", reportedFailure("B38: inotify instances used up"), "CLUSTER_CREATE_FAILED", 4, /inotify/],
    ["B39: cgroup", reportedFailure("B39: cgroup controller missing"), "CLUSTER_CREATE_FAILED", 4, /controller cpuset/],
    [
      "B47: helper",
      reportedFailure("B47: credential helper missing"),
      "ENGINE_CREDENTIAL_HELPER",
      3,
      /docker-credential-desktop/,
    ],
    ["B48: pools", reportedFailure("B48: no addresses left"), "CLUSTER_CREATE_FAILED", 4, /no addresses left/],
    [
      "B48: older",
      reportedFailure("B48: no addresses left, older wording"),
      "CLUSTER_CREATE_FAILED",
      4,
      /no addresses left/,
    ],
    ["a node that ends", k3dFails("node ends at once"), "CLUSTER_CREATE_FAILED", 4, /could not make cluster/],
  ])("%s: is told for what it is, and what was made is taken away", async (_, answer, reason, exit, says) => {
    const { machine, ran } = await installWith(answer);
    const [failure, ...more] = ran.result().failures;
    expect([ran.exit, failure?.reason, more.length]).toEqual([exit, reason, 0]);
    expect(`${failure?.says} ${failure?.details?.join(" ")}`).toMatch(says);
    expect(failure?.remedies).not.toEqual([]);
    expect(changing(ran)).toEqual([
      "k3d cluster create",
      "docker container rm",
      "docker network rm",
      "docker volume rm",
    ]);
    expect([machine.world.cluster, notes(machine)]).toEqual([undefined, {}]);
  });

  test("B20: waits no longer for a node that is killed again and again, and says that memory is short", async () => {
    const { ran } = await installWith({ ...reportedFailure("B20: node killed again and again"), exitCode: 0 }, true);
    expect(ran.result().failures).toMatchObject([{ reason: "MEMORY_TOO_SMALL" }]);
    expect(ran.exit).toBe(3);
    expect(changing(ran)).toContain("docker container rm");
  });

  test("B09: leaves nothing from which the next run would not converge", async () => {
    const { machine } = await installWith(k3dFails("pull limit"));
    machine.world.faults.length = 0;
    const again = await machine.tracebloc("install", "--json");
    expect([again.exit, again.result().state]).toEqual([0, "healthy"]);
  });

  test("B09: does not take away a cluster of this name that somebody else made at the same moment", async () => {
    const { tracebloc, world } = await flow("linux");
    world.faults.push(
      failing("k3d cluster create", k3dFails("already exists"), ({ args }) => {
        world.cluster = { ...created(args), installation: "" };
      }),
    );
    const ran = await tracebloc("install", "--json");
    expect(ran.result().failures).toMatchObject([{ reason: "CLUSTER_CREATE_FAILED" }]);
    expect(changing(ran)).toEqual(["k3d cluster create"]);
    expect(world.cluster).toBeDefined();
  });

  test("B25: a volume in the folder's place is no success: the cluster goes before anything is put into it", async () => {
    const { tracebloc, world } = await flow("windows");
    const volume = {
      Type: "volume",
      Name: "C",
      Source: "/var/lib/docker/volumes/C/_data",
      Destination: "/tracebloc",
      RW: true,
    };
    world.faults.push((command) => {
      if (command.args[1] === "inspect" && world.cluster !== undefined) world.cluster.seen = { mounts: [volume] };
      return undefined;
    });
    const ran = await tracebloc("install", "--json");
    expect(ran.result().failures).toMatchObject([{ reason: "DATA_DIR_UNUSABLE" }]);
    expect(changing(ran)).toEqual([
      "k3d cluster create",
      "docker container rm",
      "docker network rm",
      "docker volume rm",
    ]);
  });
});

describe("Helm that fails", () => {
  test.each<[string, string, Reason, number, RegExp]>([
    ["B05: another operation", "pending", "RELEASE_PENDING", 5, /^another Helm operation on tracebloc is in progress$/],
    [
      "B16: a conflict",
      "conflict",
      "RELEASE_CONFLICT",
      5,
      /^deployment\/workload was changed by kubectl: \.spec\.replicas$/,
    ],
    ["B27: a namespace that is going", "terminating", "HELM_FAILED", 4, /^namespace tracebloc is being deleted$/],
    [
      "B36: somebody else's object",
      "not owned",
      "RELEASE_NOT_OURS",
      5,
      /^deployment\/workload exists in namespace tracebloc-b and belongs to no release$/,
    ],
    [
      "B44: values that the schema refuses",
      "schema",
      "CHART_INVALID",
      2,
      /^the chart refuses its values: values don't meet/,
    ],
    [
      "B10: a wait that ran out",
      "not in time",
      "HELM_FAILED",
      4,
      /^resource Deployment\/tracebloc-a\/workload not ready\. status: InProgress/,
    ],
    ["an API that is gone", "not reachable", "HELM_FAILED", 4, /^kubernetes cluster unreachable: /],
    ["a registry that is gone", "registry refuses", "HELM_FAILED", 4, /connection refused$/],
  ])("%s: is told in one sentence, and tried once", async (_, how, reason, exit, says) => {
    const { tracebloc, world } = await flow("linux");
    world.faults.push(failing("helm upgrade", helmFails(how)));
    const ran = await tracebloc("install", "--json");
    expect(ran.result().failures.map((failure) => [failure.reason, failure.room])).toEqual([[reason, "release"]]);
    expect(ran.result().failures[0]?.says).toMatch(says);
    expect(ran.exit).toBe(exit);
    expect(changing(ran)).toEqual(["k3d cluster create", "docker exec --interactive", "helm upgrade --install"]);
    expect(changing(ran).join()).not.toMatch(/uninstall|rollback|force|take-ownership|delete/);
  });

  test("B44: every line of the schema's complaint is shown", async () => {
    const { tracebloc, world } = await flow("linux");
    world.faults.push(failing("helm upgrade", helmFails("schema")));
    const { stderr } = await tracebloc("install");
    expect(stderr).toContain("- at '/replicas': minimum: got -1, want 0");
    expect(stderr).toContain("- at '': additional properties 'domain' not allowed");
  });

  test("B16: no force flag is given in advance, nor after", async () => {
    const { tracebloc, world } = await flow("linux");
    world.faults.push(failing("helm upgrade", helmFails("conflict")));
    const ran = await tracebloc("install", "--force", "--json");
    for (const { args } of ran.calls) expect(args.filter((arg) => /force|take-ownership/.test(arg))).toEqual([]);
  });

  test("leaves the cluster, from which the next run goes on", async () => {
    const { tracebloc, world } = await flow("linux");
    world.faults.push(failing("helm upgrade", helmFails("not reachable")));
    await tracebloc("install");
    world.faults.length = 0;
    const again = await tracebloc("install", "--json");
    expect(again.result().actions.map((action) => action.do)).toEqual([
      "release.credentials",
      "release.apply",
      "release.await",
    ]);
    expect(again.exit).toBe(0);
  });

  test("B05: is given the time to end by itself: its own limit comes first, and a long grace after ours", async () => {
    const { tracebloc } = await flow("linux");
    const ran = await tracebloc("install");
    const helm = ran.calls.find(({ args }) => args[0] === "upgrade");
    const own = Number(/^(\d+)s$/.exec(helm?.args[helm.args.indexOf("--timeout") + 1] ?? "")?.[1]) * 1000;
    expect(helm?.timeoutMs).toBeGreaterThan(own);
    expect(helm?.graceMs).toBeGreaterThanOrEqual(60_000);
  });
});

describe("a release that is there and not as it should be", () => {
  test.each(["pending-install", "pending-upgrade", "pending-rollback", "uninstalling"])(
    "B05: %s is refused with the commands for it; Helm is not called",
    async (status) => {
      const { tracebloc, world } = await flow("linux");
      await tracebloc("install");
      if (world.release !== undefined) world.release = { ...world.release, status };
      const ran = await tracebloc("install", "--json");
      expect([ran.exit, ran.result().failures.map(({ reason }) => reason)]).toEqual([5, ["RELEASE_PENDING"]]);
      expect(changing(ran)).toEqual([]);
      const commands = ran.result().failures[0]?.remedies.map(({ command }) => command ?? "") ?? [];
      const undo = ["pending-install", "uninstalling"].includes(status) ? "uninstall" : "rollback";
      // Pasted, they have to reach this cluster and no other (B07).
      for (const command of commands.filter((one) => one.startsWith("helm"))) expect(command).toContain("--kubeconfig");
      expect(commands.some((command) => command.includes(` ${undo} tracebloc`))).toBe(true);
    },
  );

  test("a newest revision that failed is no healthy client, and is mended", async () => {
    const { tracebloc, world } = await flow("linux");
    await tracebloc("install");
    if (world.release !== undefined) world.release = { ...world.release, status: "failed" };
    expect(await tracebloc("status")).toMatchObject({ exit: 6 });
    const ran = await tracebloc("install", "--json");
    expect(ran.result().actions.map((action) => action.do)).toEqual(["release.apply", "release.await"]);
    expect(ran.result().release).toMatchObject({ revision: 2, status: "deployed" });
  });

  test("a client with another id is refused, and told by its end alone", async () => {
    const { tracebloc, world, set } = await flow("linux");
    await tracebloc("install");
    set({ TRACEBLOC_CLIENT_ID: "another-client" });
    const ran = await tracebloc("install", "--json");
    expect([ran.exit, ran.result().failures.map(({ reason }) => reason)]).toEqual([5, ["RELEASE_OF_ANOTHER_CLIENT"]]);
    expect([changing(ran), world.release?.revision]).toEqual([[], 1]);
  });

  test("B14: which release there is, is read from the cluster: no form of helm list or status is called", async () => {
    const { tracebloc } = await flow("linux");
    const first = await tracebloc("install");
    const second = await tracebloc("install");
    const helm = [...first.calls, ...second.calls].filter(({ file }) => file === "helm");
    expect(helm.map(({ args }) => args[0])).toEqual(["version", "upgrade"]);
  });
});

test("what is refused after something was done does not say that nothing was changed", async () => {
  const { tracebloc, world, set } = await flow("linux");
  await tracebloc("install");
  if (world.cluster !== undefined) world.cluster = { ...world.cluster, is: "stopped" };
  set({ TRACEBLOC_CLIENT_ID: "another-client" });
  const ran = await tracebloc("install");
  expect(ran.exit).toBe(5);
  expect(ran.stderr).toMatch(/^Not finished \(.*\)\. Mend it, then run the same command again\./m);
  expect(ran.stderr).not.toContain("Nothing was changed");
});

test("a refusal says that nothing was changed, and that is so", async () => {
  const { tracebloc, world, person } = await flow("linux");
  world.faults.push(failing("docker", { outcome: "not-started", notStarted: "missing", why: "there is no docker" }));
  const ran = await tracebloc("plan");
  expect(ran.stderr).toMatch(/^Nothing was changed\. Mend it, then run the same command again\. +exit 3$/m);
  expect([existsSync(person.state), existsSync(person.data)]).toEqual([false, false]);
});
