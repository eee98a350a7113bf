import type { Fact } from "../../engine/fact.ts";
import type { Remedy } from "../../engine/finding.ts";
import { usedPart, type Space } from "../disk.ts";
import { fine, gigabytes, shortage, skipped, warning, type Check, type Outcome, type Purpose } from "./check.ts";
import { readyEngine } from "./ready.ts";

type Floors = {
  /** Free bytes: below the first nothing new is begun, below the second a word is said. */
  tooFew: number;
  few: number;
  /** Free inodes: a disk with bytes to spare can be full all the same (B18). */
  tooFewFiles: number;
  /** The used parts at which k3s begins to remove images, and to evict pods and refuse new ones (B19). */
  used?: { collects: number; evicts: number };
};

/** For the disk of the engine: images, layers and the logs of pods. */
export const engineFloors: Floors = {
  tooFew: 10e9,
  few: 20e9,
  tooFewFiles: 20_000,
  used: { collects: 0.85, evicts: 0.95 },
};
/** For the disk of the data directory. A fresh MySQL takes 0.2 GB; what datasets take is theirs to know. */
export const dataFloors: Floors = { tooFew: 1e9, few: 5e9, tooFewFiles: 1_000 };

/** Has the disk with the engine's images room? On a VM's own disk only the engine could tell, and it does not. */
export const engineDiskCheck: Check = {
  about: "Engine disk",
  check({ facts, before }) {
    const path = readyEngine(facts)?.rootDir ?? "the engine's disk";
    const remedies = [
      { says: "see what takes the room", command: "docker system df" },
      {
        says: "or let Docker keep its data on a larger disk: https://docs.docker.com/engine/daemon/#daemon-data-directory",
      },
    ];
    return room(facts.engineSpace, path, engineFloors, remedies, before);
  },
};

/** Has the disk with the data directory room? */
export const dataDiskCheck: Check = {
  about: "Data disk",
  check({ facts, wishes, before }) {
    const path = facts.dataDir.state === "known" ? facts.dataDir.value.standsOn : wishes.dataDir.value;
    const remedies = [{ says: "free some, or use a folder on a larger disk with --data-dir" }];
    return room(facts.dataSpace, path, dataFloors, remedies, before);
  },
};

function room(space: Fact<Space>, path: string, floors: Floors, remedies: readonly Remedy[], before: Purpose): Outcome {
  if (space.state === "unknown") return skipped(space.why);
  const { freeBytes, totalBytes, freeFiles } = space.value;
  const used = usedPart(space.value);
  const free = `${path} has ${gigabytes(freeBytes)} free of ${gigabytes(totalBytes)}`;
  const tooSmall = (says: string) => shortage(before, { create: "DISK_TOO_SMALL", repair: "DISK_LOW" }, says, remedies);

  if (freeBytes < floors.tooFew) return tooSmall(`${free}; at least ${gigabytes(floors.tooFew)} are needed`);
  if (floors.used !== undefined && used >= floors.used.evicts) {
    return tooSmall(`${free}: it is ${percent(used)} full, and from ${percent(floors.used.evicts)} on k3s evicts pods`);
  }
  if (freeFiles !== undefined && freeFiles < floors.tooFewFiles) {
    return tooSmall(`${path} has room for ${freeFiles} more files (inodes); at least ${floors.tooFewFiles} are needed`);
  }
  if (freeBytes < floors.few) return warning("DISK_LOW", `${free}; ${gigabytes(floors.few)} are comfortable`, remedies);
  if (floors.used !== undefined && used >= floors.used.collects) {
    return warning(
      "DISK_LOW",
      `${free}: it is ${percent(used)} full, and from ${percent(floors.used.collects)} on k3s removes images it thinks unused`,
      remedies,
    );
  }
  return fine(`${gigabytes(freeBytes)} free at ${path}`);
}

/** Rounded down: a disk is 100 % full when it is. */
function percent(part: number): string {
  return `${Math.floor(part * 100)} %`;
}
