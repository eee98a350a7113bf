/** What the chart puts behind the name of a release, with the longest name that Kubernetes takes for such an object. */
export type Suffix = { suffix: string; longest: number };

/** A label's value, and so every name that becomes one: Jobs, and workloads whose pods carry it. */
const label = 63;
/** A CronJob leaves room for the time that its Jobs are named with. */
const cronJob = 52;
/** Objects that only need to be a DNS subdomain: Secrets, ConfigMaps, volumes, roles, accounts. */
const subdomain = 253;

/** The one table. A chart that renders a longer name fails its test against this. */
export const releaseSuffixes: readonly Suffix[] = [
  { suffix: "-jobs-manager", longest: label },
  { suffix: "-requests-proxy", longest: label },
  { suffix: "-egress-proxy", longest: label },
  { suffix: "-resource-monitor", longest: label },
  { suffix: "-telemetry-collector", longest: label },
  { suffix: "-egress-enforcement-check", longest: label },
  { suffix: "-egress-reachability-check", longest: label },
  { suffix: "-storage-assertions-check", longest: label },
  { suffix: "-auto-upgrade", longest: cronJob },
  { suffix: "-image-refresh", longest: cronJob },
  { suffix: "-secrets", longest: subdomain },
  { suffix: "-regcred", longest: subdomain },
  { suffix: "-ingestion-authz", longest: subdomain },
  { suffix: "-ca-bundle", longest: subdomain },
  { suffix: "-storage-class", longest: subdomain },
  { suffix: "-data-pv", longest: subdomain },
  { suffix: "-logs-pv", longest: subdomain },
  { suffix: "-mysql-pv", longest: subdomain },
  { suffix: "-training-egress", longest: subdomain },
  { suffix: "-jobs-manager-rbac", longest: subdomain },
  { suffix: "-jobs-manager-node-agents", longest: subdomain },
  { suffix: "-auto-upgrade-scoped", longest: subdomain },
  { suffix: "-auto-upgrade-node-agents", longest: subdomain },
  { suffix: "-auto-upgrade-gpu-device-plugin", longest: subdomain },
  { suffix: "-image-refresh-node-agents", longest: subdomain },
];

/** As many characters as all of them leave for the name in front. */
export const longestSuffixRoom = Math.min(...releaseSuffixes.map(({ suffix, longest }) => longest - suffix.length));
