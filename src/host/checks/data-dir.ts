import type { Remedy } from "../../engine/finding.ts";
import { commandLine } from "../../platform/shell.ts";
import type { Directory } from "../directory.ts";
import type { Standpoint } from "../explain.ts";
import { fine, refusal, shortage, type Check } from "./check.ts";

/** Can the data directory be used, or made? One that does not answer would hold whoever makes a folder in it for ever. */
export const dataDirCheck: Check = {
  about: "Data directory",
  check({ facts: { dataDir, standpoint }, wishes, before }) {
    if (dataDir.state === "unknown") {
      const says = `${wishes.dataDir.value} cannot be looked at: ${dataDir.why}`;
      return shortage(before, { create: "DATA_DIR_UNUSABLE", repair: "DATA_DIR_DOUBTFUL" }, says, [
        another("--data-dir"),
      ]);
    }
    const directory = dataDir.value;
    if (directory.hindrance === undefined) {
      return fine(`${directory.path} ${directory.exists ? "is there" : "can be made"}`);
    }
    const [says, remedies] = hindered(directory, standpoint, "--data-dir");
    return shortage(before, { create: "DATA_DIR_UNUSABLE", repair: "DATA_DIR_DOUBTFUL" }, says, remedies);
  },
};

/** Is a wished dataset directory there? It is never made: at the root of a share that is not mounted it would only look like it (backend#743). */
export const datasetDirCheck: Check = {
  about: "Dataset directory",
  check({ facts: { datasetDir, standpoint }, wishes, before }) {
    if (datasetDir === undefined) return fine("none asked for");
    if (datasetDir.state === "unknown") {
      const says = `${wishes.datasetDir.value} cannot be looked at: ${datasetDir.why}`;
      return shortage(before, { create: "DATA_DIR_UNUSABLE", repair: "DATA_DIR_DOUBTFUL" }, says, [
        { says: "bring its share back, then run the same command again" },
        another("--dataset-dir"),
      ]);
    }
    const directory = datasetDir.value;
    if (!directory.exists && directory.hindrance !== "not a directory") {
      const make = commandLine(standpoint.platform, "mkdir", directory.path);
      return refusal("DATA_DIR_UNUSABLE", `the dataset directory ${directory.path} does not exist`, [
        { says: "mount or make it, then run the same command again", command: make },
      ]);
    }
    if (directory.hindrance === undefined) return fine(`${directory.path} is there`);
    const [says, remedies] = hindered(directory, standpoint, "--dataset-dir");
    return shortage(before, { create: "DATA_DIR_UNUSABLE", repair: "DATA_DIR_DOUBTFUL" }, says, remedies);
  },
};

function another(flag: string): Remedy {
  return { says: `use another folder with ${flag}` };
}

function hindered(
  { path, exists, standsOn, hindrance, owner }: Directory,
  from: Standpoint,
  flag: string,
): [says: string, remedies: Remedy[]] {
  if (hindrance === "not a directory") return [`${standsOn} is not a directory`, [another(flag)]];
  if (hindrance === "read-only") return [`${standsOn} is on a file system that is mounted read-only`, [another(flag)]];
  const { platform, user } = from;
  if (!platform.posixModes) return [`${standsOn} may not be written by ${user.name}`, [another(flag)]];
  if (!exists) {
    const make = commandLine(platform, "sudo", "install", "-d", "-o", user.name, path);
    return [
      `${path} cannot be made: ${standsOn} may not be written by ${user.name}`,
      [{ says: "have it made for you", command: make }, another(flag)],
    ];
  }
  // Only the directory itself: what lies in it belongs to the users of the pods.
  const own = commandLine(platform, "sudo", "chown", user.name, path);
  const says =
    owner === 0
      ? `${path} belongs to root, as after a run with sudo: ${user.name} may not write there`
      : `${path} may not be written by ${user.name}`;
  return [says, [{ says: "take it over", command: own }, another(flag)]];
}
