/** What a variable of the installers before this one led to, and what does it now. */
export type Obsolete = { variables: readonly string[]; instead: string };

const timeouts = words(`
  READY_TIMEOUT TB_API_WAIT_S TB_CLUSTER_START_TIMEOUT_MIN TB_CREATE_TIMEOUT_MIN TB_DOCKER_WAIT_MIN
  TB_GPU_BUILD_TIMEOUT_MIN TB_HELM_TIMEOUT_MIN TB_KUBECONFIG_MERGE_TIMEOUT TB_METRICS_WAIT_S TB_PULL_TIMEOUT
  TRACEBLOC_DOCTOR_TIMEOUT`);

const probes = words(`
  TB_AMD64_SMOKE_IMAGE TB_AMD64_SMOKE_TIMEOUT TB_ASSESS_DOCKER_TIMEOUT TB_ASSESS_KUBECTL_TIMEOUT
  TB_CURL_CONNECT_TIMEOUT TB_CURL_MAX_TIME TB_DOCKER_INSPECT_TIMEOUT TB_DOCKER_PROBE_TIMEOUT TB_MIN_DOWNLOAD_BYTES
  TB_PROBE_TIMEOUT TB_PROBE_VERIFY TB_PROGRESS_KUBECTL_TIMEOUT`);

const thresholds = words(`
  PF_MIN_MEM_GB PF_WARN_MEM_GB PF_REC_MEM_GB PF_OS_RESERVE_GB PF_VM_MEM_GRACE_MIB PF_MIN_CPU PF_REC_CPU
  PF_MIN_DISK_GB PF_WARN_DISK_GB TRACEBLOC_SKIP_PREFLIGHT`);

const registry = words("TRACEBLOC_REGISTRY_SERVER TRACEBLOC_REGISTRY_EMAIL");

const machine = words(`
  TRACEBLOC_NO_AUTOSTART TB_TIER1_ROOTLESS TB_FORCE_TIER TB_PREPARE_USER TRACEBLOC_SKIP_DAILY_USER
  TRACEBLOC_SKIP_REBOOT_PROMPT TRACEBLOC_DOCKER_ARCH_PROMPT TRACEBLOC_ALLOW_UNVERIFIED_DOCKER_DMG
  GPU_DEVICE_PLUGIN_NAMESPACE`);

/** The one table of variables that have no effect any more. What does the same under its old name is in `names.ts`. */
export const obsolete: readonly Obsolete[] = [
  { variables: ["TB_PLAIN"], instead: "--no-color or NO_COLOR=1" },
  { variables: ["TRACEBLOC_FORCE_REINSTALL", "TB_FORCE_REINSTALL"], instead: "--force" },
  { variables: ["SERVERS", "AGENTS"], instead: "nothing: a cluster has one server and no agents" },
  {
    variables: ["K8S_VERSION", "TRACEBLOC_K3S_CUDA_IMAGE"],
    instead: "TRACEBLOC_K3S_IMAGE, with the whole name of an image",
  },
  {
    variables: ["K3D_VERSION", "HELM_VERSION"],
    instead: "nothing: versions are pinned, and a suitable one on PATH is used",
  },
  { variables: timeouts, instead: "--timeout or TRACEBLOC_TIMEOUT, for the whole run" },
  { variables: probes, instead: "nothing: every question has a bound of its own" },
  { variables: thresholds, instead: "nothing: what a machine needs is fixed, and what it lacks is said" },
  {
    variables: ["TRACEBLOC_ALLOW_NETWORK_FS"],
    instead: "--data-dir on a local disk; --dataset-dir may stay on the network",
  },
  { variables: ["TRACEBLOC_ALLOW_ARM64", "TB_MYSQL_ENGINE"], instead: "--values, with images.mysqlClient.tag" },
  {
    variables: ["TRACEBLOC_TRAINING_RESOURCES"],
    instead: "--values, with env.RESOURCE_REQUESTS and env.RESOURCE_LIMITS",
  },
  {
    variables: ["TB_LEFTOVER_ACTION", "TRACEBLOC_SKIP_LEFTOVER_GUARD"],
    instead: "nothing: data that is there is kept and used; tracebloc uninstall --delete-data removes it",
  },
  {
    variables: ["TRACEBLOC_CLIENT_NAME", "TRACEBLOC_CLIENT_LOCATION", "TRACEBLOC_CLIENT_ADOPTED"],
    instead: "TRACEBLOC_CLIENT_ID and TRACEBLOC_CLIENT_PASSWORD of a client from the dashboard",
  },
  { variables: registry, instead: "TRACEBLOC_IMAGE_REGISTRY, or --values with dockerRegistry" },
  { variables: machine, instead: "nothing: the engine and the machine are set up beforehand, by you" },
  {
    variables: ["TRACEBLOC_INSTALL_REF", "TRACEBLOC_ALLOW_UNVERIFIED"],
    instead: "nothing: the version is that of the checkout",
  },
];

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
