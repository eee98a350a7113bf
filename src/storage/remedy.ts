import { mountPoints } from "../cluster/node.ts";
import type { Finding, Remedy } from "../engine/finding.ts";
import type { Platform, PlatformName } from "../platform/platform.ts";
import { commandLine } from "../platform/shell.ts";
import type { Cause } from "./cause.ts";
import { onHost, owner, type Directory, type HostDirs } from "./layout.ts";
import type { DirectoryResult } from "./result.ts";
import { word } from "./script.ts";

/** Where a remedy is carried out: the node, the machine, and its folders that the node sees. */
export type Place = { node: string; platform: Platform; hostDirs: HostDirs };

/** What a person is told of a directory that is blocked or not proven. */
export function findingOf(result: DirectoryResult, directory: Directory, place: Place): Finding {
  const isBlocked = result.result === "blocked";
  const says = isBlocked ? "cannot be used by the workloads" : "could not be proven writable";
  return {
    reason: isBlocked ? "STORAGE_BLOCKED" : "STORAGE_UNKNOWN",
    room: "storage",
    says: `${result.volume} ${says}: ${result.note ?? result.path}`,
    remedies: remediesFor(result, directory, place),
    ...(result.said !== "" && { details: [result.said] }),
  };
}

/** What the script does, for one directory, to be pasted. From the same table: a hint written beside it once broke what it was to mend. */
export function byHand({ path, mode }: Directory, { node, platform }: Place): Remedy {
  const leaf = word(path);
  const script = `mkdir -p ${leaf}; chown ${owner.uid}:${owner.gid} ${leaf}; chmod ${mode} ${leaf}`;
  return { says: "or by hand", command: commandLine(platform, "docker", "exec", node, "sh", "-c", script) };
}

const again: Remedy = { says: "then run the same command again", command: "tracebloc install" };
const remove = "tracebloc uninstall";

function remediesFor(result: DirectoryResult, directory: Directory, place: Place): readonly Remedy[] {
  const spot = spotOf(result, directory, place);
  if (result.obstacle !== undefined) return [moveAway(spot, result.obstacle), again];
  if (result.cause !== undefined) return remedies[result.cause](spot);
  const says =
    result.result === "unknown" ? "after the machine settles, run the same command again" : "have it repaired";
  return [{ says, command: "tracebloc install" }, spot.byHand];
}

/** All that a remedy for one directory may name. */
type Spot = {
  directory: Directory;
  place: Place;
  /** The directory, and the folder that is mounted, as this machine names them; as the node does where it has no name here. */
  folder: string;
  mounted: string;
  fileSystem: string;
  byHand: Remedy;
  /** A command line in this platform's spelling. */
  line: (program: string, ...args: readonly string[]) => string;
};

function spotOf({ fileSystem = "" }: DirectoryResult, directory: Directory, place: Place): Spot {
  const { base, path } = directory;
  return {
    directory,
    place,
    folder: onHost(base, path, place.hostDirs, place.platform.path) ?? path,
    mounted: onHost(base, base, place.hostDirs, place.platform.path) ?? base,
    fileSystem,
    byHand: byHand(directory, place),
    line: (program, ...args) => commandLine(place.platform, program, ...args),
  };
}

/** What mends it, by cause. chmod is advised only where it can help, and nothing that deletes (B18). */
const remedies: Readonly<Record<Cause, (spot: Spot) => readonly Remedy[]>> = {
  "read-only": (spot) => [...writable[spot.place.platform.name](spot), again, ...elsewhere(spot)],
  "no space": (spot) => [...room[spot.place.platform.name](spot), again],
  quota: ({ folder }) => [{ says: `free space, or have the quota raised, for ${folder}` }, again],
  permission: (spot) => [changeMode(spot), again],
  "not supported": (spot) => otherSharing[spot.place.platform.name](spot),
  "mode ignored": (spot) => otherSharing[spot.place.platform.name](spot),
  "no directory": (spot) => [moveAway(spot, spot.directory.path), again],
  symlink: (spot) => [moveAway(spot, spot.directory.path), again],
  "I/O": (spot) => [seeTo(spot), again],
  "no answer": (spot) => [seeTo(spot), again, spot.byHand],
  "not mounted": () => [
    { says: "the cluster was made without it: remove it (the data on this machine stays)", command: remove },
    { says: "and make it anew", command: "tracebloc install" },
  ],
};

type ByPlatform = Readonly<Record<PlatformName, (spot: Spot) => readonly Remedy[]>>;

const remount: ByPlatform["linux"] = ({ mounted, line }) => {
  const mountPoint = `"$(${line("findmnt", "-no", "TARGET", "--target", mounted)})"`;
  return [{ says: "mount it writable", command: `sudo mount -o remount,rw ${mountPoint}` }];
};

const writable: ByPlatform = {
  linux: remount,
  wsl2: remount,
  macos: ({ mounted, line }) => [
    { says: "with Colima, mount it writable: stop it", command: "colima stop" },
    { says: "and start it so", command: line("colima", "start", "--mount", `${mounted}:w`) },
  ],
  windows: ({ mounted }) => [{ says: `let Docker Desktop write to ${mounted}` }],
};

/** Bytes or inodes: the error is the same for both. */
const disk: ByPlatform["linux"] = ({ mounted, line }) => [
  { says: "free space there", command: line("df", "-h", mounted) },
  { says: "or inodes, if those are used up", command: line("df", "-i", mounted) },
];

const room: ByPlatform = {
  linux: disk,
  wsl2: disk,
  macos: disk,
  windows: ({ mounted }) => [
    { says: `free space on the drive of ${mounted}`, command: "Get-PSDrive -PSProvider FileSystem" },
  ],
};

/** Where a mount cannot carry modes, another place or another way of sharing helps. */
const otherSharing: ByPlatform = {
  linux: (spot) =>
    ["cifs", "smb3"].includes(spot.fileSystem)
      ? [{ says: "mount the share with dir_mode=0777,file_mode=0666" }, again, ...elsewhere(spot)]
      : elsewhere(spot),
  wsl2: (spot) => elsewhere(spot),
  macos: () => [
    { says: "choose another file sharing implementation in Docker Desktop: Settings, General" },
    again,
    ...inTheCluster,
  ],
  windows: () => [
    { says: "install from within WSL2, where data lies in the distribution's own file system" },
    ...inTheCluster,
  ],
};

function elsewhere({ place: { platform }, directory }: Spot): Remedy[] {
  const flag = directory.base === mountPoints.datasets ? "--dataset-dir" : "--data-dir";
  const folder = platform.path.join("~", flag === "--data-dir" ? "tracebloc-data" : "tracebloc-datasets");
  const where = platform.name === "wsl2" ? "in the distribution's own file system" : "on a local disk";
  return [
    { says: `or let the data lie ${where}: remove the cluster (the data stays)`, command: remove },
    { says: "and make it anew", command: `tracebloc install ${flag} ${folder}` },
  ];
}

const inTheCluster: readonly Remedy[] = [
  { says: "or let the cluster keep the data: remove it (the data on this machine stays)", command: remove },
  { says: "and make it anew", command: "tracebloc install --storage-mode node-local" },
];

/** Root of this machine is nobody to a file server that squashes it (B29). */
function changeMode({ place: { platform }, directory: { mode }, folder, fileSystem, line }: Spot): Remedy {
  if (platform.name === "windows") return { says: `give everyone full access to ${folder}` };
  return fileSystem.startsWith("nfs")
    ? { says: "on the file server, as the folder's owner", command: line("chmod", mode, folder) }
    : { says: "let its owner open it", command: line("sudo", "chmod", mode, folder) };
}

function moveAway({ place: { platform, hostDirs }, directory: { base }, line }: Spot, obstacle: string): Remedy {
  const path = onHost(base, obstacle, hostDirs, platform.path) ?? obstacle;
  const move = platform.shell === "powershell" ? "Move-Item" : "mv";
  return { says: "look at it and, if it may go, move it away", command: line(move, path, `${path}.moved`) };
}

function seeTo({ folder }: Spot): Remedy {
  return { says: `see to the disk or file server that holds ${folder}` };
}
