import { describe, expect, test } from "vitest";

import { isOlder, readEngine } from "../../../src/host/engine.ts";
import { answers, exited, notStarted, recorded, timedOut } from "./answers.ts";

function stateIn(situation: string, tool = "docker") {
  return readEngine(recorded(situation, "docker version", tool), recorded(situation, "docker info", tool));
}

const version = recorded("ready", "docker version");
const info = recorded("ready", "docker info");

/** The recorded answer with something else in it. */
function told(result: typeof info, changes: object) {
  return { ...result, stdout: JSON.stringify({ ...(JSON.parse(result.stdout) as object), ...changes }) };
}

describe("the engine's state", () => {
  test("ready, with what it said about itself (docker 28.2.2, engine 20.10.24)", () => {
    expect(readEngine(version, info)).toEqual({
      state: "known",
      value: {
        is: "ready",
        engine: {
          version: "20.10.24+dfsg1",
          api: "1.41",
          system: "Debian GNU/Linux 12 (bookworm)",
          kernel: "6.1.0-lab",
          hostname: "lab.example.com",
          memoryBytes: 25276059648,
          cpus: 2,
          rootDir: "/var/lib/docker",
          rootless: false,
        },
      },
      seen: { how: "docker version, docker info", ms: 20 },
    });
  });

  test.each([
    ["no socket at the default place", "not-running"],
    ["the socket belongs to others", "no-permission"],
    ["Docker Desktop is paused", "paused"],
    ["the engine answers 500 with nothing", "not-answering"],
    ["the engine closes the connection", "not-answering"],
    ["DOCKER_API_VERSION is above the engine", "client-too-new"],
    ["DOCKER_CONTEXT names a context that does not exist", "no-such-context"],
    ["the context of Colima, which is stopped", "not-running"],
    ["Podman answers the Docker API", "podman"],
  ])("in trouble: %s", (situation, kind) => {
    expect(stateIn(situation)).toMatchObject({ state: "known", value: { is: "troubled", trouble: { kind } } });
  });

  test("B08: a document full of zeros is no engine, with exit code 1 and with 0", () => {
    const zeros = recorded("no socket at the default place", "docker info");
    const none = recorded("no socket at the default place", "docker version");
    expect(JSON.parse(zeros.stdout)).toMatchObject({ NCPU: 0, MemTotal: 0, ServerVersion: "" });
    for (const exitCode of [0, 1]) {
      const state = readEngine({ ...none, exitCode }, { ...zeros, exitCode });
      expect(state).toMatchObject({ value: { is: "troubled", trouble: { kind: "not-running" } } });
    }
  });

  test("B08: the complaint of docker up to 28.0 is in the document (docker/cli#5900)", () => {
    const zeros = recorded("no socket at the default place", "docker info");
    const old = told(exited(0, zeros.stdout), {
      ServerErrors: [
        "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
      ],
    });
    expect(readEngine(exited(0, '{"Client":{},"Server":null}'), old)).toMatchObject({
      value: { trouble: { kind: "not-running" } },
    });
  });

  test("B08: zeros without a word are unknown, not stopped", () => {
    const zeros = exited(0, recorded("no socket at the default place", "docker info").stdout);
    expect(readEngine(exited(0, '{"Client":{},"Server":null}'), zeros).state).toBe("unknown");
  });

  test("Podman in docker's place is recognised by its own document (4.3.1)", () => {
    expect(stateIn("docker is Podman", "podman")).toMatchObject({
      value: { trouble: { kind: "podman", version: "4.3.1" } },
    });
  });

  test("an engine that is older than k3d wants", () => {
    const old = told(version, { Server: { Version: "19.03.15", ApiVersion: "1.40", Os: "linux" } });
    expect(readEngine(old, info)).toMatchObject({
      value: { trouble: { kind: "engine-too-old", version: "19.03.15", api: "1.40" } },
    });
  });

  test("Windows containers", () => {
    const windows = told(version, { Server: { Version: "28.0.4", ApiVersion: "1.48", Os: "windows" } });
    expect(readEngine(windows, info)).toMatchObject({ value: { trouble: { kind: "windows-containers" } } });
  });

  test("one answer is enough to be alive; what the other would have told is not known", () => {
    expect(readEngine(version, timedOut)).toMatchObject({
      value: { is: "ready", engine: { memoryBytes: undefined, cpus: undefined } },
    });
    expect(readEngine(timedOut, info)).toMatchObject({ value: { is: "ready", engine: { api: undefined, cpus: 2 } } });
  });

  test("B08: zeros beside a version are not known, and not 0 GB", () => {
    const zeros = recorded("no socket at the default place", "docker info");
    const engine = { memoryBytes: undefined, cpus: undefined, rootDir: undefined, hostname: undefined };
    expect(readEngine(version, zeros)).toMatchObject({ value: { is: "ready", engine } });
  });

  test("of two complaints the one that says more counts", () => {
    const denied = recorded("the socket belongs to others", "docker info");
    expect(readEngine(timedOut, denied)).toMatchObject({ value: { trouble: { kind: "no-permission" } } });
    expect(readEngine(timedOut, timedOut)).toMatchObject({
      value: { trouble: { kind: "not-answering", how: "silent" } },
    });
  });

  test("rootless engines say so", () => {
    const rootless = told(info, {
      SecurityOptions: ["name=seccomp,profile=builtin", "name=rootless", "name=cgroupns"],
    });
    expect(readEngine(version, rootless)).toMatchObject({ value: { engine: { rootless: true } } });
  });

  test("no docker at all", () => {
    expect(readEngine(notStarted("missing"), notStarted("missing"))).toMatchObject({
      value: { trouble: { kind: "not-installed" } },
    });
  });

  test("every recorded pair of answers leads to a state without throwing", () => {
    for (const { situation, tool } of answers.filter(
      ({ command }) => command.startsWith("docker version") && command.includes("json"),
    )) {
      expect(stateIn(situation, tool).state).toBe("known");
    }
  });
});

test("API versions are compared as numbers", () => {
  expect(isOlder("1.9", "1.41")).toBe(true);
  expect(isOlder("1.41", "1.41")).toBe(false);
  expect(isOlder("1.100", "1.41")).toBe(false);
  expect(isOlder("2.0", "1.41")).toBe(false);
});
