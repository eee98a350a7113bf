import { describe, expect, test } from "vitest";

import type { ApiAnswer } from "../../../src/cluster/api.ts";
import type { Access } from "../../../src/cluster/facts.ts";
import { observeCluster, type Look } from "../../../src/cluster/observe.ts";
import { dockerAnswers, exited, listAnswers, machine, recorded, scripted, timedOut, type Script } from "./stand-in.ts";

/** Docker, as it was recorded in one state. */
function docker(name: string): Script {
  const { ls, inspect } = recorded(dockerAnswers, name);
  return ({ file, args }) => (file === "docker" ? exited(args[1] === "ls" ? ls : inspect) : undefined);
}
const k3d =
  (name: string): Script =>
  ({ file }) =>
    file === "k3d" ? exited(recorded(listAnswers, name)) : undefined;

const ready: ApiAnswer = { outcome: "answered", status: 200, text: "ok", json: undefined };
const access = (port = 6591, answer = ready): Access => ({
  kubeconfig: "/state/kubeconfig.yaml",
  context: "k3d-tracebloc",
  host: "127.0.0.1",
  port,
  api: { get: () => Promise.resolve(answer), patch: () => Promise.reject(new Error("a look changes nothing")) },
});
const look: Look = { cluster: "tracebloc", k3d: "k3d", access: undefined, port: 42_500 };

async function observed(scripts: readonly Script[], more: Partial<Look> = {}) {
  const runner = scripted(...scripts);
  const on = machine(runner);
  return { facts: await observeCluster(on, { ...look, ...more }), calls: runner.calls, events: on.events };
}

describe("the healthy road", () => {
  test("two docker calls and a read of the API; no k3d, no port", async () => {
    const { facts, calls } = await observed([docker("running")], { access: access() });
    expect(calls.map((call) => call.split(" ").slice(0, 3).join(" "))).toEqual([
      "docker container ls",
      "docker container inspect",
    ]);
    expect(facts).toMatchObject({
      cluster: { state: "known", value: { is: "running", node: { name: "k3d-tracebloc-server-0" } } },
      access: { state: "known", value: { is: "asked", answer: ready } },
      port: { state: "unknown" },
    });
    expect(facts).not.toHaveProperty("complaint");
  });

  test("is told as it is seen", async () => {
    const { events } = await observed([docker("running")], { access: access() });
    expect(
      events.map((event) => (event.type === "fact" ? [event.about, event.state, event.says] : event.type)),
    ).toEqual([
      ["node", "known", "running"],
      ["Kubernetes API", "known", "is ready"],
    ]);
  });

  test("no kubeconfig, and one that leads to another port, are told apart", async () => {
    expect((await observed([docker("running")])).facts.access).toMatchObject({ value: { is: "missing" } });
    expect((await observed([docker("running")], { access: access(6550) })).facts.access).toMatchObject({
      value: { is: "elsewhere" },
    });
  });

  test("what answers while the node does not run is not taken for the cluster", async () => {
    expect((await observed([docker("stopped")], { access: access() })).facts.access).toMatchObject({
      state: "unknown",
    });
  });
});

describe("absent", () => {
  test("only by docker's exact word and with k3d agreeing; then a port is looked for", async () => {
    const { facts, calls } = await observed([docker("absent"), k3d("other clusters only")]);
    expect(facts.cluster).toMatchObject({ state: "known", value: { is: "absent" } });
    expect(facts.port).toMatchObject({ state: "known", value: { wished: 42_500 } });
    expect(calls.at(-1)).toBe("k3d cluster list --output json");
  });

  test("docker alone decides where k3d is not there yet", async () => {
    expect((await observed([docker("absent")], { k3d: undefined })).facts.cluster).toMatchObject({
      value: { is: "absent" },
    });
  });

  test("B17: not where k3d sees the cluster in another engine", async () => {
    const { facts } = await observed([docker("absent"), k3d("running")]);
    expect(facts.cluster).toMatchObject({
      state: "unknown",
      why: "k3d lists it, and docker shows none of its containers",
    });
  });

  test("B04: not where k3d cannot talk to the engine; its words are kept for the host room", async () => {
    const stderr =
      "ERRO[0000] Failed to get nodes for cluster 'tracebloc': docker failed to get containers with labels 'map[k3d.cluster:tracebloc]': " +
      "failed to list containers: Error response from daemon: client version 1.43 is too old. Minimum supported API version is 1.44, please upgrade your client to a newer version\n";
    const { facts } = await observed([
      docker("absent"),
      ({ file }) => (file === "k3d" ? exited({ exitCode: 1, stderr }) : undefined),
    ]);
    expect(facts.cluster.state).toBe("unknown");
    expect(facts.complaint?.stderr).toBe(stderr);
  });

  test.each([
    ["nothing", ""],
    ["B22: an encoder's complaint, with exit code 0", "json: unsupported value\n"],
    ["B22: a table", "NAME   SERVERS\n"],
  ])("not where k3d answers with %s", async (_, stdout) => {
    const { facts } = await observed([
      docker("absent"),
      ({ file }) => (file === "k3d" ? exited({ stdout }) : undefined),
    ]);
    expect(facts.cluster.state).toBe("unknown");
  });
});

describe("unknown", () => {
  test("an engine that is down: no absence, no k3d, and docker's words for the host room", async () => {
    const { facts, calls } = await observed([docker("engine down")]);
    expect(facts.cluster).toMatchObject({
      state: "unknown",
      why: "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
    });
    expect(facts.complaint?.stderr).toContain("Cannot connect");
    expect(calls).toHaveLength(2);
  });

  test("an engine that does not answer", async () => {
    const { facts } = await observed([() => timedOut]);
    expect(facts.cluster).toMatchObject({ state: "unknown", why: "no answer within 10 s" });
    expect(facts.complaint).toBe(timedOut);
  });

  test("a node that is just being removed is looked at until it is gone", async () => {
    let looks = 0;
    const removing: Script = (command) => {
      const left = docker("running")(command);
      if (command.args[1] !== "inspect" || left === undefined || "then" in left) return left;
      looks += 1;
      return { ...left, stdout: left.stdout.replace('"Status":"running"', '"Status":"removing"') };
    };
    const gone: Script = (command) => (looks >= 3 ? docker("absent")(command) : undefined);
    const { facts, events } = await observed([gone, removing, k3d("other clusters only")]);
    expect(facts.cluster).toMatchObject({ state: "known", value: { is: "absent" } });
    expect(events.find(({ type }) => type === "wait")).toMatchObject({
      waitingFor: "cluster tracebloc: k3d-tracebloc-server-0 is being removed",
    });
  });

  test("a list that fails, though the node says No such container", async () => {
    const { inspect } = recorded(dockerAnswers, "absent");
    const failing = exited({ exitCode: 1, stderr: "permission denied" });
    expect((await observed([({ args }) => (args[1] === "ls" ? failing : exited(inspect))])).facts).toMatchObject({
      cluster: { state: "unknown" },
      complaint: failing,
    });
  });

  test("a node that cannot be inspected, though the list is there", async () => {
    const { ls } = recorded(dockerAnswers, "running");
    const failing = exited({ exitCode: 1, stderr: "error during connect: EOF" });
    const { facts } = await observed([({ args }) => (args[1] === "ls" ? exited(ls) : failing)]);
    expect(facts).toMatchObject({
      cluster: { state: "unknown", why: "error during connect: EOF" },
      complaint: failing,
    });
  });

  test("an answer that is not understood", async () => {
    const { ls } = recorded(dockerAnswers, "running");
    expect(
      (await observed([({ args }) => (args[1] === "ls" ? exited(ls) : exited({ stdout: "<no value>" }))])).facts.cluster
        .state,
    ).toBe("unknown");
  });
});
