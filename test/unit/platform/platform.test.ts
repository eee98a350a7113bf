import { describe, expect, test } from "vitest";

import { asEnvironment } from "../../../src/platform/environment.ts";
import { knownEngines } from "../../../src/platform/engines.ts";
import { detectPlatform, type Host } from "../../../src/platform/platform.ts";
import {
  defaultDataDirectory,
  defaultStateDirectory,
  homeDirectory,
  isWithin,
  whyNotForData,
} from "../../../src/platform/places.ts";
import { environments, platformNames, platformOf } from "./personalities.ts";

const host = (changes: Partial<Host>): Host => ({
  nodePlatform: "linux",
  nodeArch: "x64",
  environment: {},
  readText: () => undefined,
  ...changes,
});

describe("detection", () => {
  test.each([
    ["linux", "Linux x64", "linux", "amd64"],
    ["macos", "macOS arm64", "darwin", "arm64"],
    ["windows", "Windows x64", "windows", "amd64"],
    ["wsl2", "WSL2 x64 (Ubuntu)", "linux", "amd64"],
  ] as const)("%s is called %s and takes the tools of %s/%s", (name, label, os, arch) => {
    expect(platformOf(name)).toMatchObject({ name, label, tools: { os, arch } });
  });

  test("WSL2 is recognised by the kernel where sudo has dropped its variables", () => {
    const readText = (path: string) =>
      path === "/proc/version" ? "Linux version 5.15.167.4-microsoft-standard-WSL2" : undefined;
    expect(detectPlatform(host({ readText }))).toMatchObject({ name: "wsl2", label: "WSL2 x64" });
  });

  test("a Linux whose kernel cannot be asked is a Linux", () => {
    expect(detectPlatform(host({}))?.name).toBe("linux");
  });

  test("an x64 Node on an Apple processor gets the tools of that processor, not of Rosetta", () => {
    const rosetta = host({ nodePlatform: "darwin", cpuModel: () => "VirtualApple @ 2.50GHz" });
    expect(detectPlatform(rosetta)).toMatchObject({ label: "macOS arm64", tools: { arch: "arm64" } });
  });

  test("a processor model that cannot be told leaves what Node says", () => {
    const unknown = host({ nodePlatform: "darwin", cpuModel: () => undefined });
    expect(detectPlatform(unknown)).toMatchObject({ label: "macOS x64", tools: { arch: "amd64" } });
  });

  test("a processor without tool releases is named, and has no tools", () => {
    expect(detectPlatform(host({ nodeArch: "riscv64" }))).toMatchObject({
      label: "Linux riscv64",
      tools: { arch: undefined },
    });
  });

  test.each(["freebsd", "sunos", "aix", "android"])("%s is no platform of this program", (nodePlatform) => {
    expect(detectPlatform(host({ nodePlatform }))).toBeUndefined();
  });

  test("Git Bash runs the Node of Windows and pastes into sh", () => {
    const platform = detectPlatform(host({ nodePlatform: "win32", environment: { MSYSTEM: "MINGW64" } }));
    expect(platform).toMatchObject({ name: "windows", shell: "sh" });
  });

  test("path rules follow the platform, not the machine that runs this test", () => {
    expect(platformOf("windows").path.join("C:\\a", "b")).toBe("C:\\a\\b");
    expect(platformOf("linux").path.join("/a", "b")).toBe("/a/b");
  });
});

describe("places", () => {
  test.each([
    ["linux", "/home/mia/.local/state/tracebloc", "/home/mia/.tracebloc"],
    ["macos", "/Users/mia/Library/Application Support/tracebloc", "/Users/mia/.tracebloc"],
    ["windows", "C:\\Users\\mia\\AppData\\Local\\tracebloc", "C:\\Users\\mia\\.tracebloc"],
    ["wsl2", "/home/mia/.local/state/tracebloc", "/home/mia/.tracebloc"],
  ] as const)("%s keeps state in %s and data in %s", (name, state, data) => {
    expect(defaultStateDirectory(platformOf(name), environments[name])).toBe(state);
    expect(defaultDataDirectory(platformOf(name), environments[name])).toBe(data);
  });

  test("XDG_STATE_HOME is followed on Linux", () => {
    const environment = { ...environments.linux, XDG_STATE_HOME: "/srv/state" };
    expect(defaultStateDirectory(platformOf("linux"), environment)).toBe("/srv/state/tracebloc");
  });

  test.each(["", "state", "./state"])("a relative or empty XDG_STATE_HOME (%j) is as good as none", (value) => {
    const environment = { ...environments.linux, XDG_STATE_HOME: value };
    expect(defaultStateDirectory(platformOf("linux"), environment)).toBe("/home/mia/.local/state/tracebloc");
  });

  test("without LOCALAPPDATA the place below the profile is taken", () => {
    expect(defaultStateDirectory(platformOf("windows"), { USERPROFILE: "D:\\mia" })).toBe(
      "D:\\mia\\AppData\\Local\\tracebloc",
    );
  });

  test.each(platformNames)("without a home there is no place on %s, rather than a wrong one", (name) => {
    const platform = platformOf(name);
    expect(homeDirectory(platform, {})).toBeUndefined();
    expect(defaultStateDirectory(platform, {})).toBeUndefined();
    expect(defaultDataDirectory(platform, {})).toBeUndefined();
  });

  test.each([
    ["linux", "/a/b", "/a", true],
    ["linux", "/a", "/a", true],
    ["linux", "/a/..b", "/a", true],
    ["linux", "/ab", "/a", false],
    ["linux", "/a", "/a/b", false],
    ["linux", "/A", "/a", false],
    ["windows", "c:\\users\\MIA\\x", "C:\\Users\\mia", true],
    ["windows", "C:\\Users\\mia2", "C:\\Users\\mia", false],
    ["windows", "D:\\Users\\mia", "C:\\Users\\mia", false],
  ] as const)("on %s: %s within %s is %s", (name, path, folder, expected) => {
    expect(isWithin(platformOf(name), path, folder)).toBe(expected);
  });

  test.each([
    ["linux", "/"],
    ["linux", "/home"],
    ["linux", "/home/mia"],
    ["linux", "/home/mia/"],
    ["linux", "/etc/tracebloc"],
    ["linux", "/usr/local/share/tracebloc"],
    ["linux", "/var"],
    ["linux", "/var/lib"],
    ["linux", "/var/lib/docker/tracebloc"],
    ["linux", "/proc/1"],
    ["linux", "/tmp"],
    ["macos", "/Users"],
    ["macos", "/Users/mia"],
    ["macos", "/System/x"],
    ["macos", "/private/etc/x"],
    ["windows", "C:\\"],
    ["windows", "D:\\"],
    ["windows", "C:\\Users"],
    ["windows", "c:\\users\\MIA"],
    ["windows", "C:\\Windows\\Temp"],
    ["windows", "C:\\Program Files\\tracebloc"],
    ["windows", "C:\\Program Files (x86)\\tracebloc"],
    ["wsl2", "/mnt/c"],
    ["wsl2", "/mnt/c/Windows/x"],
  ] as const)("on %s, %s is not for data", (name, folder) => {
    expect(whyNotForData(platformOf(name), environments[name], folder)).toMatch(/^(is|contains) /);
  });

  test.each([
    ["linux", "/home/mia/.tracebloc"],
    ["linux", "/home/mia2"],
    ["linux", "/var/lib/tracebloc"],
    ["linux", "/srv"],
    ["linux", "/srv/tracebloc"],
    ["linux", "/mnt/disk1"],
    ["linux", "/etcetera"],
    ["linux", "/tmp/try"],
    ["macos", "/Users/Shared/tracebloc"],
    ["macos", "/Volumes/Data/tracebloc"],
    ["windows", "D:\\tracebloc"],
    ["windows", "C:\\Users\\mia\\.tracebloc"],
    ["windows", "C:\\ProgramData\\tracebloc"],
    ["windows", "C:\\WindowsData"],
    ["wsl2", "/mnt/d/tracebloc"],
  ] as const)("on %s, %s may hold data", (name, folder) => {
    expect(whyNotForData(platformOf(name), environments[name], folder)).toBeUndefined();
  });
});

describe("engines", () => {
  test.each(platformNames)("%s knows an engine, how to start it and how to get one", (name) => {
    const engines = knownEngines(platformOf(name), environments[name]);
    expect(engines.length).toBeGreaterThan(0);
    for (const { endpoint, start } of engines) {
      expect(endpoint).toMatch(name === "windows" ? /^npipe:\/\/\/\/\.\/pipe\/\w+$/ : /^unix:\/\/\//);
      expect(start.says).not.toBe("");
    }
    expect(platformOf(name).installEngine.length).toBeGreaterThan(0);
  });

  test("an endpoint that needs a variable is left out where it is not set", () => {
    const products = (environment: Record<string, string>) =>
      knownEngines(platformOf("linux"), environment).map(({ product }) => product);
    expect(products({})).toEqual(["Docker"]);
    expect(products({ XDG_RUNTIME_DIR: "/run/user/7" })).toEqual(["Docker", "rootless Docker"]);
  });
});

describe("the environment", () => {
  test("on Windows a variable is found in capitals whatever its spelling, since a copy tells cases apart", () => {
    const environment = asEnvironment({ Path: "C:\\x", npm_command: "exec" }, "win32", () => "C:\\Users\\mia");
    expect(environment).toMatchObject({ PATH: "C:\\x", npm_command: "exec", USERPROFILE: "C:\\Users\\mia" });
  });

  test("elsewhere names stay as they are", () => {
    const environment = asEnvironment({ http_proxy: "x", HOME: "/home/mia" }, "linux", () => "/other");
    expect(environment).toEqual({ http_proxy: "x", HOME: "/home/mia" });
  });

  test("under cron, without HOME, the user database answers", () => {
    expect(asEnvironment({}, "linux", () => "/home/mia")["HOME"]).toBe("/home/mia");
    expect(asEnvironment({ HOME: "" }, "linux", () => "/home/mia")["HOME"]).toBe("/home/mia");
  });

  test("a user without an entry in the user database has no home", () => {
    const none = () => {
      throw new Error("ENOENT");
    };
    expect(asEnvironment({}, "linux", none)["HOME"]).toBeUndefined();
  });

  test("the copy does not follow later changes", () => {
    const variables: Record<string, string> = { HOME: "/home/mia", A: "1" };
    const environment = asEnvironment(variables, "linux", () => "");
    variables["A"] = "2";
    expect(environment["A"]).toBe("1");
  });
});
