import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { describe, expect, test } from "vitest";

import { pinFor, toolVersions, type Tool } from "../../../src/config/pins.ts";
import type { Wishes } from "../../../src/config/wishes.ts";
import { known, notYet } from "../../../src/engine/fact.ts";
import { Failure } from "../../../src/engine/finding.ts";
import type { Done } from "../../../src/engine/plan.ts";
import { execaRunner } from "../../../src/process/execa-runner.ts";
import type { RunResult } from "../../../src/process/runner.ts";
import { toolPerformers } from "../../../src/tools/actions.ts";
import { toolPath, type ToolFacts, type ToolState } from "../../../src/tools/facts.ts";
import { fetchedPath, observeTools } from "../../../src/tools/observe.ts";
import { planTools, type Fetch, type ToolAction } from "../../../src/tools/plan.ts";
import { exited, notStarted, recorded, timedOut } from "../host/answers.ts";
import { machine, type TestMachine } from "../host/machine.ts";
import { inTurn, file, serve, status } from "./servers.ts";

const nothingWished: Pick<Wishes, "downloadBase"> = {
  downloadBase: { value: undefined, origin: { from: "default", name: "default" } },
};
const performer = toolPerformers["tools.fetch"];

const k3dAnswer = exited(0, "k3d version v5.9.0\nk3s version v1.35.5-k3s1 (default)\n");
const helmAnswer = exited(0, "v4.2.3");

describe("looking for tools", () => {
  test("those that nothing needs are not run at all", async () => {
    const on = machine("linux", () => k3dAnswer);
    const facts = await observeTools([], on);
    expect(on.calls).toEqual([]);
    expect(facts.k3d).toMatchObject({ state: "unknown", why: "not asked: nothing needs k3d" });
  });

  test("good ones on PATH are taken, each asked once", async () => {
    const on = machine("linux", (line) => (line.startsWith("k3d") ? k3dAnswer : helmAnswer));
    const facts = await observeTools(["k3d", "helm"], on);
    expect(on.calls.toSorted()).toEqual(["helm version --template {{.Version}}", "k3d version"]);
    expect([toolPath(facts, "k3d"), toolPath(facts, "helm"), toolPath(facts, "kubectl")]).toEqual([
      "k3d",
      "helm",
      undefined,
    ]);
    expect(facts.helm).toMatchObject({ value: { usable: { version: "4.2.3", from: "PATH" }, skipped: [] } });
  });

  test("what was seen before stays, for tools that are not asked for now", async () => {
    const on = machine("linux", () => helmAnswer);
    const before = await observeTools(["helm"], on);
    const after = await observeTools(
      ["k3d"],
      machine("linux", () => k3dAnswer),
      before,
    );
    expect([toolPath(after, "k3d"), toolPath(after, "helm")]).toEqual(["k3d", "helm"]);
  });

  test.each<[string, Tool, RunResult, string | undefined]>([
    ["missing", "k3d", notStarted("missing"), undefined],
    [
      "too old for Docker 29 (B04)",
      "k3d",
      exited(0, "k3d version v5.6.0\n"),
      "k3d on PATH is 5.6.0, which is older than 5.6.3: older ones cannot talk to Docker 29",
    ],
    ["helm 2 (B34)", "helm", exited(0, "<no value>"), 'helm on PATH gives no version: "<no value>"'],
    [
      "not for this machine (#411)",
      "k3d",
      notStarted("wrong-architecture"),
      "k3d on PATH is built for another kind of machine",
    ],
    ["without its execute bit", "helm", notStarted("not-executable"), "helm on PATH is not executable"],
    ["hanging", "helm", timedOut, "helm on PATH did not answer within 10 s"],
    [
      "failing",
      "k3d",
      exited(1, "", "FATA[0000] cannot read config\n"),
      "k3d on PATH does not run: FATA[0000] cannot read config",
    ],
    ["empty output with exit 0 (B02)", "helm", exited(0, ""), 'helm on PATH gives no version: ""'],
  ])("one on PATH that is %s is skipped, and the one we fetched is taken", async (_, tool, answer, why) => {
    const good = tool === "k3d" ? k3dAnswer : helmAnswer;
    const on = machine("linux", (line) => (line.startsWith(tool) ? answer : good));
    const facts = await observeTools([tool], on);
    expect(facts[tool]).toMatchObject({
      value: { usable: { from: "fetched" }, skipped: why === undefined ? [] : [why] },
    });
    expect(toolPath(facts, tool)).toBe(join(on.state.tools, `${tool}-${toolVersions[tool].slice(1)}-linux-amd64`));
  });
});

test("B17: a k3d that Docker's context keeps from telling its version is not known to be bad, and nothing is fetched for it", async () => {
  const answer = recorded("DOCKER_CONTEXT names a context that does not exist", "k3d", "k3d");
  const facts = await observeTools(
    ["k3d"],
    machine("linux", () => answer),
  );
  expect(facts.k3d).toMatchObject({ state: "unknown", why: expect.stringContaining('context "absent"') as string });
  expect(planTools(facts, ["k3d"], nothingWished).actions).toEqual([]);
});

describe("planning what to fetch", () => {
  const pin = (tool: Tool) => pinFor(tool, "linux", "amd64");
  const state = (tool: Tool, changes: Partial<ToolState> = {}): ToolState => ({
    usable: undefined,
    skipped: [],
    pin: pin(tool),
    ...changes,
  });
  const usable = (tool: Tool) => known(state(tool, { usable: { command: tool, version: "1", from: "PATH" } }), "x");
  const facts = (changes: Partial<ToolFacts>): ToolFacts => ({
    k3d: usable("k3d"),
    helm: usable("helm"),
    kubectl: notYet("nothing needs it"),
    ...changes,
  });

  test("nothing, where all that is needed is there", () => {
    expect(planTools(facts({}), ["k3d", "helm"], nothingWished)).toEqual({
      actions: [],
      then: [],
      refusals: [],
      warnings: [],
    });
  });

  test("exactly the pinned files, both in one action, with the reasons", () => {
    const { actions } = planTools(
      facts({
        k3d: known(state("k3d"), "x"),
        helm: known(state("helm", { skipped: ["helm on PATH is too old"] }), "x"),
      }),
      ["k3d", "helm"],
      nothingWished,
    );
    expect(actions).toEqual([
      {
        do: "tools.fetch",
        because: "k3d is not on PATH; helm on PATH is too old",
        tools: [
          { ...pin("k3d"), version: "5.9.0" },
          { ...pin("helm"), version: "4.2.3" },
        ],
      },
    ]);
  });

  test("a tool that nothing needs is not fetched", () => {
    expect(planTools(facts({ k3d: known(state("k3d"), "x") }), ["helm"], nothingWished).actions).toEqual([]);
  });

  test.each(["https://mirror.example.com/tools", "https://mirror.example.com/tools/"])(
    "from a mirror, under its own name and with the same digest: %s",
    (base) => {
      const mirror = { downloadBase: { value: base, origin: { from: "flag", name: "x" } } } as const;
      const [action] = planTools(facts({ helm: known(state("helm"), "x") }), ["helm"], mirror).actions;
      expect(action?.tools[0]).toMatchObject({
        url: "https://mirror.example.com/tools/helm-v4.2.3-linux-amd64.tar.gz",
        sha256: pin("helm")?.sha256,
      });
    },
  );

  test("one that was not looked at is decided on later", () => {
    expect(planTools(facts({ k3d: notYet("x") }), ["k3d"], nothingWished)).toMatchObject({
      actions: [],
      then: ["fetch k3d, if this machine has none that can be used"],
      refusals: [],
    });
  });

  test("where nothing is pinned for the machine, a person brings it", () => {
    const { refusals } = planTools(
      facts({ k3d: known(state("k3d", { pin: undefined }), "x") }),
      ["k3d"],
      nothingWished,
    );
    expect(refusals).toMatchObject([
      { reason: "TOOL_MISSING", says: "k3d is not on PATH, and none is known for this kind of machine" },
    ]);
    const broken = planTools(
      facts({ k3d: known(state("k3d", { pin: undefined, skipped: ["k3d on PATH is too old"] }), "x") }),
      ["k3d"],
      nothingWished,
    );
    expect(broken.refusals).toMatchObject([{ reason: "TOOL_UNUSABLE" }]);
  });

  test("what was fetched in this run and does not run all the same is not fetched again", () => {
    const action: ToolAction = {
      do: "tools.fetch",
      because: "",
      tools: [{ ...(pin("k3d") as Fetch), version: "5.9.0" }],
    };
    const done: Done<ToolAction>[] = [{ action, proof: known({ holds: false, says: "" }, "x") }];
    const stubborn = facts({
      k3d: known(state("k3d", { skipped: ["the fetched k3d is built for another kind of machine"] }), "x"),
    });
    expect(planTools(stubborn, ["k3d"], nothingWished, done)).toMatchObject({
      actions: [],
      refusals: [{ reason: "TOOL_UNUSABLE" }],
    });
  });
});

describe("fetching", () => {
  /** A program that tells a version, as large as real ones are. */
  function program(says: string, bytes = 10_500_000): Buffer {
    return Buffer.concat([Buffer.from(`#!/bin/sh\necho '${says}'\nexit 0\n`), Buffer.alloc(bytes, "#")]);
  }

  /** Programs of ours are really run; there are none on PATH. */
  function real(on: TestMachine): TestMachine {
    const runner = execaRunner({ redact: (text) => text, log: () => {} });
    return {
      ...on,
      runner: {
        ...runner,
        run: async (command) => (command.file.includes("/") ? runner.run(command) : notStarted("missing")),
      },
    };
  }

  function fetchOf(tool: Tool, url: string, bytes: Buffer): Fetch {
    return {
      tool,
      os: "linux",
      arch: "amd64",
      url,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      version: toolVersions[tool].slice(1),
    };
  }

  const k3d = program("k3d version v5.9.0");
  const action = (...tools: Fetch[]): ToolAction => ({ do: "tools.fetch", because: "k3d is not on PATH", tools });

  async function failureOf(fetch: ToolAction, on: TestMachine) {
    const error: unknown = await performer.perform(fetch, on).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof Failure)) throw new Error(`no Failure: ${String(error)}`);
    expect(error.finding.remedies).not.toEqual([]);
    return error.finding;
  }

  test("a program is put in its place whole, runs, and is found by the next look", async () => {
    const { url } = await serve(file(k3d));
    const on = real(machine("linux", () => exited(1)));
    const fetch = action(fetchOf("k3d", `${url}/k3d-linux-amd64`, k3d));
    await performer.perform(fetch, on);
    expect(await performer.prove(fetch, on)).toMatchObject({
      state: "known",
      value: { holds: true, says: "k3d 5.9.0 (fetched, verified)" },
    });
    expect(readdirSync(on.state.tools)).toEqual(["k3d-5.9.0-linux-amd64"]);
    expect(statSync(fetchedPath(fetchOf("k3d", url, k3d), on)).mode & 0o777).toBe(0o755);
    expect(statSync(on.state.tools).mode & 0o777).toBe(0o700);
    const progress = on.events.flatMap((event) => (event.type === "wait" ? [event.waitingFor] : []));
    expect(progress[0]).toMatch(/^k3d \d+\.\d of 11 MB$/);

    const found = await observeTools(["k3d"], on);
    expect(found.k3d).toMatchObject({ value: { usable: { version: "5.9.0", from: "fetched" } } });
  });

  test("several are fetched side by side", async () => {
    const waiting: (() => void)[] = [];
    // The first answer comes when the second request is there: one after the other they would wait for ever.
    const { url } = await serve((request, response) => {
      waiting.push(() => file(k3d)(request, response));
      if (waiting.length === 2) for (const go of waiting) go();
    });
    const on = real(machine("linux", () => exited(1)));
    await performer.perform(action(fetchOf("k3d", `${url}/a`, k3d), fetchOf("kubectl", `${url}/b`, k3d)), on);
    expect(readdirSync(on.state.tools)).toHaveLength(2);
  });

  test("a copy of ours that does not run is replaced (#411)", async () => {
    const { url } = await serve(file(k3d));
    const on = real(machine("linux", () => exited(1)));
    const fetch = fetchOf("k3d", `${url}/k3d-linux-amd64`, k3d);
    const path = fetchedPath(fetch, on);
    mkdirSync(dirname(path), { recursive: true });
    // The head of a program for s390x.
    writeFileSync(path, Buffer.from("7f454c4602020100000000000000000000020016", "hex"));
    chmodSync(path, 0o755);
    const before = await observeTools(["k3d"], on);
    expect(before.k3d).toMatchObject({
      value: { usable: undefined, skipped: ["the fetched k3d is built for another kind of machine"] },
    });
    await performer.perform(action(fetch), on);
    expect(await performer.prove(action(fetch), on)).toMatchObject({ value: { holds: true } });
  });

  test("one that came whole and does not run is not proven", async () => {
    const broken = program("not a version");
    const { url } = await serve(file(broken));
    const on = real(machine("linux", () => exited(1)));
    const fetch = action(fetchOf("k3d", `${url}/k3d`, broken));
    await performer.perform(fetch, on);
    expect(await performer.prove(fetch, on)).toMatchObject({
      value: { holds: false, says: 'k3d gives no version: "not a version"' },
    });
  });

  test("another file than the pinned one: TOOL_MISMATCH, both digests, nothing in its place", async () => {
    const { url } = await serve(file(program("evil")));
    const on = machine("linux", () => exited(1));
    const fetch = fetchOf("k3d", `${url}/k3d-linux-amd64`, k3d);
    const finding = await failureOf(action(fetch), on);
    expect(finding.reason).toBe("TOOL_MISMATCH");
    expect(finding.says).toContain(`expected sha256 ${fetch.sha256}, found `);
    expect(readdirSync(on.state.tools)).toEqual([]);
  });

  test("one that fails does not take back the other", async () => {
    const { url } = await serve((request, response) =>
      (request.url === "/k3d" ? file(k3d) : status(404))(request, response),
    );
    const on = real(machine("linux", () => exited(1)));
    const finding = await failureOf(
      action(fetchOf("helm", `${url}/helm.tar.gz`, k3d), fetchOf("k3d", `${url}/k3d`, k3d)),
      on,
    );
    expect(finding).toMatchObject({ reason: "DOWNLOAD_FAILED", room: "tools" });
    expect(finding.says).toMatch(/^helm could not be fetched: 127\.0\.0\.1:\d+ answers 404 for \/helm\.tar\.gz$/);
    expect(finding.remedies.at(-1)?.command).toContain("TRACEBLOC_DOWNLOAD_BASE");
    expect(readdirSync(on.state.tools)).toEqual(["k3d-5.9.0-linux-amd64"]);
  });

  test("an archive without the program is said to be one", async () => {
    const { url } = await serve(file(k3d));
    const finding = await failureOf(
      action(fetchOf("helm", `${url}/helm-v4.2.3-linux-amd64.tar.gz`, k3d)),
      machine("linux", () => exited(1)),
    );
    expect(finding.says).toContain("its archive cannot be used: it does not unpack");
  });

  test("Ctrl-C ends a download that hangs, at once", async () => {
    const stop = new AbortController();
    const { url } = await serve(() => stop.abort(new Error("stopped")));
    const on = machine("linux", () => exited(1), { stop: stop.signal });
    await expect(performer.perform(action(fetchOf("k3d", `${url}/k3d`, k3d)), on)).rejects.toThrow("stopped");
    expect(existsSync(join(on.state.tools, "k3d-5.9.0-linux-amd64"))).toBe(false);
  });

  test("the end of the run's time ends it too, and is named", async () => {
    const { url } = await serve(inTurn(() => {}));
    const on = machine("linux", () => exited(1), { deadline: performance.now() + 300 });
    const finding = await failureOf(action(fetchOf("k3d", `${url}/k3d`, k3d)), on);
    expect(finding.reason).toBe("DEADLINE");
    expect(finding.remedies[0]?.says).toContain("--timeout");
  });
});
