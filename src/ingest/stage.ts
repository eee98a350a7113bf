import type { Fact } from "../engine/fact.ts";
import type { Finding, Remedy } from "../engine/finding.ts";
import { clip, visible } from "../platform/characters.ts";
import type { Platform } from "../platform/platform.ts";
import { commandLine } from "../platform/shell.ts";
import { gigabytes } from "../host/checks/check.ts";
import type { Space } from "../host/disk.ts";
import type { Dataset } from "./dataset.ts";
import type { Entry, Tree } from "./tree.ts";

/** What is known before anything is copied. Both folders by their real paths. */
export type StageFacts = {
  from: string;
  source: Tree | undefined;
  to: string;
  /** What lies there already; undefined where nothing does. */
  target: Tree | undefined;
  /** Of the file system that `to` is on. */
  space: Fact<Space>;
};

export type Copy = { path: string; bytes: number; modifiedMs: number };

/** What brings a dataset to where the release reads it, as data. Paths are relative to both folders. */
export type Staging = {
  /** To be made, each after what it is in. */
  folders: readonly string[];
  copies: readonly Copy[];
  bytes: number;
  /** Files that are there already, as they are in the source. */
  kept: number;
  /** Files there that the source has not; they stay. */
  foreign: number;
};

export type PlannedStaging = { staging: Staging; warnings: readonly Finding[] } | { findings: readonly Finding[] };

/** The one file that a copy is written into before it takes its name. What a cut-off run leaves of it is overwritten. */
export const partName = ".tracebloc-part";

/** File systems keep times more coarsely than others, FAT and some shares to two seconds. */
const clockSlackMs = 2_000;
/** What a file takes beyond its bytes, and what stays free for the database that writes beside it. */
const blockBytes = 4096;
const spareBytes = 1e9;
const spareFiles = 1_000;

/**
 * What has to be copied so that the dataset lies at its place, or everything that is in the way. A file with the size and
 * the time of its source is taken for a copy of it, so that a second run copies only what the first one did not. Pure.
 */
export function planStaging(facts: StageFacts, dataset: Dataset, platform: Platform): PlannedStaging {
  const { from, source, to, target, space } = facts;
  if (source === undefined) {
    return { findings: [invalid(`${from} does not exist`, { says: "name the dataset's folder with --stage" })] };
  }
  const nested = nesting(from, to, platform);
  if (nested !== undefined) return { findings: [nested] };
  const findings = [
    ...unusable(source, from, platform),
    ...missingParts(source, from, dataset),
    ...obstacles(facts, source),
  ];
  if (findings.length > 0) return { findings };
  const staging = difference(source, target);
  const short = shortage(staging, source, to, space);
  if (short !== undefined) return { findings: [short] };
  const isUntold = space.state === "unknown" && staging.copies.length > 0;
  return { staging, warnings: isUntold ? [spaceUnknown(to, space.why)] : [] };
}

function difference(source: Tree, target: Tree | undefined): Staging {
  const there = new Map((target?.entries ?? []).map((entry) => [entry.path, entry]));
  const files = source.entries.filter((entry) => entry.is === "file");
  const copies = files.filter((file) => !isSame(file, there.get(file.path)));
  const wanted = new Set(files.map(({ path }) => path));
  const foreign = [...there.values()].filter(({ path, is }) => is === "file" && !wanted.has(path) && path !== partName);
  const folders = source.entries.filter(({ path, is }) => is === "folder" && !there.has(path)).map(({ path }) => path);
  return {
    folders,
    copies: copies.map(({ path, bytes, modifiedMs }) => ({ path, bytes, modifiedMs })),
    bytes: copies.reduce((sum, { bytes }) => sum + bytes, 0),
    kept: files.length - copies.length,
    foreign: foreign.length,
  };
}

function isSame(file: Copy, there: Entry | undefined): boolean {
  if (there?.is !== "file" || there.bytes !== file.bytes) return false;
  return Math.abs(there.modifiedMs - file.modifiedMs) < clockSlackMs;
}

/** A folder within the other would be copied into itself. The very same is staged already. */
function nesting(from: string, to: string, { path }: Platform): Finding | undefined {
  const contains = (outer: string, inner: string) => {
    const way = path.relative(outer, inner);
    return way !== "" && way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
  };
  if (!contains(from, to) && !contains(to, from)) return undefined;
  return invalid(`${from} and ${to}, where it is to go, lie one in the other`, {
    says: "move the dataset elsewhere first",
  });
}

function unusable(source: Tree, from: string, platform: Platform): readonly Finding[] {
  const links = source.entries.filter(({ is }) => is === "link");
  const others = source.entries.filter(({ path, is }) => is === "other" || isUnfit(path) || path === partName);
  const resolved: Remedy = {
    says: "copy it with its links resolved, and stage the copy",
    ...(platform.posixModes && { command: commandLine(platform, "cp", "-RL", from, `${from}-resolved`) }),
  };
  return [
    ...source.unread.map(({ path, why }) =>
      invalid(`${place(path, from)} ${why}`, { says: "make it readable, or take it out" }),
    ),
    ...(links.length > 0 ? [invalid(`no symbolic link is followed: ${several(links)} in ${from}`, resolved)] : []),
    ...(others.length > 0
      ? [
          invalid(`${several(others)} in ${from} cannot be copied`, {
            says: "take what is neither file nor folder, or has no usable name, out of it",
          }),
        ]
      : []),
  ];
}

/** A name that another platform takes for a way. No file system that we read gives `..`; nothing is left to that. */
function isUnfit(path: string): boolean {
  return path.split("/").some((name) => ["", ".", ".."].includes(name) || /[\\\0]/.test(name));
}

function missingParts(source: Tree, from: string, { parts }: Dataset): readonly Finding[] {
  const kinds = new Map(source.entries.map(({ path, is }) => [path, is]));
  return parts.flatMap(({ key, path, is }) => {
    const found = kinds.get(path);
    if (found === is || found === "link") return [];
    const why = found === undefined ? "is not there" : `is no ${is}`;
    return [
      invalid(`${key} reads ${shown(path)}, which ${why} in ${from}`, {
        says: "name the folder that holds it with --stage, or mend the path",
      }),
    ];
  });
}

/** What lies at the target and is no copy of ours to overwrite: another kind of thing, or a link that leads out of it. */
function obstacles({ to, target }: StageFacts, source: Tree): readonly Finding[] {
  if (target === undefined) return [];
  const unread = target.unread.map(({ path, why }) => inTheWay(`${place(path, to)} ${why}`));
  const wanted = new Map(source.entries.map(({ path, is }) => [path, is]));
  const wrong = target.entries.filter(({ path, is }) =>
    wanted.has(path) ? is !== wanted.get(path) : path === partName && is !== "file",
  );
  return wrong.length === 0
    ? unread
    : [...unread, inTheWay(`${several(wrong)} in ${to} ${areOrIs(wrong)} something else than in the dataset`)];
}

/** The ingestion copies the files once more, into the folder of its table. */
function shortage(
  { copies, folders, bytes }: Staging,
  source: Tree,
  to: string,
  space: Fact<Space>,
): Finding | undefined {
  if (space.state === "unknown" || copies.length === 0) return undefined;
  const { freeBytes, freeFiles } = space.value;
  const ingested = source.entries.reduce((sum, entry) => sum + (entry.is === "file" ? entry.bytes : 0), 0);
  const overhead = (copies.length + folders.length + source.entries.length) * blockBytes;
  const needed = bytes + ingested + overhead + spareBytes;
  const remedies = [{ says: "free some, or keep datasets on another disk with --dataset-dir" }];
  if (freeBytes < needed) {
    const says = `${to} has ${gigabytes(freeBytes)} free; ${gigabytes(needed)} are needed, to stage ${gigabytes(bytes)} and to ingest ${gigabytes(ingested)}`;
    return { reason: "DISK_TOO_SMALL", room: "ingest", says, remedies };
  }
  const files = copies.length + folders.length + source.entries.length + spareFiles;
  if (freeFiles === undefined || freeFiles >= files) return undefined;
  const says = `${to} has room for ${freeFiles} more files (inodes); ${files} are needed`;
  return { reason: "DISK_TOO_SMALL", room: "ingest", says, remedies };
}

function spaceUnknown(to: string, why: string): Finding {
  return {
    reason: "DISK_LOW",
    room: "ingest",
    says: `how much room ${to} has could not be told: ${why}`,
    remedies: [],
  };
}

function invalid(says: string, remedy: Remedy): Finding {
  return { reason: "DATASET_INVALID", room: "ingest", says, remedies: [remedy] };
}

function inTheWay(says: string): Finding {
  return {
    reason: "DATASET_IN_THE_WAY",
    room: "ingest",
    says,
    remedies: [{ says: "move it away, or name another folder in the IngestConfig" }],
  };
}

function place(path: string, root: string): string {
  return path === "" ? root : `${shown(path)} in ${root}`;
}

function shown(path: string): string {
  return /^[\w./ -]{1,80}$/.test(path) ? path : visible(clip(path, 80));
}

/** The first few by name. */
function several(entries: readonly { path: string }[]): string {
  const first = entries.slice(0, 3).map(({ path }) => shown(path));
  const more = entries.length - first.length;
  return more === 0 ? first.join(", ") : `${first.join(", ")} and ${more} more`;
}

function areOrIs(entries: readonly unknown[]): string {
  return entries.length === 1 ? "is" : "are";
}
