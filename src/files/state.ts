import { join } from "node:path";

/** Where our own state lies, all of it below one private folder (0700). Nothing here is ever mounted into the node. */
export type StatePaths = {
  root: string;
  /** Who we are on this machine: the installation id and the version that wrote it. */
  installation: string;
  /** Held by the run that is at work. */
  lock: string;
  /** One journal per run, named so that the newest sorts last. */
  runs: string;
  /** Tools fetched by pinned digest. */
  tools: string;
  /** Our own kubeconfig for one cluster, 0600: the user's may point anywhere (B07). */
  kubeconfig(cluster: string): string;
  /** Where k3d is told of a mirror while it makes a cluster, 0600: a password may be in it. */
  registries(cluster: string): string;
  /** The values that Helm was last given for one release of a cluster, 0600: they hold the client's password. */
  values(cluster: string, release: string): string;
};

/** The paths below `root`, which the platform or TRACEBLOC_STATE_DIR names. Pure: nothing is looked at or made. */
export function statePaths(root: string): StatePaths {
  return {
    root,
    installation: join(root, "installation.json"),
    lock: join(root, "lock"),
    runs: join(root, "runs"),
    tools: join(root, "tools"),
    kubeconfig: (cluster) => join(root, folderOf(cluster), "kubeconfig.yaml"),
    registries: (cluster) => join(root, folderOf(cluster), "registries.yaml"),
    values: (cluster, release) => join(root, folderOf(cluster), `values-${encodeURIComponent(release)}.yaml`),
  };
}

/** The prefix keeps apart what Windows reserves (`con`, `nul`); a stranger's name cannot leave the folder. */
function folderOf(cluster: string): string {
  return `cluster-${encodeURIComponent(cluster)}`;
}
