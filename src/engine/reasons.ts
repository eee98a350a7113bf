/** What the process exits with. Documented in INSTALL.md; a test compares the two. */
export const exitCodes = {
  done: 0,
  defect: 1,
  input: 2,
  machine: 3,
  surroundings: 4,
  refused: 5,
  degraded: 6,
  deadline: 7,
  locked: 8,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** `hint` ends no run badly; `unproven` does with `--strict` only. */
type Kind = keyof typeof exitCodes | "hint" | "unproven";

/** Every way a run can end other than well: the stable name that programs match, its exit kind, and what it means. The one table; INSTALL.md lists it. */
export const reasons = {
  DEFECT: { kind: "defect", means: "a defect of this program" },

  CONFIG_INVALID: { kind: "input", means: "a setting has a value that is not allowed" },
  CONFIG_UNREADABLE: { kind: "input", means: "a configuration or values file cannot be read" },
  CONFIG_CONFLICT: { kind: "input", means: "two settings exclude each other" },
  CONFIG_IGNORED: { kind: "hint", means: "something that is asked for has no effect here" },
  USAGE: { kind: "input", means: "no such command or flag" },
  FILE_EXISTS: { kind: "input", means: "a file that was to be written is there already" },
  FILE_UNWRITABLE: { kind: "machine", means: "a file that was asked for cannot be written" },
  CREDENTIALS_CLEANED: { kind: "hint", means: "control characters were taken out of a credential" },
  CREDENTIALS_MISSING: { kind: "input", means: "a new client needs a client id and a password" },
  CREDENTIALS_REJECTED: { kind: "input", means: "the backend does not know this client id and password" },
  CREDENTIALS_INACTIVE: { kind: "input", means: "the client exists but is not activated" },
  CREDENTIALS_UNVERIFIED: { kind: "unproven", means: "the backend could not be asked about the credentials" },
  CONFIRMATION_MISSING: { kind: "input", means: "a deletion was not confirmed" },

  ENGINE_NOT_INSTALLED: { kind: "machine", means: "no container engine was found" },
  ENGINE_NOT_RUNNING: { kind: "machine", means: "the container engine is installed but not running" },
  ENGINE_NO_PERMISSION: { kind: "machine", means: "the container engine runs, but this user may not use it" },
  ENGINE_WRONG_CONTEXT: {
    kind: "machine",
    means: "the Docker context or DOCKER_HOST names an engine that is not there or not on this machine",
  },
  ENGINE_NOT_ANSWERING: { kind: "deadline", means: "the container engine accepts calls and does not answer them" },
  ENGINE_TOO_OLD: { kind: "machine", means: "the container engine's API is older than the tools need" },
  ENGINE_IS_PODMAN: { kind: "machine", means: "Podman answers in place of Docker, which k3d needs" },
  ENGINE_WINDOWS_CONTAINERS: { kind: "machine", means: "the engine runs Windows containers" },
  ENGINE_CREDENTIAL_HELPER: {
    kind: "machine",
    means: "Docker's configuration names a credential helper that does not exist",
  },
  ENGINE_CONFINED: { kind: "hint", means: "the engine sees only parts of this machine's file system" },
  CREDENTIAL_HELPER_MISSING: {
    kind: "hint",
    means: "Docker's configuration names a credential helper that is not there, and nothing needed it",
  },
  ENGINE_UNKNOWN: { kind: "surroundings", means: "the container engine's state could not be told" },
  MEMORY_TOO_SMALL: { kind: "machine", means: "too little memory" },
  MEMORY_LOW: { kind: "hint", means: "little memory" },
  CPU_FEW: { kind: "hint", means: "few processors" },
  DISK_TOO_SMALL: { kind: "surroundings", means: "too little free disk" },
  DISK_LOW: { kind: "hint", means: "little free disk" },
  DATA_DIR_ON_NETWORK: { kind: "machine", means: "the data directory is on a network file system" },
  DATA_DIR_DOUBTFUL: { kind: "hint", means: "the data directory is on a file system that may not keep it well" },
  DATA_DIR_UNUSABLE: { kind: "machine", means: "the data directory cannot be made or written" },
  KERNEL_LIMIT_LOW: { kind: "hint", means: "a limit of the kernel is lower than a cluster needs" },
  PORT_TAKEN: { kind: "machine", means: "the API port asked for is in use" },
  PLATFORM_UNSUPPORTED: { kind: "machine", means: "the operating system is not one that this program knows" },
  NOT_INSTALLED: { kind: "machine", means: "there is no installation here" },
  STATE_UNUSABLE: { kind: "machine", means: "the state directory cannot be used" },
  STATE_NEWER: { kind: "refused", means: "the state was written by a newer version" },

  TOOL_MISSING: { kind: "machine", means: "a tool is missing and could not be fetched" },
  TOOL_UNUSABLE: { kind: "machine", means: "a tool does not run or has an unusable version" },
  TOOL_MISMATCH: { kind: "surroundings", means: "a download is not what was pinned" },
  DOWNLOAD_FAILED: { kind: "surroundings", means: "a download failed" },

  CLUSTER_NOT_OURS: { kind: "refused", means: "a cluster of this name holds something else" },
  CLUSTER_INCOMPLETE: {
    kind: "refused",
    means: "a cluster of this name is incomplete and was not made by this installation",
  },
  CLUSTER_UNKNOWN: { kind: "surroundings", means: "whether the cluster exists could not be told" },
  CLUSTER_DIFFERS: { kind: "refused", means: "the cluster was made with settings other than those asked for" },
  CLUSTER_CREATE_FAILED: { kind: "surroundings", means: "the cluster could not be created" },
  CLUSTER_START_FAILED: { kind: "surroundings", means: "the cluster could not be started" },
  CLUSTER_STOPPED: { kind: "degraded", means: "the cluster is stopped" },
  NODE_PAUSED: { kind: "degraded", means: "the node is paused" },
  NODE_RESTARTING: { kind: "degraded", means: "the node restarts again and again" },
  API_NOT_ANSWERING: { kind: "deadline", means: "the Kubernetes API does not answer" },
  KUBECONFIG_UNUSABLE: { kind: "surroundings", means: "the cluster's kubeconfig could not be had" },
  IMAGE_PULL_FAILED: { kind: "surroundings", means: "an image could not be pulled" },
  IMAGE_PULL_TLS: { kind: "surroundings", means: "a registry's certificate is not trusted" },
  IMAGE_PULL_DENIED: { kind: "surroundings", means: "a registry refuses the user name and password, or wants some" },
  IMAGE_PULL_LIMIT: { kind: "surroundings", means: "the registry's pull limit is reached" },
  NO_SPACE: { kind: "surroundings", means: "no space left" },
  MIRROR_IGNORED: { kind: "hint", means: "the node was made without the mirror or the certificates asked for" },
  PIN_CHANGED: { kind: "hint", means: "an image or tool other than the pinned one is used" },

  STORAGE_BLOCKED: { kind: "degraded", means: "a directory cannot be written by the workloads" },
  STORAGE_UNKNOWN: { kind: "unproven", means: "a directory could not be proven writable" },
  DATA_IN_USE: { kind: "refused", means: "another container uses the folder that was to be used, or deleted" },
  STORAGE_NOT_SHARED: { kind: "refused", means: "the node does not see the data directory of this machine" },

  RELEASE_OF_ANOTHER_CLIENT: { kind: "refused", means: "the cluster holds a client with another id" },
  RELEASE_NOT_OURS: { kind: "refused", means: "the namespace holds a release of another chart" },
  RELEASE_FIXED: { kind: "refused", means: "something is asked for that is fixed for the life of a release" },
  VOLUME_NOT_FREED: { kind: "surroundings", means: "a volume of the release could not be freed for its claim" },
  RELEASE_UNREADABLE: { kind: "refused", means: "a release cannot be read" },
  RELEASE_PENDING: { kind: "refused", means: "a Helm operation on the release was cut off or is running" },
  RELEASE_CONFLICT: { kind: "refused", means: "another manager changed objects of the release" },
  RELEASE_FAILED: { kind: "degraded", means: "the newest revision of the release failed" },
  RELEASE_DIFFERS: { kind: "degraded", means: "the release is not as it is asked for" },
  RELEASE_MISSING: { kind: "degraded", means: "the cluster runs but holds no release" },
  RELEASE_UNKNOWN: { kind: "surroundings", means: "the release could not be told" },
  HELM_FAILED: { kind: "surroundings", means: "Helm failed" },
  CHART_INVALID: { kind: "input", means: "the chart or its values are not valid" },
  CHART_OLDER: { kind: "hint", means: "the release runs an older or adopted chart" },
  IMAGES_UNKNOWN: { kind: "surroundings", means: "not all images of an installation could be told" },
  WORKLOAD_NOT_READY: { kind: "degraded", means: "a workload is not ready" },

  INGEST_INVALID: { kind: "input", means: "an IngestConfig is not valid" },
  INGEST_UNREADABLE: { kind: "input", means: "an IngestConfig cannot be read" },
  DATASET_INVALID: { kind: "input", means: "a dataset cannot be staged" },
  DATASET_IN_THE_WAY: { kind: "refused", means: "something else lies where a dataset is to go" },

  RUN_AT_WORK: { kind: "hint", means: "another run is at work, so that what is seen may be half done" },
  RUN_LOCKED: { kind: "locked", means: "another run is at work" },
  PREVIOUS_RUN_CUT_OFF: { kind: "hint", means: "the previous run ended without finishing" },
  CHILD_STILL_RUNS: { kind: "deadline", means: "a program started by an earlier run is still at work" },
  DEADLINE: { kind: "deadline", means: "the time given with --timeout is over" },
  NOT_CONVERGED: { kind: "defect", means: "the plan did not come to an end" },
  INTERRUPTED: { kind: "interrupted", means: "interrupted" },
  TERMINATED: { kind: "terminated", means: "terminated" },
} as const satisfies Record<string, { kind: Kind; means: string }>;

export type Reason = keyof typeof reasons;

/** Worth knowing, and never what an exit code is for. */
export function isHint(reason: Reason): boolean {
  return reasons[reason].kind === "hint";
}

/** The exit code of a run that ends for this reason; `strict` makes what is not proven count as degraded. */
export function exitCodeOf(reason: Reason, strict = false): ExitCode {
  const { kind } = reasons[reason];
  if (kind === "hint") return exitCodes.done;
  if (kind === "unproven") return strict ? exitCodes.degraded : exitCodes.done;
  return exitCodes[kind];
}
