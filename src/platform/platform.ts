import { posix, win32, type PlatformPath } from "node:path";

import { enginesOn, installEngineOn, type EngineTemplate, type Hint } from "./engines.ts";
import type { Environment } from "./environment.ts";

export type PlatformName = "linux" | "macos" | "windows" | "wsl2";

/** What differs between the systems that this program runs on. Plain data, so that every personality can be tested on any of them. */
export type Platform = {
  name: PlatformName;
  /** What a person calls it: "Linux x64". */
  label: string;
  /** How releases of k3d, helm and kubectl name it. `arch` is undefined for a processor that they are not built for. */
  tools: { os: "linux" | "darwin" | "windows"; arch: ToolArch | undefined };
  /** The path rules of this platform; never those of the machine that happens to run the code. */
  path: PlatformPath;
  /** What a person pastes a remedy into. */
  shell: Shell;
  nullDevice: string;
  executableSuffix: "" | ".exe";
  /** Whether modes and owners mean anything to the platform's own file systems. A drive of Windows seen from WSL2 has none either. */
  posixModes: boolean;
  /** Where a folder may lie, in order: the first whose variable is set. See `places.ts`. */
  stateDirectory: readonly string[];
  dataDirectory: readonly string[];
  /** Folders that belong to the system: with everything below them, and those that may only be used further down. */
  systemTrees: readonly string[];
  systemFolders: readonly string[];
  /** The container engines known here, most usual first. See `engines.ts`. */
  engines: readonly EngineTemplate[];
  /** How to get an engine where there is none. */
  installEngine: readonly Hint[];
  /** What a person should know beforehand about this platform. */
  note?: string;
};

export type ToolArch = "amd64" | "arm64";
export type Shell = "sh" | "powershell";

/** What detection looks at. Everything is handed in, so that one machine can play another. */
export type Host = {
  /** `process.platform` and `process.arch`. */
  nodePlatform: string;
  nodeArch: string;
  environment: Environment;
  /** The text of a file, or undefined where it cannot be read. */
  readText: (path: string) => string | undefined;
  /** The model of the first processor: the only thing that tells an Apple processor from behind Rosetta. */
  cpuModel?: () => string | undefined;
};

type Fixed = Omit<Platform, "name" | "label" | "tools" | "engines" | "installEngine"> & {
  called: string;
  os: Platform["tools"]["os"];
};

const unix = {
  path: posix,
  shell: "sh",
  nullDevice: "/dev/null",
  executableSuffix: "",
  posixModes: true,
  dataDirectory: ["$HOME/.tracebloc"],
} as const;

/** Programs of the system keep their own data there, container engines among them. */
const daemons = ["/var/lib/containerd", "/var/lib/docker", "/var/lib/kubelet", "/var/lib/rancher"];

const linux: Fixed = {
  ...unix,
  called: "Linux",
  os: "linux",
  stateDirectory: ["$XDG_STATE_HOME/tracebloc", "$HOME/.local/state/tracebloc"],
  systemTrees: [..."/bin /boot /dev /etc /lib /lib64 /proc /run /sbin /snap /sys /usr /var/run".split(" "), ...daemons],
  systemFolders: ["/", "/home", "/media", "/mnt", "/opt", "/root", "/tmp", "/var", "/var/lib", "/var/log", "/var/tmp"],
};

/** All that is fixed per platform. The one table. */
const table: Readonly<Record<PlatformName, Fixed>> = {
  linux,
  wsl2: {
    ...linux,
    called: "WSL2",
    systemTrees: [...linux.systemTrees, "/mnt/c/Windows", "/mnt/c/Program Files", "/mnt/c/Program Files (x86)"],
    systemFolders: [...linux.systemFolders, "/mnt/c", "/mnt/c/Users", "/mnt/wsl"],
    note: "a folder below /mnt/c is slow and keeps no modes: let data lie in the distribution's own file system",
  },
  macos: {
    ...unix,
    called: "macOS",
    os: "darwin",
    stateDirectory: ["$HOME/Library/Application Support/tracebloc"],
    systemTrees: "/Applications /Library /System /bin /cores /dev /etc /private/etc /sbin /usr".split(" "),
    systemFolders: ["/", "/Users", "/Volumes", "/opt", "/private", "/private/tmp", "/private/var", "/tmp", "/var"],
  },
  windows: {
    path: win32,
    shell: "powershell",
    nullDevice: "\\\\.\\NUL",
    executableSuffix: ".exe",
    posixModes: false,
    called: "Windows",
    os: "windows",
    stateDirectory: ["$LOCALAPPDATA\\tracebloc", "$USERPROFILE\\AppData\\Local\\tracebloc"],
    dataDirectory: ["$USERPROFILE\\.tracebloc"],
    systemTrees: [
      "$SYSTEMROOT",
      "$PROGRAMFILES",
      "$PROGRAMFILES(X86)",
      "C:\\Windows",
      "C:\\Program Files",
      "C:\\Program Files (x86)",
    ],
    systemFolders: [
      "$PROGRAMDATA",
      "C:\\ProgramData",
      "C:\\Users",
      "$USERPROFILE\\AppData",
      "$LOCALAPPDATA",
      "$APPDATA",
    ],
  },
};

/** Which platform this is, or undefined for one that the tools are not built for at all (FreeBSD, AIX). Pure. */
export function detectPlatform(host: Host): Platform | undefined {
  const name = nameOf(host);
  if (name === undefined) return undefined;
  const { called, os, ...fixed } = table[name];
  const arch = archOf(host);
  const distribution = host.environment["WSL_DISTRO_NAME"];
  return {
    name,
    label: `${called} ${arch}${name === "wsl2" && distribution !== undefined ? ` (${distribution})` : ""}`,
    tools: { os, arch: toolArch[arch] },
    ...fixed,
    shell: name === "windows" && host.environment["MSYSTEM"] !== undefined ? "sh" : fixed.shell,
    engines: enginesOn[name],
    installEngine: installEngineOn[name],
  };
}

const toolArch: Readonly<Record<string, ToolArch | undefined>> = { x64: "amd64", arm64: "arm64" };

function nameOf({ nodePlatform, environment, readText }: Host): PlatformName | undefined {
  if (nodePlatform === "darwin") return "macos";
  // Git Bash and MSYS2 run the Node of Windows: only what remedies are pasted into differs there.
  if (nodePlatform === "win32") return "windows";
  if (nodePlatform !== "linux") return undefined;
  // sudo and service managers drop the variable; the kernel's own line stays.
  const inWsl = Boolean(environment["WSL_DISTRO_NAME"]) || /microsoft/i.test(readText("/proc/version") ?? "");
  return inWsl ? "wsl2" : "linux";
}

/** An x64 Node on an Apple processor runs behind Rosetta: native tools are right for that machine. Unknown stays what Node says. */
function archOf({ nodePlatform, nodeArch, cpuModel }: Host): string {
  const translated = nodePlatform === "darwin" && nodeArch === "x64" && /apple/i.test(cpuModel?.() ?? "");
  return translated ? "arm64" : nodeArch;
}
