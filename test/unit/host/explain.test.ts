import { execFileSync } from "node:child_process";

import { describe, expect, test } from "vitest";

import { engineFinding, remoteEngine, type Standpoint } from "../../../src/host/explain.ts";
import { engineTrouble, type EngineTrouble } from "../../../src/host/trouble.ts";
import type { PlatformName } from "../../../src/platform/platform.ts";
import { answers, recorded, resultOf, standpointOn } from "./answers.ts";

function troubleOf(situation: string, command: string, tool = "docker"): EngineTrouble {
  const trouble = engineTrouble(recorded(situation, command, tool));
  if (trouble === undefined) throw new Error(`nothing recognised: ${situation}`);
  return trouble;
}

/** A finding without its evidence: reason, sentence and commands. */
function told(trouble: EngineTrouble, from: Standpoint, asked: "docker" | "k3d" = "docker") {
  const { reason, says, remedies } = engineFinding(trouble, from, asked);
  return { reason, says, commands: remedies.flatMap(({ command }) => command ?? []) };
}

describe("B08: the engine is stopped", () => {
  const stopped: EngineTrouble = { kind: "not-running", said: "" };

  test.each<[PlatformName, string, string]>([
    ["linux", "Docker", "sudo systemctl start docker"],
    ["wsl2", "Docker", "sudo service docker start"],
    ["macos", "Docker Desktop", "open -a Docker"],
    ["windows", "Docker Desktop", 'Start-Process "$env:ProgramFiles\\Docker\\Docker\\Docker Desktop.exe"'],
  ])("%s: %s is started with %s", (name, product, command) => {
    expect(told(stopped, standpointOn(name))).toEqual({
      reason: "ENGINE_NOT_RUNNING",
      says: `${product} is installed but not running`,
      commands: [command],
    });
  });

  test("another engine that is there is offered", () => {
    const from = standpointOn("linux", { sockets: ["unix:///run/user/1000/docker.sock"] });
    expect(told(stopped, from).commands).toEqual([
      "sudo systemctl start docker",
      "export DOCKER_HOST=unix:///run/user/1000/docker.sock",
    ]);
  });

  test("the engine of a context that is known is started as that one is", () => {
    const setting = {
      by: "configuration",
      context: "colima",
      endpoint: "unix:///Users/ann/.colima/default/docker.sock",
    } as const;
    expect(told({ ...stopped, at: setting.endpoint }, standpointOn("macos", { setting }))).toEqual({
      reason: "ENGINE_NOT_RUNNING",
      says: "Colima is installed but not running",
      commands: ["colima start"],
    });
  });

  test("Docker Desktop is paused: the engine is well, and resumed by hand", () => {
    expect(told(troubleOf("Docker Desktop is paused", "docker info"), standpointOn("macos"))).toEqual({
      reason: "ENGINE_NOT_RUNNING",
      says: "Docker Desktop is paused",
      commands: ["docker desktop restart"],
    });
  });
});

describe("B17: the endpoint that was named", () => {
  const endpoint = "unix:///run/lab/none.sock";
  const named = { by: "DOCKER_HOST", context: undefined, endpoint } as const;

  test("a socket that is not there is the wrong one", () => {
    const trouble = troubleOf("DOCKER_HOST names a socket that is not there", "docker info");
    expect(told(trouble, standpointOn("linux", { setting: named }))).toEqual({
      reason: "ENGINE_WRONG_CONTEXT",
      says: "DOCKER_HOST names unix:///run/lab/none.sock, where no engine is",
      commands: ["unset DOCKER_HOST"],
    });
  });

  test("a socket that is there, with nobody behind it, is an engine that is stopped", () => {
    const trouble = troubleOf("DOCKER_HOST names a socket nobody listens on", "docker info");
    const setting = { ...named, endpoint: "unix:///run/lab/dead.sock" };
    const finding = told(trouble, standpointOn("linux", { setting, sockets: [setting.endpoint] }));
    expect(finding.reason).toBe("ENGINE_NOT_RUNNING");
    expect(finding.commands).toContain("unset DOCKER_HOST");
  });

  test("a port of this machine that nobody listens on", () => {
    const trouble = troubleOf("DOCKER_HOST names a loopback port nobody listens on", "docker info");
    const setting = { ...named, endpoint: "tcp://127.0.0.1:1" };
    expect(told(trouble, standpointOn("linux", { setting })).reason).toBe("ENGINE_WRONG_CONTEXT");
  });

  test("a context that does not exist, chosen by DOCKER_CONTEXT or by the configuration", () => {
    const trouble = troubleOf("DOCKER_CONTEXT names a context that does not exist", "docker info");
    const by = (who: "DOCKER_CONTEXT" | "configuration") =>
      standpointOn("windows", { setting: { by: who, context: "absent", endpoint: undefined } });
    expect(told(trouble, by("DOCKER_CONTEXT"))).toEqual({
      reason: "ENGINE_WRONG_CONTEXT",
      says: "DOCKER_CONTEXT names the context absent, which does not exist",
      commands: ["Remove-Item Env:DOCKER_CONTEXT", "docker context ls"],
    });
    expect(told(trouble, by("configuration")).commands[0]).toBe("docker context use default");
  });

  test("an engine on another machine is refused though it answers: it would mount that machine's directories", () => {
    const setting = { by: "configuration", context: "far", endpoint: "ssh://ann:hunter2@192.0.2.7" } as const;
    const finding = remoteEngine(standpointOn("linux", { setting }));
    expect(finding).toMatchObject({
      reason: "ENGINE_WRONG_CONTEXT",
      remedies: [{ command: "docker context use default" }],
    });
    expect(finding?.says).toContain("ssh://192.0.2.7");
    expect(JSON.stringify(finding)).not.toContain("hunter2");
  });

  test("a port of this machine is this machine", () => {
    expect(
      remoteEngine(standpointOn("wsl2", { setting: { ...named, endpoint: "tcp://127.0.0.1:2375" } })),
    ).toBeUndefined();
  });
});

describe("B26: the socket belongs to others", () => {
  const denied = troubleOf("the socket belongs to others", "docker info");

  test("a user outside the group is told to join it, and never to run this with sudo", () => {
    const { reason, commands } = told(denied, standpointOn("linux"));
    expect(reason).toBe("ENGINE_NO_PERMISSION");
    expect(commands).toEqual(["sudo usermod -aG docker ann", "newgrp docker"]);
    expect(commands.join(" ")).not.toContain("tracebloc");
  });

  test("a user in the group already has an old session", () => {
    const from = standpointOn("linux", { user: { name: "ann", group: "docker", listed: true } });
    expect(told(denied, from).commands).toEqual(["newgrp docker"]);
  });

  test("Windows has a group of its own for it", () => {
    const pipe: EngineTrouble = { kind: "no-permission", at: "npipe:////./pipe/docker_engine", said: "" };
    expect(told(pipe, standpointOn("windows")).commands).toEqual(["net localgroup docker-users ann /add"]);
  });
});

describe("B04: docker or k3d and the engine are of different ages", () => {
  const tooOld: EngineTrouble = { kind: "client-too-old", client: "1.43", engine: "1.44", said: "" };

  test("k3d is named, not docker: docker itself works", () => {
    const finding = engineFinding(tooOld, standpointOn("linux"), "k3d");
    expect(finding.reason).toBe("TOOL_UNUSABLE");
    expect(finding.says).toBe("k3d speaks version 1.43 of Docker's API, and this engine nothing before 1.44");
    expect(finding.remedies[0]?.says).toContain("update k3d");
  });

  test("the variable is named only where it is set", () => {
    expect(told(tooOld, standpointOn("linux", { apiVersionSet: true })).commands).toEqual(["unset DOCKER_API_VERSION"]);
    expect(told(tooOld, standpointOn("linux"), "k3d").commands).toEqual([]);
  });

  test("an engine that is too old for docker itself", () => {
    expect(told({ ...tooOld, kind: "client-too-new" }, standpointOn("linux")).reason).toBe("ENGINE_TOO_OLD");
  });
});

test("B47: the helper and the two keys are named, and nothing is edited", () => {
  const finding = engineFinding(troubleOf("the credential helper is missing", "docker run"), standpointOn("wsl2"));
  expect(finding.reason).toBe("ENGINE_CREDENTIAL_HELPER");
  expect(finding.says).toContain("docker-credential-desktop.exe");
  expect(finding.remedies[0]?.says).toMatch(/credsStore and credHelpers/);
});

test.each<[PlatformName, string | undefined]>([
  ["linux", "sudo systemctl restart docker"],
  ["macos", "open -a Docker"],
  ["windows", undefined],
])("a wedged engine is restarted on %s with %s", (name, command) => {
  const finding = engineFinding(
    { kind: "not-answering", how: "silent", afterMs: 10_000, said: "" },
    standpointOn(name),
  );
  expect(finding.reason).toBe("ENGINE_NOT_ANSWERING");
  expect(finding.says).toBe("the container engine did not answer within 10 s");
  expect(finding.remedies[0]?.command).toBe(command);
});

describe("every trouble that was recorded", () => {
  const troubles = answers.flatMap((answer) => engineTrouble(resultOf(answer)) ?? []);
  const everywhere = (["linux", "wsl2", "macos", "windows"] as const).flatMap((name) =>
    (["default", "DOCKER_HOST", "DOCKER_CONTEXT", "configuration"] as const).map((by) =>
      standpointOn(name, { setting: { by, context: "colima", endpoint: "unix:///run/lab/none.sock" } }),
    ),
  );
  const findings = everywhere.flatMap((from) =>
    troubles.map((trouble) => ({ from, finding: engineFinding(trouble, from) })),
  );

  test("has a sentence, evidence and something to do on every platform", () => {
    for (const { finding } of findings) {
      expect(finding.remedies.length).toBeGreaterThan(0);
      expect(finding.details?.length ?? 0).toBeLessThan(2);
      expect(finding.says).not.toMatch(/undefined|\n/);
    }
  });

  test("has commands that a POSIX shell can read", () => {
    const commands = findings
      .filter(({ from }) => from.platform.shell === "sh")
      .flatMap(({ finding }) => finding.remedies.flatMap(({ command }) => command ?? []));
    const script = [...new Set(commands)].join("\n");
    // On Windows the same remedies are for PowerShell.
    expect(() => execFileSync("sh", ["-n"], { input: script })).not.toThrow();
  });
});
