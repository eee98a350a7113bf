import { readFileSync, statSync } from "node:fs";

import { isSeq, parseDocument, type Document } from "yaml";

import { Failure } from "../engine/finding.ts";
import { writeAtomically } from "../files/atomic.ts";
import type { Environment } from "../platform/environment.ts";
import { homeDirectory } from "../platform/places.ts";
import type { Platform } from "../platform/platform.ts";
import { finding } from "./refusals.ts";

export type Merged = {
  /** The person's kubeconfig, as it was written. */
  path: string;
  context: string;
  /** The current context, which is left as it was. */
  current: string | undefined;
};

const lists = ["clusters", "users", "contexts"] as const;

/**
 * Adds our kubeconfig to the person's own, because they asked for it: the entries of our names are put in or replaced,
 * everything else, the current context and comments included, stays. Throws `Failure` where theirs cannot be read or
 * written, and then leaves it as it was. `ours` is the path of the stored kubeconfig.
 */
export async function mergeKubeconfig(ours: string, environment: Environment, platform: Platform): Promise<Merged> {
  const added = JSON.parse(readFileSync(ours, "utf8")) as Record<(typeof lists)[number], { name: string }[]>;
  const context = added.contexts[0]?.name ?? "";
  const { path, document } = chooseFile(context, environment, platform);
  if (!document.has("apiVersion")) document.set("apiVersion", "v1");
  if (!document.has("kind")) document.set("kind", "Config");
  for (const list of lists) for (const entry of added[list]) put(document, list, entry);
  try {
    writeAtomically(path, document.toString({ lineWidth: 0 }), modeOf(path));
  } catch (error) {
    throw new Failure(unusable(path, error instanceof Error ? error.message : String(error)));
  }
  const current: unknown = document.get("current-context");
  return { path, context, current: typeof current === "string" && current !== "" ? current : undefined };
}

type Kubeconfig = { path: string; document: Document.Parsed | Document };

/** As kubectl chooses: of the files in KUBECONFIG the one that has our context, else the first that is there, else the last. */
function chooseFile(context: string, environment: Environment, platform: Platform): Kubeconfig {
  const paths = pathsOf(environment, platform);
  const files = paths.map((path) => read(path));
  const there = files.filter((file) => file !== undefined);
  const last = paths.at(-1);
  if (last === undefined) {
    throw new Failure(unusable("kubeconfig", "there is no home directory, and KUBECONFIG is not set"));
  }
  return (
    there.find(({ document }) => names(document, "contexts").includes(context)) ??
    there[0] ?? { path: last, document: parseDocument("{}") }
  );
}

function pathsOf(environment: Environment, platform: Platform): string[] {
  const listed = (environment["KUBECONFIG"] ?? "").split(platform.path.delimiter).filter((path) => path !== "");
  if (listed.length > 0) return listed;
  const home = homeDirectory(platform, environment);
  return home === undefined ? [] : [platform.path.join(home, ".kube", "config")];
}

/** Undefined where the file does not exist. What is there and is no kubeconfig must not be overwritten. */
function read(path: string): Kubeconfig | undefined {
  let text: string;
  try {
    // A pipe would hold us for ever, and a device has no end.
    if (!statSync(path).isFile()) throw new Error("it is no regular file");
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new Failure(unusable(path, message));
  }
  const document = parseDocument(text.trim() === "" ? "{}" : text);
  const [fault] = document.errors;
  // The parser's own message quotes the line, and that may be a key.
  if (fault !== undefined) {
    throw new Failure(unusable(path, `it is no YAML (line ${fault.linePos?.[0].line ?? "unknown"})`));
  }
  const value = plainValue(document);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Failure(unusable(path, "it is no kubeconfig"));
  }
  return { path, document };
}

/** Undefined where anchors keep it from being told. */
function plainValue(document: Document): unknown {
  try {
    return document.toJS();
  } catch {
    return undefined;
  }
}

function names(document: Kubeconfig["document"], list: (typeof lists)[number]): unknown[] {
  const entries = (document.toJS() as Record<string, unknown>)[list];
  return Array.isArray(entries) ? entries.map((entry: { name?: unknown } | null) => entry?.name) : [];
}

function put(document: Kubeconfig["document"], list: (typeof lists)[number], entry: { name: string }): void {
  const node = document.createNode(entry);
  const at = names(document, list).indexOf(entry.name);
  const entries: unknown = document.get(list);
  if (!isSeq(entries)) document.set(list, document.createNode([entry]));
  else if (at === -1) entries.add(node);
  else entries.set(at, node);
}

/** A file that only its owner reads stays one; a new one becomes one. */
function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
}

function unusable(path: string, why: string) {
  return finding("KUBECONFIG_UNUSABLE", `${path} cannot be changed: ${why}`, [
    { says: "use our own instead, whose path this prints", command: "tracebloc kubeconfig" },
  ]);
}
