import { describe, expect, test } from "vitest";

import { engineTrouble, troubleIn } from "../../../src/host/trouble.ts";
import { answers, exited, notStarted, recorded, resultOf, timedOut } from "./answers.ts";

/** What each recorded situation is called by every tool that met it. */
const kinds: Record<string, string | undefined> = {
  "no socket at the default place": "not-running",
  "DOCKER_HOST names a socket that is not there": "not-running",
  "DOCKER_HOST names a socket nobody listens on": "not-running",
  "the socket belongs to others": "no-permission",
  "DOCKER_HOST names a loopback port nobody listens on": "not-running",
  "DOCKER_HOST is no endpoint": "no-such-endpoint",
  "DOCKER_CONTEXT names a context that does not exist": "no-such-context",
  "DOCKER_API_VERSION is above the engine": "client-too-new",
  "DOCKER_API_VERSION is below the engine": "client-too-old",
  "the engine is newer than the client": "client-too-old",
  "the engine answers 500 with nothing": "not-answering",
  "Docker Desktop hangs while starting": "not-answering",
  "Docker Desktop is paused": "paused",
  "Docker Desktop cannot start": "not-running",
  "Docker Desktop for Windows is stopped": "not-running",
  "the engine closes the connection": "not-answering",
  "the credential helper is missing": "credential-helper",
  "no context chosen": undefined,
  "DOCKER_HOST set": undefined,
  "DOCKER_CONTEXT chooses a context": undefined,
  "the context of Colima, which is stopped": "not-running",
  "the configuration chooses a context": undefined,
  "the configuration chooses a remote context": undefined,
  ready: undefined,
  "no such container": undefined,
  "Podman answers the Docker API": undefined,
  "docker is Podman": "podman",
};

describe("what a failed call says about the engine", () => {
  const named = answers.map((answer) => ({
    ...answer,
    name: `${answer.tool} ${answer.version}, ${answer.command}: ${answer.situation}`,
  }));
  // `docker context inspect` asks no engine: it has nothing to say about one.
  test.each(named.filter(({ command }) => !command.startsWith("docker context")))("$name", (answer) => {
    expect(Object.keys(kinds)).toContain(answer.situation);
    expect(engineTrouble(resultOf(answer))?.kind).toBe(kinds[answer.situation]);
  });

  test("B26: the place of the socket is told, by old words and new ones", () => {
    for (const stderr of [
      recorded("the socket belongs to others", "docker info").stderr,
      recorded("the socket belongs to others", "info", "moby").stderr,
    ]) {
      expect(troubleIn(stderr)).toMatchObject({ kind: "no-permission", at: "unix:///run/lab/dead.sock" });
    }
  });

  test("B04: both versions are told, out of k3d's long line", () => {
    const answer = answers.find(({ situation }) => situation === "the engine is newer than the client");
    expect(troubleIn(answer?.stderr ?? "")).toMatchObject({ kind: "client-too-old", client: "1.43", engine: "1.44" });
  });

  test("B47: the helper is told", () => {
    expect(troubleIn(recorded("the credential helper is missing", "docker run").stderr)).toMatchObject({
      kind: "credential-helper",
      helper: "desktop.exe",
    });
  });

  test("k3d's colours are not part of what was said", () => {
    const said = engineTrouble(recorded("no socket at the default place", "k3d", "k3d"))?.said ?? "";
    expect(said).toMatch(/^FATA\[0000\] runtime failed/);
    expect(said).not.toContain("\u001b");
  });

  test("a deadline of ours is silence, our own cancelling is nothing", () => {
    expect(engineTrouble(timedOut)).toMatchObject({ kind: "not-answering", how: "silent", afterMs: 10_000 });
    expect(engineTrouble({ ...timedOut, outcome: "cancelled" })).toBeUndefined();
  });

  test("a missing docker is told from one that does not run", () => {
    expect(engineTrouble(notStarted("missing"))?.kind).toBe("not-installed");
    expect(engineTrouble(notStarted("wrong-architecture"))).toMatchObject({
      kind: "client-unusable",
      how: "wrong-architecture",
    });
  });

  test("an error of the engine about something else is an answer", () => {
    expect(
      engineTrouble(exited(1, "", "Error response from daemon: Conflict. The container name is already in use\n")),
    ).toBeUndefined();
    expect(engineTrouble(exited(1, "", ""))).toBeUndefined();
  });
});
