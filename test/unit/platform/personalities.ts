import { detectPlatform, type Platform, type PlatformName } from "../../../src/platform/platform.ts";
import type { Environment } from "../../../src/platform/environment.ts";

const hosts = {
  linux: {
    nodePlatform: "linux",
    nodeArch: "x64",
    procVersion: "Linux version 6.1.0-32-amd64 (debian-kernel@lists.debian.org)",
  },
  macos: { nodePlatform: "darwin", nodeArch: "arm64", procVersion: undefined },
  windows: { nodePlatform: "win32", nodeArch: "x64", procVersion: undefined },
  wsl2: {
    nodePlatform: "linux",
    nodeArch: "x64",
    procVersion: "Linux version 5.15.167.4-microsoft-standard-WSL2 (root@f9c826d3017f)",
  },
} as const;

/** An environment as each platform starts a shell with; the person is invented. */
export const environments: Readonly<Record<PlatformName, Environment>> = {
  linux: { HOME: "/home/mia", PATH: "/usr/bin:/bin", XDG_RUNTIME_DIR: "/run/user/1000" },
  macos: { HOME: "/Users/mia", PATH: "/usr/bin:/bin" },
  windows: {
    USERPROFILE: "C:\\Users\\mia",
    LOCALAPPDATA: "C:\\Users\\mia\\AppData\\Local",
    APPDATA: "C:\\Users\\mia\\AppData\\Roaming",
    SYSTEMROOT: "C:\\Windows",
    PROGRAMFILES: "C:\\Program Files",
    "PROGRAMFILES(X86)": "C:\\Program Files (x86)",
    PROGRAMDATA: "C:\\ProgramData",
    PATH: "C:\\Windows\\system32;C:\\Windows",
  },
  wsl2: { HOME: "/home/mia", PATH: "/usr/bin:/bin", WSL_DISTRO_NAME: "Ubuntu" },
};

export const platformNames = ["linux", "macos", "windows", "wsl2"] as const;

/** One of the four personalities, on whatever machine the test runs. */
export function platformOf(name: PlatformName, environment: Environment = environments[name]): Platform {
  const { nodePlatform, nodeArch, procVersion } = hosts[name];
  const platform = detectPlatform({ nodePlatform, nodeArch, environment, readText: () => procVersion });
  if (platform === undefined) throw new Error(`${name} is not recognised`);
  return platform;
}
