import { firstComplaint, type Command, type RunResult } from "../process/runner.ts";

/** Milliseconds for one `docker exec`: more than its script may take by itself, so that it ends only where the engine does not answer. */
const execLimitMs = 20_000;

export type Inside = {
  /** Runs as this uid, and as the gid of the same number: without one, the group depends on the node's passwd. Default root. */
  as?: number;
  /** Enters this directory as a pod's mount does: before it becomes the uid, since parents may be closed to it. */
  at?: string;
  mutates?: boolean;
};

/**
 * A call that runs a script in the node. The script goes over stdin (an argument would pass through the quoting of two
 * systems, B02) and never to a terminal, which a pipe is none of (B31).
 */
export function inNode(node: string, script: string, { as, at, mutates = false }: Inside = {}): Command {
  const who = as === undefined ? [] : ["--user", `${as}:${as}`];
  const where = at === undefined ? [] : ["--workdir", at];
  return {
    file: "docker",
    args: ["exec", "--interactive", ...who, ...where, node, "sh"],
    about: "docker exec in the node",
    timeoutMs: execLimitMs,
    stdin: script,
    mutates,
  };
}

/** Why a call failed. The engine tells some of its own failures on stdout; the lines of our scripts there are none. */
export function whyFailed(result: RunResult): string {
  const lines = result.stdout
    .split("\n")
    .filter((line) => !/^(seen|prepared|mount|end|wrote|removed|shared) /.test(line));
  return `docker exec in the node: ${firstComplaint({ ...result, stdout: lines.join("\n") })}`;
}
