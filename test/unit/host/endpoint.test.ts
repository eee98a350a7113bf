import { describe, expect, test } from "vitest";

import { isRemote, readSetting, shownEndpoint, socketOf } from "../../../src/host/endpoint.ts";
import { recorded } from "./answers.ts";

const inspect = "docker context inspect";

describe("B17: which engine is asked", () => {
  test.each([
    [
      "nobody decided",
      {},
      "no context chosen",
      { by: "default", context: "default", endpoint: "unix:///var/run/docker.sock" },
    ],
    [
      "the configuration",
      {},
      "the configuration chooses a context",
      { by: "configuration", context: "colima", endpoint: "unix:///home/ann/.colima/default/docker.sock" },
    ],
    [
      "DOCKER_CONTEXT",
      { DOCKER_CONTEXT: "colima" },
      "DOCKER_CONTEXT chooses a context",
      { by: "DOCKER_CONTEXT", context: "colima", endpoint: "unix:///home/ann/.colima/default/docker.sock" },
    ],
    [
      "DOCKER_HOST, before both",
      { DOCKER_HOST: "tcp://192.0.2.7:2376", DOCKER_CONTEXT: "colima" },
      "DOCKER_HOST set",
      { by: "DOCKER_HOST", context: undefined, endpoint: "tcp://192.0.2.7:2376" },
    ],
    [
      "empty variables, which decide nothing",
      { DOCKER_HOST: "", DOCKER_CONTEXT: "" },
      "no context chosen",
      { by: "default", context: "default", endpoint: "unix:///var/run/docker.sock" },
    ],
  ])("%s", (_, environment, situation, setting) => {
    expect(readSetting(environment, recorded(situation, inspect))).toEqual(setting);
  });

  test("without docker, or with Podman's empty answer, only the environment is known", () => {
    expect(readSetting({}, undefined)).toEqual({ by: "default", context: undefined, endpoint: undefined });
    expect(readSetting({ DOCKER_HOST: "unix:///x" }, recorded("docker is Podman", inspect, "podman")).endpoint).toBe(
      "unix:///x",
    );
  });
});

test.each([
  ["unix:///var/run/docker.sock", false],
  ["npipe:////./pipe/docker_engine", false],
  ["fd://", false],
  ["tcp://127.0.0.1:2375", false],
  ["tcp://localhost:2375", false],
  ["tcp://[::1]:2375", false],
  ["http://127.1.2.3:2375", false],
  ["tcp://192.0.2.7:2376", true],
  ["tcp://localhost.example.com:2376", true],
  ["tcp://my-localhost:2376", true],
  ["ssh://ann@192.0.2.7", true],
  ["ssh://localhost", false],
  ["https://docker.example.com", true],
])("%s is on another machine: %s", (endpoint, remote) => {
  expect(isRemote(endpoint)).toBe(remote);
});

test("a password in an endpoint is not shown", () => {
  expect(shownEndpoint("ssh://ann:hunter2@192.0.2.7")).toBe("ssh://192.0.2.7");
  expect(shownEndpoint("ssh://ann@192.0.2.7")).toBe("ssh://ann@192.0.2.7");
  expect(shownEndpoint("unix:///var/run/docker.sock")).toBe("unix:///var/run/docker.sock");
});

test("the socket of an endpoint", () => {
  expect(socketOf("unix:///var/run/docker.sock")).toBe("/var/run/docker.sock");
  expect(socketOf("tcp://127.0.0.1:1")).toBeUndefined();
});
