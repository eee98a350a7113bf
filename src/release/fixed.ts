import type { Finding } from "../engine/finding.ts";
import type { ReleaseRecord } from "./helm-records.ts";
import { keepsInNode, type Values } from "./values.ts";

/** A setting that claims, volumes and storage classes keep for their life, as the chart reads it. */
type Fixed = { key: string; value: string; bytes?: number };

/**
 * What is asked for and cannot be had without new volumes. The API refuses it in the middle of an upgrade, when half of
 * the release is new already; so it is told before Helm starts. Pure. Of a release that cannot be read, or whose first
 * revision failed, it is not known what there is to keep: Helm finds out.
 */
export function changesOfFixed({ name, content, status, revision }: ReleaseRecord, wanted: Values): Finding[] {
  if (!("values" in content) || (status === "failed" && revision === 1)) return [];
  const has = new Map(fixedIn(content.values).map((one) => [one.key, one]));
  return fixedIn(wanted).flatMap(({ key, value, bytes = 0 }) => {
    const before = has.get(key);
    if (before === undefined || before.value === value) return [];
    // A claim may grow.
    if (before.bytes !== undefined && bytes > before.bytes) return [];
    return [cannotBecome(name, key, before.value, value)];
  });
}

function cannotBecome(release: string, key: string, before: string, wanted: string): Finding {
  return {
    reason: "RELEASE_FIXED",
    room: "release",
    says: `${key} of release ${release} is ${before} and cannot become ${wanted}: its volumes keep it for life`,
    remedies: [
      { says: `leave ${key} as it is: take it out of what is asked for, then run the same command again` },
      { says: "or begin anew with the data that is there: remove the client, which keeps it, and install again" },
    ],
  };
}

/** The settings of some values with the chart's own defaults (charts/client/values.yaml; a test holds them together). */
function fixedIn(values: Values): Fixed[] {
  const storageClass = part(values, "storageClass");
  const hostPath = part(values, "hostPath");
  const pvc = part(values, "pvc");
  const inNode = keepsInNode(values);
  const isMade = storageClass["create"] !== false;
  const fixed = (key: string, value: unknown, otherwise: string): Fixed => ({ key, value: text(value) || otherwise });
  const size = (volume: string, otherwise: string): Fixed => {
    const one = fixed(`pvc.${volume}`, pvc[volume], otherwise);
    return { ...one, bytes: bytesOf(one.value) };
  };
  return [
    fixed("hostPath.enabled", inNode, ""),
    ...(inNode ? [fixed("hostPath.datasetPath", text(hostPath["datasetPath"]).replace(/\/+$/, ""), "/tracebloc")] : []),
    fixed("storageClass.create", isMade, ""),
    ...(isMade
      ? [
          fixed("storageClass.provisioner", storageClass["provisioner"], "none"),
          fixed("storageClass.parameters", storageClass["parameters"], "{}"),
          fixed("storageClass.volumeBindingMode", storageClass["volumeBindingMode"], "Immediate"),
          fixed("storageClass.reclaimPolicy", storageClass["reclaimPolicy"], "Delete"),
        ]
      : [fixed("storageClass.name", storageClass["name"], "client-storage-class")]),
    fixed("pvcAccessMode", values["pvcAccessMode"], inNode ? "ReadWriteOnce" : "ReadWriteMany"),
    size("data", "50Gi"),
    size("logs", "10Gi"),
    size("mysql", "2Gi"),
  ];
}

function part(values: Values, key: string): Values {
  const value = values[key];
  return typeof value === "object" && value !== null ? (value as Values) : {};
}

function text(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A size as the chart's schema allows it. */
function bytesOf(size: string): number {
  const power = ["Mi", "Gi", "Ti"].indexOf(size.slice(-2)) + 2;
  return Number.parseInt(size, 10) * 1024 ** power;
}
