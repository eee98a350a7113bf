import type { StorageMode } from "../config/wishes.ts";
import type { Fact } from "../engine/fact.ts";
import { nothing, type Action, type Done, type Planned, type Proof } from "../engine/plan.ts";
import { directoriesOf, onHost, type Directory, type HostDirs } from "./layout.ts";
import type { StorageFacts } from "./observe.ts";
import { findingOf, type Place } from "./remedy.ts";
import type { Looked } from "./report.ts";
import { describe, isExact, isReadOnly, judge, type DirectoryResult } from "./result.ts";
import { movedAway, type Shared } from "./sharing.ts";

/** Makes the release's folders on this machine, so that they are this user's and not root's. Before the cluster. */
export type MakeFolders = {
  do: "storage.folders";
  because: string;
  folders: readonly string[];
  mounted: readonly string[];
};

/** Brings directories in the node to their owner and mode, and proves them. Before Helm. */
export type PrepareDirectories = {
  do: "storage.prepare";
  because: string;
  node: string;
  directories: readonly Directory[];
  /** Folders of this machine and where the node must see them: proven first (B23). */
  shared: readonly Shared[];
};

export type StorageAction = MakeFolders | PrepareDirectories;

/** What the storage of one release is planned from. */
export type StorageGround = {
  mode: StorageMode;
  /** As Helm is about to name it, or as the adopted one is called: the paths carry it. */
  release: string;
  /** From `dataBaseOf` the node's mounts. Undefined while there is no node. */
  dataBase: string | undefined;
  facts: StorageFacts;
  place: Place;
};

/** Said where nothing is prepared on purpose. */
export const skipped = "The cluster keeps the data (storage mode node-local): no directory is prepared";

const later = "prepare the directories data and logs, and prove them in the node";

/** What the machine's side needs, before a cluster mounts it. Unknown folders are left to the node's own look. Pure. */
export function planFolders(
  { mode, missing, hostDirs }: { mode: StorageMode; missing: Fact<readonly string[]>; hostDirs: HostDirs },
  done: readonly Done<Action>[],
): Planned<MakeFolders> {
  const folders = missing.state === "known" ? missing.value : [];
  if (mode === "node-local" || folders.length === 0 || done.some(({ action }) => action.do === "storage.folders")) {
    return nothing;
  }
  const mounted = [hostDirs.dataDir, ...(hostDirs.datasetDir === undefined ? [] : [hostDirs.datasetDir])];
  return {
    ...nothing,
    actions: [{ do: "storage.folders", because: "the node is to find them there, as yours", folders, mounted }],
  };
}

/**
 * What the directories in the node need. Nothing is tried twice, nothing that is unknown is changed, and nothing here is
 * ever fatal: what is blocked or not proven is a warning, and the install goes on. Pure.
 */
export function planStorage(ground: StorageGround, done: readonly Done<Action>[]): Planned<PrepareDirectories> {
  if (ground.mode === "node-local") return ground.dataBase === undefined ? { ...nothing, then: [skipped] } : nothing;
  if (ground.dataBase === undefined) return { ...nothing, then: [later] };
  const all = lookedOf(ground.facts, directoriesOf(ground.release, ground.dataBase));
  const toPrepare = all.filter((looked) => canBePrepared(looked) && !wasPrepared(looked.directory, done));
  const rest = all.filter((looked) => !toPrepare.includes(looked));
  const warnings = rest.flatMap((looked) => {
    const result = resultOf(looked, done);
    return result.result === "blocked" || result.result === "unknown"
      ? [findingOf(result, looked.directory, ground.place)]
      : [];
  });
  return { ...nothing, actions: toPrepare.length === 0 ? [] : [prepare(toPrepare, ground)], warnings };
}

/**
 * What is to be said where the node has a directory that this machine has not: the folder was moved or deleted under a
 * cluster that runs, and is still there for the node alone. Its next start would find an empty one. Pure.
 */
export function planShared(
  { mode, release, dataBase, facts, place }: StorageGround,
  missing: Fact<readonly string[]>,
): Planned<never> {
  if (mode === "node-local" || dataBase === undefined || missing.state === "unknown") return nothing;
  const gone = lookedOf(facts, directoriesOf(release, dataBase)).filter(({ directory: { base, path }, seen }) => {
    const folder = onHost(base, path, place.hostDirs);
    const isInNode = seen.state === "known" && seen.value.found.is === "directory";
    return isInNode && folder !== undefined && missing.value.includes(folder);
  });
  const shared = sharedBy(
    gone.map(({ directory }) => directory),
    place,
  );
  return { ...nothing, refusals: shared.map((one) => movedAway(one, place.node)) };
}

/** What is to be said of each directory of the release, from the last look and what this run has done. Pure. */
export function resultsOf(
  { mode, release, dataBase, facts }: StorageGround,
  done: readonly Done<Action>[],
): DirectoryResult[] {
  if (mode === "node-local" || dataBase === undefined) return [];
  return lookedOf(facts, directoriesOf(release, dataBase)).map((looked) => resultOf(looked, done));
}

/** What a proof of `storage.prepare` carries beside its answer. */
export type StorageProof = Fact<Proof> & { results: readonly DirectoryResult[] };

/** What this run proved by trial stays true while the directory looks as it did then. */
function resultOf(looked: Looked, done: readonly Done<Action>[]): DirectoryResult {
  const now = judge(looked);
  const proven = done.flatMap(({ action, proof }) =>
    isPrepare(action) && "results" in proof ? (proof as StorageProof).results : [],
  );
  const then = proven.findLast(({ path }) => path === looked.directory.path);
  if (then === undefined || now.result === "ready") return now;
  return looked.seen.state === "unknown" || then.mode === now.mode ? then : now;
}

function lookedOf(facts: StorageFacts, directories: readonly Directory[]): Looked[] {
  return directories.flatMap(({ path }) => facts.directories.filter(({ directory }) => directory.path === path));
}

/** What the script may mend. It refuses what is in the way itself; a mount that is read-only or does not answer has nothing to gain. */
function canBePrepared({ directory, seen }: Looked): boolean {
  if (seen.state === "unknown" || isExact(directory, seen.value)) return false;
  const { found, mount, cause } = seen.value;
  return found.is !== "in the way" && cause !== "no answer" && cause !== "not mounted" && !isReadOnly(mount);
}

function wasPrepared({ path }: Directory, done: readonly Done<Action>[]): boolean {
  return done.some(
    ({ action }) => isPrepare(action) && action.directories.some((directory) => directory.path === path),
  );
}

function isPrepare(action: Action): action is PrepareDirectories {
  return action.do === "storage.prepare";
}

function prepare(looked: readonly Looked[], { place }: StorageGround): PrepareDirectories {
  const directories = looked.map(({ directory }) => directory);
  return {
    do: "storage.prepare",
    because: becauseOf(looked),
    node: place.node,
    directories,
    shared: sharedBy(directories, place),
  };
}

function sharedBy(directories: readonly Directory[], { hostDirs }: Place): Shared[] {
  const bases = [...new Set(directories.map(({ base }) => base))];
  return bases.flatMap((base) => {
    const folder = onHost(base, base, hostDirs);
    return folder === undefined ? [] : [{ folder, base }];
  });
}

/** "data was 0755 and owned by root, logs was missing"; where all were alike, once. */
function becauseOf(looked: readonly Looked[]): string {
  const seen = looked.flatMap(({ directory, seen: fact }) =>
    fact.state === "known" ? [{ volume: directory.volume, was: describe(fact.value.found) }] : [],
  );
  const states = [...new Set(seen.map(({ was }) => was))];
  if (states.length > 1 || seen.length === 1) return seen.map(({ volume, was }) => `${volume} was ${was}`).join(", ");
  return `${seen.map(({ volume }) => volume).join(" and ")} were ${states[0] ?? "not prepared"}`;
}
