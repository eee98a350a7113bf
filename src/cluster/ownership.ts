import { wasAsked, type StorageMode, type Wishes } from "../config/wishes.ts";
import type { Installation } from "./installation.ts";
import { mountAt, mountPoints, type Mount, type Node } from "./node.ts";

/** Whose a cluster is, as far as its node tells. */
export type Ownership =
  /** We made it: it carries our label with this installation's id. */
  | { whose: "ours" }
  /** Its data is a folder of this machine. The release tells the rest: chart `client`, a client id that can be read. */
  | { whose: "adoptable" }
  | { whose: "foreign"; why: string };

/** Whose the node is: pure. A label of another installation does not make it foreign: our state may have been lost. */
export function ownershipOf(node: Node, installation: Installation | undefined): Ownership {
  if (installation !== undefined && node.installation === installation.id) return { whose: "ours" };
  const data = mountAt(node, mountPoints.data);
  if (data === undefined) return { whose: "foreign", why: `nothing is mounted at ${mountPoints.data} in its node` };
  if (data.type !== "bind") {
    return { whose: "foreign", why: `${mountPoints.data} in its node is a ${data.type}, not a folder of this machine` };
  }
  return { whose: "adoptable" };
}

/** Where the data of this cluster lies on this machine, spelled as a person here would; undefined in node-local mode. */
export function effectiveDataDir(node: Node, wishes: Wishes): string | undefined {
  return folderAt(node, mountPoints.data, wishes.dataDir.value);
}

/** Where its datasets lie on this machine, where that is a folder of its own. */
export function effectiveDatasetDir(node: Node, wishes: Wishes): string | undefined {
  return folderAt(node, mountPoints.datasets, wishes.datasetDir.value);
}

/** Hostpath where the node has the data directory; the environment of today does not change what it was made with. */
export function effectiveStorageMode(node: Node): StorageMode {
  return mountAt(node, mountPoints.data) === undefined ? "node-local" : "hostpath";
}

/** A setting that a person asked for and that the node was not made with. */
export type Difference = {
  setting: "dataDir" | "datasetDir" | "storageMode";
  wished: string;
  found: string | undefined;
};

/** What was asked for and differs: pure. What was not asked for follows the node (B12). */
export function differences(node: Node, wishes: Wishes): Difference[] {
  const { dataDir, datasetDir, storageMode } = wishes;
  const found: Difference[] = [];
  const mode = effectiveStorageMode(node);
  if (wasAsked(storageMode) && storageMode.value !== mode) {
    found.push({ setting: "storageMode", wished: storageMode.value, found: mode });
  }
  const data = mountAt(node, mountPoints.data);
  if (wasAsked(dataDir) && mode === "hostpath" && !isFolder(data, dataDir.value)) {
    found.push({ setting: "dataDir", wished: dataDir.value, found: data?.asked ?? data?.source });
  }
  const datasets = mountAt(node, mountPoints.datasets);
  if (wasAsked(datasetDir) && datasetDir.value !== undefined && !isFolder(datasets, datasetDir.value)) {
    found.push({ setting: "datasetDir", wished: datasetDir.value, found: datasets?.asked ?? datasets?.source });
  }
  return found;
}

function folderAt(node: Node, destination: string, wished: string | undefined): string | undefined {
  const mount = mountAt(node, destination);
  if (mount === undefined || mount.type !== "bind") return undefined;
  return wished !== undefined && isFolder(mount, wished) ? wished : (mount.asked ?? hostSpelling(mount.source));
}

/** True where the mount is a bind of this folder, by either of its two spellings. */
export function isFolder(mount: Mount | undefined, folder: string): boolean {
  if (mount === undefined || mount.type !== "bind") return false;
  const wanted = comparable(folder);
  return [mount.source, mount.asked].some((spelling) => spelling !== undefined && comparable(spelling) === wanted);
}

/**
 * Docker Desktop names a folder of the host by where its virtual machine has it: `/host_mnt/Users/…`,
 * `/run/desktop/mnt/host/c/Users/…`.
 */
function hostSpelling(source: string): string {
  const drive = /^\/(?:run\/desktop\/mnt\/host|host_mnt)\/([a-z])(\/.*)?$/i.exec(source);
  if (drive !== null) return `${(drive[1] ?? "").toUpperCase()}:${drive[2] ?? "/"}`;
  return source.replace(/^\/host_mnt(?=\/)/, "");
}

/** Drive letters and what is below them do not tell upper from lower case; POSIX paths do. */
function comparable(folder: string): string {
  const path = hostSpelling(folder.replaceAll("\\", "/")).replace(/(?<=.)\/+$/, "");
  return /^[a-z]:/i.test(path) ? path.toLowerCase() : path;
}
