import type { Remedy } from "../../engine/finding.ts";
import { commandLine } from "../../platform/shell.ts";
import { kindOfMount, type Mount } from "../mounts.ts";
import { fine, shortage, skipped, warning, type Asked, type Check, type Outcome } from "./check.ts";

/** Is the data directory on a file system that a database can live on? */
export const fileSystemCheck: Check = {
  about: "File system",
  check(asked) {
    const { dataMount } = asked.facts;
    const path = asked.wishes.dataDir.value;
    // A share of Windows is told by its name; a drive letter may stand for one, which nobody tells.
    if (/^(\\\\|\/\/)[^?.\\/]/.test(path)) return onNetwork(path, "a share", asked);
    if (dataMount.state === "unknown") return skipped(dataMount.why);
    return judge(dataMount.value, path, asked);
  },
};

function judge(mount: Mount, path: string, asked: Asked): Outcome {
  const local = useLocal(asked);
  switch (kindOfMount(mount)) {
    case "network":
      return onNetwork(path, `${mount.type}, ${mount.source}`, asked);
    case "shared":
      return warning(
        "DATA_DIR_DOUBTFUL",
        `${path} is a folder of another system (${mount.source}): slow, and it may keep no modes`,
        [local],
      );
    case "memory":
      return warning(
        "DATA_DIR_DOUBTFUL",
        `${path} is in memory (${mount.type}): after a restart all data would be gone`,
        [local],
      );
    case "unknown FUSE":
      return warning(
        "DATA_DIR_DOUBTFUL",
        `${path} is on a FUSE file system (${mount.type}) of which is not known whether it is local`,
        [local],
      );
    case "local":
      return fine(`local (${mount.type})`);
  }
}

/** MySQL relies on locks and on writes that are on disk when they are said to be: over a network it loses data. */
function onNetwork(path: string, where: string, asked: Asked): Outcome {
  const says = `${path} is on a network file system (${where}); MySQL would be damaged there`;
  const remedies = [useLocal(asked)];
  if (asked.wishes.datasetDir.value === undefined) {
    remedies.push({
      says: "large datasets may stay there",
      command: commandLine(asked.facts.standpoint.platform, "tracebloc", "install", "--dataset-dir", path),
    });
  }
  return shortage(asked.before, { create: "DATA_DIR_ON_NETWORK", repair: "DATA_DIR_DOUBTFUL" }, says, remedies);
}

function useLocal({ facts: { standpoint } }: Asked): Remedy {
  const { platform } = standpoint;
  if (platform.name === "windows") return { says: "use a folder on a disk of this machine with --data-dir" };
  const folder = platform.name === "macos" ? "/Users/Shared/tracebloc" : "/var/lib/tracebloc";
  return { says: "use a local disk", command: commandLine(platform, "tracebloc", "install", "--data-dir", folder) };
}
