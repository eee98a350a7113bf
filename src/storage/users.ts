import { realpath } from "node:fs/promises";

import type { StorageMode } from "../config/wishes.ts";
import { known, notYet, unknown, type Fact } from "../engine/fact.ts";
import type { Finding } from "../engine/finding.ts";
import { within, type Machine } from "../engine/machine.ts";
import { nothing, type Planned } from "../engine/plan.ts";
import { commandLine } from "../platform/shell.ts";
import type { Platform } from "../platform/platform.ts";
import { firstComplaint, succeeded } from "../process/runner.ts";
import type { HostDirs } from "./layout.ts";

/** A container, running or not, that has a folder of this machine; `cluster` is k3d's, where it is a node of one. */
export type User = { container: string; cluster: string | undefined };

const askLimitMs = 10_000;

/** Who else has the folders is not asked while a cluster runs: it was when that was made. */
export const usersNotYet: Fact<readonly User[]> = notYet("asked before a cluster is made, and before data is deleted");

/** The folders of this machine that the node gets. */
export function holdersOf({ dataDir, datasetDir }: HostDirs): string[] {
  return datasetDir === undefined ? [dataDir] : [dataDir, datasetDir];
}

/** The containers that have one of the folders by any of its names, those of `cluster` left out. */
export async function observeUsers(
  folders: readonly string[],
  cluster: string,
  on: Machine,
): Promise<Fact<readonly User[]>> {
  const start = on.now();
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  const filters = [...new Set([...folders, ...real])].flatMap((name) => ["--filter", `volume=${name}`]);
  const probe = "docker container ls";
  const result = await on.runner.run({
    file: "docker",
    args: ["container", "ls", "--all", ...filters, "--format", '{{.Names}} {{.Label "k3d.cluster"}}'],
    about: probe,
    timeoutMs: within(on, askLimitMs),
    raw: true,
  });
  if (!succeeded(result)) return unknown(firstComplaint(result), probe, on.now() - start);
  if (result.truncated) return unknown("its answer is too long", probe, on.now() - start);
  const lines = (result.raw ?? result.stdout).split("\n").filter((line) => line !== "");
  const users = lines.map((line): User => {
    const [container = "", of = ""] = line.split(" ");
    return { container, cluster: of === "" ? undefined : of };
  });
  return known(
    users.filter((user) => user.cluster !== cluster),
    probe,
    on.now() - start,
  );
}

/**
 * A new cluster must not get the folders of another one: both would run a database on the same files. Pure. Containers
 * that are no node, a backup for one, may have them.
 */
export function planUsers(
  users: Fact<readonly User[]>,
  { mode, dirs, cluster, platform }: { mode: StorageMode; dirs: HostDirs; cluster: string; platform: Platform },
): Planned<never> {
  if (mode === "node-local") return nothing;
  const folder = dirs.dataDir;
  if (users.state === "unknown") return { ...nothing, refusals: [cannotTellUsers(folder, users.why)] };
  const other = users.value.find((user) => user.cluster !== undefined);
  if (other?.cluster === undefined) return nothing;
  const elsewhere = commandLine(platform, "tracebloc", "install", "--cluster", cluster, "--data-dir", `${folder}-2`);
  return {
    ...nothing,
    refusals: [
      {
        reason: "DATA_IN_USE",
        room: "storage",
        says: `${holdersOf(dirs).join(" or ")} is in use by cluster ${other.cluster} (${other.container})`,
        remedies: [
          {
            says: "repair that cluster",
            command: commandLine(platform, "tracebloc", "install", "--cluster", other.cluster),
          },
          { says: "or give the new one a folder of its own", command: elsewhere },
        ],
      },
    ],
  };
}

/** Nothing is deleted, and no cluster made, while it is not known who else works with the folder. */
export function cannotTellUsers(folder: string, why: string): Finding {
  return {
    reason: "ENGINE_UNKNOWN",
    room: "storage",
    says: `whether another container uses ${folder} could not be told, so that nothing was done: ${why}`,
    remedies: [{ says: "see what the engine answers", command: "docker container ls --all" }],
  };
}
