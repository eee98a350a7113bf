import { visible } from "../platform/characters.ts";
import { longestSuffixRoom } from "./release-suffixes.ts";

/** What is wrong with a value, in a clause that follows it; and a value that would do, where one is near. */
export type Objection = { why: string; instead?: string };

/** k3d puts `k3d-` and `-server-0` around it and stops at 32; dots are its habit, capitals make a node that never comes up (tried on 5.9.0). */
export const longestClusterName = 32;

/** Helm's own limit for the name of a release. */
const longestHelmName = 53;

/** As many characters as the name of a release may have: what Helm takes and what the chart hangs on to it, whichever is less. */
export const longestReleaseName = Math.min(longestHelmName, longestSuffixRoom);

/** A release's folder lies beside these in the data directory. */
const foldersOfOurs = new Set(["bin", "data", "lock", "logs", "mysql"]);

/** Namespaces that belong to Kubernetes or to the chart itself. */
const namespacesOfOthers = new Set(["default", "tracebloc-node-agents"]);

/** Why a name cannot be that of a release and its namespace. */
export function objectionToRelease(name: string): Objection | undefined {
  const spelled = objectionToLabel(name, longestReleaseName);
  if (spelled !== undefined) return spelled;
  const taken = foldersOfOurs.has(name) || namespacesOfOthers.has(name) || name.startsWith("kube-");
  return taken ? { why: "is a name with another meaning here", instead: "tracebloc" } : undefined;
}

/** Why a name cannot be that of a k3d cluster: a host name in small letters, dots allowed, since older installers allowed them. */
export function objectionToCluster(name: string): Objection | undefined {
  const labels = name.split(".");
  if (labels.length === 1 || name.length > longestClusterName) return objectionToLabel(name, longestClusterName);
  if (labels.includes("")) return { why: "has a dot at its end or two in a row" };
  const wrong = labels.map((label) => objectionToLabel(label, longestClusterName)).find((found) => found !== undefined);
  return wrong === undefined ? undefined : { why: wrong.why, instead: asLabel(name, longestClusterName) };
}

/** A label of RFC 1123, as Kubernetes wants its names. */
function objectionToLabel(name: string, longest: number): Objection | undefined {
  if (/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(name)) {
    return name.length <= longest
      ? undefined
      : { why: `has ${name.length} characters, ${name.length - longest} too many` };
  }
  const instead = asLabel(name, longest);
  return { why: whatIsWrong(name), ...(instead !== "" && { instead }) };
}

function whatIsWrong(name: string): string {
  const odd = /[^a-z0-9-]/.exec(name.toLowerCase())?.[0];
  if (odd !== undefined) return `has ${odd === " " ? "a blank" : visible(odd)} in it`;
  return name === name.toLowerCase() ? "begins or ends with a hyphen" : "has capital letters";
}

/** The nearest name that would do. Accents go, whatever else is foreign becomes a hyphen. */
function asLabel(name: string, longest: number): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, longest)
    .replace(/-$/, "");
}
