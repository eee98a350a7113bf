import { lstat, rm, rmdir, stat } from "node:fs/promises";

import { known, type Fact } from "../engine/fact.ts";
import { Failure, type Finding } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import { nothing, type Action, type Done, type Performer, type Planned } from "../engine/plan.ts";
import { bindSource } from "../platform/mounts.ts";
import { commandLine } from "../platform/shell.ts";
import { firstComplaint, succeeded } from "../process/runner.ts";
import type { StorageGround } from "./plan.ts";
import { word } from "./script.ts";
import { cannotTellUsers, holdersOf, observeUsers, type User } from "./users.ts";

/** Deletes what a release keeps in folders of this machine: datasets, logs and the database. Nothing else below them. */
export type DeleteData = {
  do: "storage.delete";
  because: string;
  /** Folders of this machine that hold the release's folder. */
  holders: readonly string[];
  release: string;
  /** An image that the engine has, for files that only root may remove. */
  image: string;
  /** The cluster that the data is of: where that stays, its containers have the folder too. */
  cluster: string;
};

/** What is the release's own below `<folder>/<release>`. MySQL's is here, and only here: the database goes with its client. */
const own = ["data", "logs", "mysql"] as const;

const removeLimitMs = 600_000;

/** What deleting the data needs, where this machine holds it: nobody else may work with it. Pure. */
export function planDeleteData(
  { mode, release, place }: StorageGround,
  { image, cluster, users }: Pick<DeleteData, "image" | "cluster"> & { users: Fact<readonly User[]> },
  done: readonly Done<Action>[],
): Planned<DeleteData> {
  if (mode === "node-local" || done.some(({ action }) => action.do === "storage.delete")) return nothing;
  const { dataDir } = place.hostDirs;
  const holders = holdersOf(place.hostDirs);
  if (users.state === "unknown") return { ...nothing, refusals: [cannotTellUsers(dataDir, users.why)] };
  if (users.value.length > 0) {
    return { ...nothing, refusals: [isInUse(place.platform.path.join(dataDir, release), users.value)] };
  }
  return {
    ...nothing,
    actions: [{ do: "storage.delete", because: "asked for with --delete-data", holders, release, image, cluster }],
  };
}

export const deletePerformer: Performer<DeleteData> = {
  room: "storage",
  reveals: [],
  says: ({ release, holders }) => `deleting the data of ${release} in ${holders.join(" and ")}`,
  perform: async (action, on) => {
    for (const holder of action.holders) await refuseWhatIsNotIts(holder, action, on);
    for (const holder of action.holders) await deleteBelow(holder, action, on);
  },
  prove: async ({ holders, release }, on) => {
    const left = (
      await Promise.all(
        foldersOf(holders, release, on).map(async (folder) => ((await isThere(folder)) ? [folder] : [])),
      )
    ).flat();
    const says =
      left.length === 0
        ? `nothing of ${release} is left in ${holders.join(" and ")}`
        : `still there: ${left.join(", ")}`;
    return known({ holds: left.length === 0, says }, "look at this machine's folders");
  },
};

/**
 * A link in the place of the release's folder leads to data of something else, and a container of another cluster that
 * has the folder works with what is in it: a slip in a name must not cost that one its data.
 */
async function refuseWhatIsNotIts(holder: string, { release, cluster }: DeleteData, on: Machine): Promise<void> {
  const folder = on.platform.path.join(holder, release);
  const seen = await lstat(folder).catch(() => undefined);
  if (seen === undefined) return;
  if (seen.isSymbolicLink()) throw new Failure(leadsElsewhere(folder));
  const users = await observeUsers([holder], cluster, on);
  if (users.state === "unknown") throw new Failure(cannotTellUsers(holder, users.why));
  if (users.value.length > 0) throw new Failure(isInUse(folder, users.value));
}

/** As this user first; what other uids own, by root in a container of the engine, which is who made it. */
async function deleteBelow(holder: string, { release, image }: DeleteData, on: Machine): Promise<void> {
  const folders = foldersOf([holder], release, on);
  try {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  } catch (error) {
    if (image === undefined) {
      throw new Failure(cannotDelete(folders, error instanceof Error ? error.message : String(error), on), error);
    }
    await deleteAsRoot(holder, release, image, on);
  }
  // Only where nothing else lies in it.
  await rmdir(on.platform.path.join(holder, release)).catch(() => undefined);
}

async function deleteAsRoot(holder: string, release: string, image: string, on: Machine): Promise<void> {
  const paths = own.map((name) => word(`/tracebloc/${release}/${name}`)).join(" ");
  const bind = bindSource(on.platform, holder);
  if (!bind.mountable) throw new Failure(cannotDelete(foldersOf([holder], release, on), bind.why, on));
  const result = await on.runner.run({
    file: "docker",
    args: [
      "container",
      "run",
      "--rm",
      "--interactive",
      "--network",
      "none",
      "--volume",
      `${bind.source}:/tracebloc`,
      "--entrypoint",
      "sh",
      image,
    ],
    stdin: `{ [ -L ${word(`/tracebloc/${release}`)} ] || rm -rf ${paths} </dev/null; }\n`,
    about: "docker run, to delete the data",
    timeoutMs: removeLimitMs,
    mutates: true,
  });
  if (!succeeded(result)) throw new Failure(cannotDelete(foldersOf([holder], release, on), firstComplaint(result), on));
}

function foldersOf(holders: readonly string[], release: string, on: Machine): string[] {
  return holders.flatMap((holder) => own.map((name) => on.platform.path.join(holder, release, name)));
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => (error as NodeJS.ErrnoException).code !== "ENOENT",
  );
}

function leadsElsewhere(folder: string): Finding {
  return {
    reason: "DATA_DIR_UNUSABLE",
    room: "storage",
    says: `${folder} is a symlink: what it leads to is not deleted`,
    remedies: [{ says: "look where it leads, and delete that yourself if it may go" }],
  };
}

function isInUse(folder: string, users: readonly User[]): Finding {
  return {
    reason: "DATA_IN_USE",
    room: "storage",
    says: `${folder} is not deleted: it is also in ${users.map(({ container }) => container).join(", ")}`,
    remedies: [
      { says: "is the name of the cluster right? See which there are", command: "docker container ls --all" },
      { says: "if those may go, remove them first, then run the same command again" },
    ],
  };
}

function cannotDelete(folders: readonly string[], why: string, on: Machine): Finding {
  return {
    reason: "DATA_DIR_UNUSABLE",
    room: "storage",
    says: `the data could not be deleted: ${why}`,
    remedies: [{ says: "delete it as root", command: commandLine(on.platform, "sudo", "rm", "-rf", ...folders) }],
  };
}
