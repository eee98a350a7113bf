import type { Tool } from "../config/pins.ts";
import { compareVersions, findVersion, type Version } from "./versions.ts";

export type ToolRule = {
  /** How to make it tell its version without asking a server. */
  versionArgs: readonly string[];
  /** The oldest that has what we use. */
  from: string;
  /** The first that may differ too much. */
  below: string;
  /** Why not an older one, for a person. */
  because: string;
  /** No real file is smaller: what is, was cut off or is an error page (#607). Bytes, of the download. */
  atLeastBytes: number;
};

/** The tools we run, and the versions of them that do what we need. */
export const toolRules: Readonly<Record<Tool, ToolRule>> = {
  k3d: {
    versionArgs: ["version"],
    // The Docker library in k3d up to 5.6.0 speaks API 1.43 at most, which Docker 29 refuses (B04); 5.6.3 speaks 1.45.
    from: "5.6.3",
    below: "6",
    because: "older ones cannot talk to Docker 29",
    atLeastBytes: 10_000_000,
  },
  helm: {
    // `--short` changed its form and `--client` is gone in Helm 4; the template works from 3 on (B34).
    versionArgs: ["version", "--template", "{{.Version}}"],
    // `--labels` of upgrade came with 3.13, `--reset-then-reuse-values` with 3.14.
    from: "3.14",
    below: "5",
    because: "older ones lack flags that we use",
    atLeastBytes: 5_000_000,
  },
  kubectl: {
    versionArgs: ["version", "--client", "--output", "json"],
    from: "1.28",
    below: "2",
    because: "older ones are too far from the clusters we make",
    atLeastBytes: 20_000_000,
  },
};

/** The version in what a tool answered to its `versionArgs`. */
export function versionOf(name: Tool, printed: string): Version | undefined {
  if (name !== "kubectl") return findVersion(printed);
  return findVersion(/"gitVersion":\s*"([^"]*)"/.exec(printed)?.[1] ?? "");
}

/** What is wrong with a version, in a clause about the tool; undefined where nothing is. */
export function wrongVersion(name: Tool, version: Version): string | undefined {
  const { from, below, because } = toolRules[name];
  if (compareVersions(version, atLeast(from)) < 0) return `is older than ${from}: ${because}`;
  if (version.numbers[0] >= Number(below)) return `is newer than this program knows (below ${below})`;
  return undefined;
}

function atLeast(text: string): Version {
  const version = findVersion(text);
  if (version === undefined) throw new Error(`${text} is no version`);
  return version;
}
