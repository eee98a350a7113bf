import { stripVTControlCharacters } from "node:util";

import type { RunResult } from "../process/runner.ts";

/** What stands between us and the container engine, as far as the words of docker, k3d or the operating system tell. */
export type EngineTrouble = Trouble & { /** The line that told, in the tool's own words. */ said: string };

type Trouble =
  | { kind: "not-installed" }
  | { kind: "client-unusable"; how: "not-executable" | "wrong-architecture" | "other" }
  | { kind: "not-running"; at?: string }
  | { kind: "paused" }
  | { kind: "no-permission"; at?: string }
  | { kind: "no-such-context"; context: string }
  | { kind: "no-such-endpoint"; at: string }
  | { kind: "not-answering"; how: "silent" | "hangs up" | "answers with an error"; afterMs?: number }
  | { kind: "client-too-new"; client: string; engine: string }
  | { kind: "client-too-old"; client: string; engine: string }
  | { kind: "engine-too-old"; version: string; api: string; needs: string }
  | { kind: "podman"; version?: string }
  | { kind: "windows-containers" }
  | { kind: "credential-helper"; helper: string };

/** Words, and the trouble they stand for. The first that matches decides: the narrow ones come first. */
const vocabulary: readonly { words: RegExp; means: (found: readonly string[]) => Trouble }[] = [
  {
    // B47. Before anything about connections: the engine is well, only the helper is missing.
    words: /error getting credentials.*exec: "docker-credential-([^"]+)": executable file not found/,
    means: ([, helper = ""]) => ({ kind: "credential-helper", helper }),
  },
  { words: /Docker Desktop is (?:manually )?paused/i, means: () => ({ kind: "paused" }) },
  { words: /Docker Desktop is unable to start/i, means: () => ({ kind: "not-running" }) },
  {
    // B04. Docker 29 refuses k3d before 5.6.3, while docker itself works.
    words: /client version (\S+) is too old\. Minimum supported API version is ([\d.]+)/,
    means: ([, client = "", engine = ""]) => ({ kind: "client-too-old", client, engine }),
  },
  {
    words: /client version (\S+) is too new\. Maximum supported API version is ([\d.]+)/,
    means: ([, client = "", engine = ""]) => ({ kind: "client-too-new", client, engine }),
  },
  {
    // B26, from 17.x ("Got permission denied …") to 29 ("… to the docker API at …").
    words: /permission denied while trying to connect to the docker (?:daemon socket|API) at (\S+?):?(?:\s|$)/i,
    means: ([, at = ""]) => ({ kind: "no-permission", at }),
  },
  {
    words: /open (\/\/\.\/pipe\/\S+?): Access is denied/,
    means: ([, at = ""]) => ({ kind: "no-permission", at: `npipe://${at}` }),
  },
  {
    words: /context "([^"]*)": context not found/,
    means: ([, context = ""]) => ({ kind: "no-such-context", context }),
  },
  { words: /unable to parse docker host [`"]([^`"]*)/, means: ([, at = ""]) => ({ kind: "no-such-endpoint", at }) },
  {
    // Of the engine's own address alone: the engine says the same of a registry that it cannot find.
    words: /error during connect: .*dial tcp: lookup (\S+?)(?: on \S+)?: no such host/,
    means: ([, at = ""]) => ({ kind: "no-such-endpoint", at }),
  },
  { words: /failed to connect to the docker API at (\S+?);/, means: ([, at = ""]) => ({ kind: "not-running", at }) },
  {
    words: /Cannot connect to the Docker daemon at (\S+?)\. Is the docker daemon/,
    means: ([, at = ""]) => ({ kind: "not-running", at }),
  },
  {
    words: /open [/\\.]+pipe[/\\](\S+?): The system cannot find the file specified/,
    means: ([, pipe = ""]) => ({ kind: "not-running", at: `npipe:////./pipe/${pipe}` }),
  },
  {
    // Docker Desktop's own proxy, while the machine behind it is not up.
    words: /request returned (?:\d+ )?(?:Internal Server Error|Bad Gateway|Service Unavailable) for API route/,
    means: () => ({ kind: "not-answering", how: "answers with an error" }),
  },
  { words: /error during connect: .*: (?:unexpected )?EOF/, means: () => ({ kind: "not-answering", how: "hangs up" }) },
  {
    words: /error during connect: .*context deadline exceeded/,
    means: () => ({ kind: "not-answering", how: "silent" }),
  },
  { words: /Emulate Docker CLI using podman/, means: () => ({ kind: "podman" }) },
];

/**
 * Names the engine's trouble from any text that docker, k3d or the engine wrote. Undefined where the text speaks of
 * something else, "No such container" for one: then the engine did answer.
 */
export function troubleIn(text: string): EngineTrouble | undefined {
  for (const { words, means } of vocabulary) {
    const found = words.exec(text);
    if (found !== null) return { ...means(found), said: lineWith(text, found.index) };
  }
  return undefined;
}

/**
 * Names the engine's trouble from a docker or k3d call that did not do what it should. Exit codes are not asked: docker
 * answers 0 with a document full of zeros (B08). Undefined for a call that we cancelled, and where the engine did answer.
 */
export function engineTrouble(result: RunResult): EngineTrouble | undefined {
  if (result.outcome === "cancelled") return undefined;
  if (result.outcome === "timed-out") {
    return {
      kind: "not-answering",
      how: "silent",
      afterMs: result.ms,
      said: `no answer within ${Math.round(result.ms / 1000)} s`,
    };
  }
  if (result.outcome === "not-started") {
    const how = result.notStarted ?? "other";
    const said = result.why ?? "";
    return how === "missing" ? { kind: "not-installed", said } : { kind: "client-unusable", how, said };
  }
  return troubleIn(result.stderr);
}

/** The whole line around a place in a text, without terminal colours (k3d writes them into pipes as well). */
function lineWith(text: string, index: number): string {
  const start = text.lastIndexOf("\n", index) + 1;
  const end = text.indexOf("\n", index);
  return stripVTControlCharacters(text.slice(start, end === -1 ? undefined : end)).trim();
}
