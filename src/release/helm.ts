import type { Finding } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import type { Platform } from "../platform/platform.ts";
import { commandLine } from "../platform/shell.ts";
import { firstComplaint, type Command, type RunResult } from "../process/runner.ts";

/** How to reach a cluster with Helm: never by what the user's own kubeconfig happens to point at (B07). */
export type HelmAccess = { helm: string; kubeconfig: string; context: string };

/** What a release is made from. `chart` is a folder, an archive or a reference; `values` a 0600 file. */
type Upgrade = {
  name: string;
  namespace: string;
  chart: string;
  values: string;
  labels: Readonly<Record<string, string>>;
};

/** TERM first and a long grace: a killed Helm leaves the release `pending-*` and every later one refused (B05). */
const graceMs = 60_000;

/** The call that installs or upgrades. Bound in milliseconds. */
export function helmApply(access: HelmAccess, release: Upgrade, timeoutMs: number): Command {
  const args = ["upgrade", "--install", release.name, release.chart, "--create-namespace", "--cleanup-on-fail"];
  args.push("--values", oneItem(release.values), "--labels", labelList(release.labels));
  args.push("--timeout", seconds(timeoutMs));
  return helm(access, release.namespace, args, "helm upgrade", timeoutMs);
}

/** The call that removes a release; what carries the keep policy stays. */
export function helmUninstall(
  access: HelmAccess,
  release: { name: string; namespace: string },
  timeoutMs: number,
): Command {
  return helm(
    access,
    release.namespace,
    ["uninstall", release.name, "--timeout", seconds(timeoutMs)],
    "helm uninstall",
    timeoutMs,
  );
}

/** A chart to be rendered: `values` is the text of a values file, and `args` are the operator's own, which go before it. */
type Template = { name: string; namespace: string; chart: string; values: string; args: readonly string[] };

/** The call that renders a chart and asks no cluster. What it prints holds the client's password, and goes nowhere as it is. */
export function helmTemplate(
  file: string,
  { name, namespace, chart, values, args }: Template,
  timeoutMs: number,
  { stop, platform }: Pick<Machine, "stop" | "platform">,
): Command {
  return {
    file,
    args: ["template", name, chart, "--namespace", namespace, "--values", "-", ...args],
    about: "helm template",
    timeoutMs,
    graceMs: 500,
    stdin: values,
    env: { ...withoutOthers, KUBECONFIG: platform.nullDevice },
    maxBytes: 64 << 20,
    signal: stop,
    raw: true,
  };
}

function helm(access: HelmAccess, namespace: string, args: string[], about: string, timeoutMs: number): Command {
  const road = ["--namespace", namespace, "--kubeconfig", access.kubeconfig, "--kube-context", access.context];
  return {
    file: access.helm,
    args: [...args, ...road],
    about,
    // Helm gives up by itself first: our own deadline is for a Helm that does not.
    timeoutMs: timeoutMs + 30_000,
    graceMs,
    mutates: true,
    env: { ...withoutOthers, HELM_DRIVER: "secret" },
  };
}

/**
 * What a shell may carry for other clusters must not bend a call: Helm takes an API server from its variable before the
 * one of the kubeconfig, and another storage driver would hide the release.
 */
const forOtherClusters = [
  "KUBECONFIG",
  "HELM_DEBUG",
  "HELM_KUBEAPISERVER",
  "HELM_KUBEASGROUPS",
  "HELM_KUBEASUSER",
  "HELM_KUBECAFILE",
  "HELM_KUBECONTEXT",
  "HELM_KUBEINSECURE_SKIP_TLS_VERIFY",
  "HELM_KUBETLS_SERVER_NAME",
  "HELM_KUBETOKEN",
  "HELM_NAMESPACE",
];
const withoutOthers = Object.fromEntries(forOtherClusters.map((name) => [name, undefined]));

/** `--values` takes a list with commas, as a line of CSV: a path with a comma or quotes in it has to stand in quotes. */
function oneItem(path: string): string {
  return /[",]/.test(path) ? `"${path.replaceAll('"', '""')}"` : path;
}

function seconds(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1000))}s`;
}

/**
 * The same upgrade for a person to paste, who has decided that this release is right and the other manager is not. We
 * never do that by ourselves. The wishes are noted, so that the next run finds nothing left to do.
 */
export function takeOverCommand(platform: Platform, release: Upgrade): string {
  const args = [
    "upgrade",
    release.name,
    release.chart,
    "--namespace",
    release.namespace,
    "--values",
    oneItem(release.values),
  ];
  return commandLine(platform, "helm", ...args, "--labels", labelList(release.labels), "--force-conflicts");
}

function labelList(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}

/** What a failed Helm call means: the conflict, the schema's words, the namespace that is going, or Helm's own first line. Pure. */
export function helmFailure(
  result: RunResult,
  release: { name: string; namespace: string },
  takeOver?: string,
): Finding {
  const text = told(result);
  const details = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(0, 20);
  const road = `--namespace ${release.namespace}`;
  const again = { says: "then run the same command again", command: "tracebloc install" };
  const base = { room: "release" as const, details };

  if (/another operation \(install\/upgrade\/rollback\) is in progress/.test(text)) {
    return {
      ...base,
      reason: "RELEASE_PENDING",
      says: `another Helm operation on ${release.name} is in progress`,
      remedies: [{ says: "see which", command: `helm history ${release.name} ${road}` }, again],
    };
  }
  const conflict = readConflict(text);
  if (conflict !== undefined) {
    return {
      ...base,
      reason: "RELEASE_CONFLICT",
      says: `${conflict.object} was changed by ${conflict.managers.join(" and ")}: ${conflict.fields.join(", ")}`,
      remedies: [
        {
          says: "see who owns which field",
          command: `kubectl get ${conflict.object} ${road} --show-managed-fields -o yaml`,
        },
        ...(takeOver === undefined
          ? []
          : [{ says: "let the release have them back, if that change is not wanted", command: takeOver }, again]),
      ],
    };
  }
  const taken = readOwnership(text);
  if (taken !== undefined) {
    return {
      ...base,
      reason: "RELEASE_NOT_OURS",
      says: `${taken.object} exists in namespace ${taken.namespace} and belongs to ${taken.owner}`,
      remedies: [
        { says: "see what it is", command: `kubectl get ${taken.object} --namespace ${taken.namespace} -o yaml` },
        { says: "or use another namespace", command: `tracebloc install --namespace ${release.namespace}-client` },
      ],
    };
  }
  if (/being terminated|is terminating/.test(text)) {
    return {
      ...base,
      reason: "HELM_FAILED",
      says: `namespace ${release.namespace} is being deleted`,
      remedies: [{ says: "see what holds it", command: `kubectl get namespace ${release.namespace} -o yaml` }, again],
    };
  }
  if (/needs the metrics API \(v1beta1\.metrics\.k8s\.io\)/.test(text)) {
    return {
      room: "release",
      reason: "CHART_INVALID",
      says: "the chart's resource monitor needs the metrics API, and the cluster has none",
      remedies: [
        { says: "see whether metrics-server is well", command: "kubectl get apiservice v1beta1.metrics.k8s.io" },
        { says: "or do without: `resourceMonitor: false` in a file", command: "tracebloc install --values FILE" },
      ],
    };
  }
  if (
    /values don't meet the specifications|at '[^']*': |chart requires kubeVersion|Chart\.yaml file is missing|failed to parse .*values|execution error at/.test(
      text,
    )
  ) {
    return {
      ...base,
      reason: "CHART_INVALID",
      says: `the chart refuses its values: ${withoutPrefix(details[0] ?? "")}`,
      remedies: [{ says: "see what was asked for", command: "tracebloc config show" }],
    };
  }
  const complaint = details[0] === undefined || result.outcome !== "exited" ? firstComplaint(result) : details[0];
  return {
    ...base,
    reason: "HELM_FAILED",
    says: `${result.outcome === "timed-out" ? "helm upgrade: " : ""}${withoutPrefix(complaint)}`,
    remedies: [{ ...again, says: "run the same command again" }],
  };
}

/** Helm 4 logs a failure (`level=WARN msg=…`) before it tells it. What it tells begins with `Error: `, and may go on for lines. */
function told({ stderr }: RunResult): string {
  const at = stderr.search(/^Error: /m);
  return at === -1 ? stderr : stderr.slice(at);
}

function withoutPrefix(complaint: string): string {
  return complaint.replace(/^Error: (?:(?:INSTALLATION|UPGRADE) FAILED: )?/, "");
}

/** B36: an object that the chart would make and that is somebody else's, another release's or nobody's. */
function readOwnership(text: string): { object: string; namespace: string; owner: string } | undefined {
  const head = /(\w+) "([^"]+)" in namespace "([^"]*)" exists and cannot be imported into the current release/.exec(
    text,
  );
  if (head === null) return undefined;
  const [, kind = "", name = "", namespace = ""] = head;
  const other = /release-name" must equal "[^"]*": current value is "([^"]+)"/.exec(text)?.[1];
  const elsewhere = /release-namespace" must equal "[^"]*": current value is "([^"]+)"/.exec(text)?.[1];
  const release = other === undefined ? "a release" : `release ${other}`;
  const owner = elsewhere === undefined ? (other === undefined ? "no release" : release) : `${release} in ${elsewhere}`;
  return { object: `${kind.toLowerCase()}/${name}`, namespace, owner };
}

/** B16: the object, the managers and the fields of a server-side apply conflict, in both of Helm's layouts. */
export function readConflict(text: string): { object: string; managers: string[]; fields: string[] } | undefined {
  const head = /conflict occurred while applying object (\S+) (\S+), Kind=(\w+)/.exec(text);
  if (head === null) return undefined;
  const [, path = "", , kind = ""] = head;
  const managers = [...text.matchAll(/conflicts? with "([^"]+)"/g)].map(([, manager = ""]) => manager);
  const fields = [...text.matchAll(/(?:^|[\s:])(\.[a-z](?:[\w./-]|\[[^\]]*\])*)/gim)].map(([, field = ""]) => field);
  return {
    object: `${kind.toLowerCase()}/${path.split("/").at(-1) ?? path}`,
    managers: unique(managers),
    fields: unique(fields),
  };
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}
