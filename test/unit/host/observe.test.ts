import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { hostname, release } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import type { HostWishes } from "../../../src/host/facts.ts";
import { engineFailure } from "../../../src/host/failure.ts";
import { helpersIn } from "../../../src/host/helpers.ts";
import { observeHost } from "../../../src/host/observe.ts";
import { planHost } from "../../../src/host/plan.ts";
import { standing } from "../../../src/host/standpoint.ts";
import type { PlatformName } from "../../../src/platform/platform.ts";
import type { RunResult } from "../../../src/process/runner.ts";
import { exited, notStarted, recorded, timedOut } from "./answers.ts";
import { machine, type TestMachine } from "./machine.ts";

function wishes(dataDir: string, datasetDir?: string): HostWishes {
  const origin = { from: "default", name: "default" } as const;
  return { dataDir: { value: dataDir, origin }, datasetDir: { value: datasetDir, origin } };
}

/** Docker as it was recorded in one situation. */
function dockerIn(situation: string, context = "no context chosen"): (line: string) => RunResult {
  return (line) => {
    if (line.startsWith("docker context")) return recorded(context, "docker context inspect");
    if (line.startsWith("docker version")) return recorded(situation, "docker version");
    if (line.startsWith("docker info")) return recorded(situation, "docker info");
    throw new Error(`nobody expected ${line}`);
  };
}

function told(on: TestMachine): string[] {
  return on.events.flatMap((event) =>
    event.type === "fact" ? [`${event.state === "known" ? "" : "? "}${event.about}: ${event.says}`] : [],
  );
}

describe("a machine as it is", () => {
  test("three docker calls, side by side, and nothing else", async () => {
    let running = 0;
    let most = 0;
    const answer = dockerIn("ready");
    const on = machine("linux", async (line) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      running--;
      return answer(line);
    });
    const facts = await observeHost(wishes(join(on.folder, ".tracebloc")), on);
    expect(on.calls.toSorted()).toEqual([
      "docker context inspect --format {{json .}}",
      "docker info --format {{json .}}",
      "docker version --format {{json .}}",
    ]);
    expect(most).toBe(3);
    expect(facts.engine).toMatchObject({ value: { is: "ready", engine: { version: "20.10.24+dfsg1" } } });
    expect(facts.dataDir).toMatchObject({ value: { exists: false, standsOn: on.folder } });
    expect(facts.dataSpace.state).toBe("known");
    expect(planHost(facts, wishes(join(on.folder, ".tracebloc"))).refusals).toEqual([]);
  });

  test("what was seen is told as events", async () => {
    const on = machine("linux", dockerIn("ready"));
    await observeHost(wishes(join(on.folder, "data")), on);
    expect(told(on)).toContain("Engine: Docker 20.10.24 (rootful)");
    expect(told(on)).toContain("Memory: 24 GB");
    expect(told(on)).toContain("CPUs: 2 CPUs");
  });

  test("B08: a stopped engine leaves the rest unknown, and one refusal", async () => {
    const on = machine("linux", dockerIn("no socket at the default place"));
    const asked = wishes(join(on.folder, "data"));
    const facts = await observeHost(asked, on);
    expect(planHost(facts, asked).refusals.map(({ reason }) => reason)).toEqual(["ENGINE_NOT_RUNNING"]);
    expect(told(on)).toEqual(
      expect.arrayContaining([
        "? Memory: not checked: the engine did not answer",
        "? Engine disk: not checked: the engine did not answer",
      ]),
    );
  });

  test("a wedged engine costs its bound, and is named", async () => {
    const on = machine("linux", () => timedOut);
    const asked = wishes(join(on.folder, "data"));
    const { refusals } = planHost(await observeHost(asked, on), asked);
    expect(refusals.map(({ reason }) => reason)).toEqual(["ENGINE_NOT_ANSWERING"]);
  });

  test("no docker at all", async () => {
    const on = machine("macos", (line) =>
      line === "/sbin/mount" ? exited(0, "/dev/disk3s1s1 on / (apfs, local)\n") : notStarted("missing"),
    );
    const asked = wishes(join(on.folder, "data"));
    const facts = await observeHost(asked, on);
    expect(facts.dataMount).toMatchObject({ value: { type: "apfs" } });
    expect(planHost(facts, asked).refusals.map(({ reason }) => reason)).toEqual(["ENGINE_NOT_INSTALLED"]);
  });

  test.each<PlatformName>(["linux", "wsl2", "macos", "windows"])(
    "%s: every question ends in an answer or in why there is none",
    async (name) => {
      const on = machine(name, (line) => (line === "/sbin/mount" ? exited(0, "") : dockerIn("ready")(line)));
      const facts = await observeHost(wishes(join(on.folder, "data"), join(on.folder, "sets")), on);
      expect(told(on)).toHaveLength(11);
      expect(told(on).join("\n")).not.toContain("undefined");
      expect(facts.inotify === undefined).toBe(name === "macos" || name === "windows");
      expect(facts.dataMount.state).toBe(name === "linux" || name === "wsl2" ? "known" : "unknown");
    },
  );

  test.runIf(process.platform === "linux")(
    "the engine's disk is measured only where the engine is certainly here",
    async () => {
      const info = recorded("ready", "docker info");
      const here = {
        ...(JSON.parse(info.stdout) as object),
        Name: hostname(),
        KernelVersion: release(),
        DockerRootDir: "/",
      };
      const answers = (more: object) => (line: string) =>
        line.startsWith("docker info") ? exited(0, JSON.stringify({ ...here, ...more })) : dockerIn("ready")(line);
      const seen = async (name: PlatformName, more: object) => {
        const on = machine(name, answers(more));
        return (await observeHost(wishes(join(on.folder, "data")), on)).engineSpace;
      };
      expect((await seen("linux", {})).state).toBe("known");
      expect(await seen("linux", { Name: "docker-desktop" })).toMatchObject({
        state: "unknown",
        why: "the engine's disk is in a virtual machine",
      });
      expect((await seen("linux", { DockerRootDir: "/nowhere" })).state).toBe("unknown");
      expect(await seen("linux", { Name: "" })).toMatchObject({
        state: "unknown",
        why: "the engine did not name its machine",
      });
    },
  );
});

describe("B47: credential helpers", () => {
  test("are read from both keys, whatever else is in the file", () => {
    expect(helpersIn('{"auths":{},"credsStore":"desktop.exe","credHelpers":{"gcr.io":"gcloud","x":7}}')).toEqual([
      { helper: "desktop.exe", key: "credsStore" },
      { helper: "gcloud", key: "credHelpers of gcr.io" },
    ]);
    const nothing = ["", "no JSON", "[]", '{"credsStore":""}', '{"credHelpers":[]}'].flatMap(helpersIn);
    expect(nothing).toEqual([]);
  });

  test.each(["home", "DOCKER_CONFIG"])("only one that is not on PATH is missing (configuration by %s)", async (by) => {
    const answer = (line: string) => {
      if (line === "docker-credential-desktop.exe version") return notStarted("missing");
      if (line === "docker-credential-pass version") return exited(1, "", "pass not initialized");
      return dockerIn("ready")(line);
    };
    const elsewhere: Record<string, string> = {};
    const on = machine("wsl2", answer, { environment: elsewhere });
    const config = join(on.folder, by === "home" ? ".docker" : "docker-config");
    const environment = by === "home" ? on.environment : { ...on.environment, DOCKER_CONFIG: config };
    mkdirSync(config);
    writeFileSync(join(config, "config.json"), '{"credsStore":"desktop.exe","credHelpers":{"x.example.com":"pass"}}');
    const facts = await observeHost(wishes(join(on.folder, "data")), { ...on, environment });
    expect(facts.missingHelpers).toMatchObject({
      value: [{ helper: "desktop.exe", key: "credsStore", file: join(config, "config.json") }],
    });
  });
});

describe("B26: who may use the socket", () => {
  const groups = "root:x:0:\ndocker:x:998:ann,bea\ncontainers:x:1200:cleo\n";

  test.each([
    ["ann", 998, { group: "docker", listed: true }],
    ["cleo", 998, { group: "docker", listed: false }],
    ["cleo", 1200, { group: "containers", listed: true }],
    ["ann", 0, { group: "docker", listed: true }],
    ["ann", undefined, { group: "docker", listed: true }],
    ["ann", 77, { group: "docker", listed: true }],
  ])("%s at a socket of group %s", (name, gid, expected) => {
    expect(standing(name, groups, gid)).toEqual({ name, ...expected });
  });

  test("without a list of groups it cannot be told", () => {
    expect(standing("ann", "", 998)).toEqual({ name: "ann", group: "docker", listed: undefined });
  });
});

describe("one failed call, explained without a look at everything", () => {
  test("asks only where docker is pointed to", async () => {
    const on = machine("linux", dockerIn("ready"));
    const result = recorded("no socket at the default place", "docker container inspect");
    expect(await engineFailure(result, on)).toMatchObject({ reason: "ENGINE_NOT_RUNNING", room: "host" });
    expect(on.calls).toEqual(["docker context inspect --format {{json .}}"]);
  });

  test("has nothing to say about a container that is not there", async () => {
    const on = machine("linux", dockerIn("ready"));
    expect(await engineFailure(recorded("no such container", "docker container inspect"), on)).toBeUndefined();
    expect(on.calls).toEqual([]);
  });

  test("B17: a socket that DOCKER_HOST names is looked for", async () => {
    const on = machine("linux", dockerIn("ready"), { environment: { DOCKER_HOST: "unix:///run/lab/none.sock" } });
    const result = recorded("DOCKER_HOST names a socket that is not there", "docker container inspect");
    expect((await engineFailure(result, on))?.reason).toBe("ENGINE_WRONG_CONTEXT");

    const socket = join(on.folder, "x.sock");
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(socket, resolve);
    });
    onTestFinished(() => void server.close());
    const there = { ...result, stderr: result.stderr.replace("/run/lab/none.sock", socket) };
    const pointed = { ...on, environment: { ...on.environment, DOCKER_HOST: `unix://${socket}` } };
    expect((await engineFailure(there, pointed))?.reason).toBe("ENGINE_NOT_RUNNING");
  });

  test("of k3d, that it is missing or slow says nothing about the engine; its words do", async () => {
    const on = machine("linux", dockerIn("ready"));
    expect(await engineFailure(notStarted("missing"), on, "k3d")).toBeUndefined();
    expect(await engineFailure(timedOut, on, "k3d")).toBeUndefined();
    const finding = await engineFailure(recorded("DOCKER_API_VERSION is below the engine", "k3d", "k3d"), on, "k3d");
    expect(finding?.says).toContain("k3d speaks version 1.10");
  });
});
