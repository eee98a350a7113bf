import { join } from "node:path";

import { mountPoints } from "../cluster/node.ts";

/**
 * The only place with the directories of a release, their modes and uids. The script, the proof, the remedy and the
 * chart's init container follow this table; a test holds the chart against it.
 */
export const volumes = {
  /** No sticky bit: one uid writes a dataset and another one deletes it (client#667). */
  data: { mode: "2777", foreignRemoval: "succeeds" },
  /** Sticky: no writer deletes another one's logs. */
  logs: { mode: "3777", foreignRemoval: "is refused" },
} as const satisfies Record<string, VolumeRule>;

type VolumeRule = {
  /** Octal, four digits. World-writable, since the writers have no group in common, and setgid. */
  mode: string;
  /** What happens to a uid that removes what another one wrote. Decides where a mount cannot carry the mode. */
  foreignRemoval: "succeeds" | "is refused";
};

/** MySQL's directory is no volume of this table: its owner and mode are the database's business. */
export type Volume = keyof typeof volumes;

/** Who the directories belong to. The mode is what lets the workloads in; the owner is told, and proves nothing. */
export const owner = { uid: 1000, gid: 1000 } as const;

/** Ingestion writes as this uid. Neither has an entry in the node's passwd: always pass uid and gid. */
export const writer = 65534;
/** Deletion and staging run as this one. */
export const remover = 65532;

/** One directory of a release in the node. */
export type Directory = {
  volume: Volume;
  /** The mount that holds it. Never created: a folder in its place would be lost with the node. */
  base: string;
  path: string;
  mode: string;
};

/** The directories of a release. `dataBase` is what `dataBaseOf` saw; logs never follow it. */
export function directoriesOf(release: string, dataBase: string, logsBase: string = mountPoints.data): Directory[] {
  return [directory("data", dataBase, release), directory("logs", logsBase, release)];
}

/** Every place that a directory of this release may have: one look at all of them need not wait for the mount table. */
export function candidatesOf(release: string, bases: { data: string; datasets: string } = mountPoints): Directory[] {
  return [...directoriesOf(release, bases.data, bases.data), directory("data", bases.datasets, release)];
}

function directory(volume: Volume, base: string, release: string): Directory {
  // Long refused by the time it gets here: with such a name every path below would be another one's.
  if (["", ".", ".."].includes(release) || release.includes("/")) {
    throw new RangeError(`no release is called ${release}`);
  }
  return { volume, base, path: `${base}/${release}/${volume}`, mode: volumes[volume].mode };
}

/** The path of each folder from the mount to the directory, both included. */
export function stepsOf({ base, path }: Directory): string[] {
  const names = path.slice(base.length + 1).split("/");
  return [base, ...names.map((_, index) => [base, ...names.slice(0, index + 1)].join("/"))];
}

/**
 * Where datasets lie, by the node's own mount table: mounts are fixed when a cluster is made, and today's settings may
 * differ. Only a bind mount with exactly this destination counts; `/tracebloc-data-old` does not (B12), nor does a volume (B25).
 */
export function dataBaseOf(mounts: readonly { type: string; destination: string }[]): string {
  const has = mounts.some(({ type, destination }) => type === "bind" && destination === mountPoints.datasets);
  return has ? mountPoints.datasets : mountPoints.data;
}

/** The folders of this machine that are mounted into the node. Absolute. */
export type HostDirs = { dataDir: string; datasetDir: string | undefined };

/** The same directories as this machine names them. */
export function hostFoldersOf(release: string, { dataDir, datasetDir }: HostDirs): Record<Volume, string> {
  return { data: join(datasetDir ?? dataDir, release, "data"), logs: join(dataDir, release, "logs") };
}

/** This machine's name for a path at or below a base of the node. Undefined where that base is no folder of this machine. */
export function onHost(
  base: string,
  path: string,
  { dataDir, datasetDir }: HostDirs,
  rules: { join: typeof join } = { join },
): string | undefined {
  const folder = base === mountPoints.datasets ? datasetDir : dataDir;
  return folder === undefined ? undefined : rules.join(folder, path.slice(base.length));
}
