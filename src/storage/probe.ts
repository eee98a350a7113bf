import { randomBytes } from "node:crypto";

import { succeeded, type Command, type RunResult } from "../process/runner.ts";
import { inNode, whyFailed } from "./exec.ts";
import { remover, volumes, writer, type Directory } from "./layout.ts";
import { bounds, group, killed, patience, word } from "./script.ts";

/**
 * Where a mount shows another mode than it was given (9p, virtiofs, CIFS, root_squash) the mode proves nothing, and
 * neither does chmod's exit code (B03). Then behaviour decides: one workload's uid makes a folder with a file, another
 * one's removes it, and the volume's table says which answer is the right one.
 */
export type Probe = {
  write: Command;
  remove: Command;
  /** In order, until one succeeds: root is nobody on a file server that squashes it, and the writer may always. */
  clean: readonly Command[];
};

/** The calls of one probe. `name` is the folder that it makes, and the only thing that it touches. */
export function probeOf(node: string, directory: Directory, name: string, seconds = patience): Probe {
  const call = (script: string, as?: number) =>
    inNode(node, script, { at: directory.path, mutates: true, ...(as !== undefined && { as }) });
  const removing = removeScript(name, seconds);
  return {
    write: call(writeScript(name, seconds), writer),
    remove: call(removing, remover),
    clean: [call(removing), call(removing, writer)],
  };
}

/** A name that nothing else has, recognisable should it ever be left behind. */
export function probeName(): string {
  return `.tracebloc-probe-${randomBytes(6).toString("hex")}`;
}

/** The umask opens the folder itself to everyone: what is asked is whether the directory above lets go of it. */
export function writeScript(name: string, seconds = patience): string {
  const folder = word(`./${name}`);
  return group([
    bounds(seconds),
    "umask 0",
    `fill() { : >${folder}/file; }`,
    `said=$(answer mkdir ${folder} && answer fill)`,
    tell("wrote"),
  ]);
}

/** Gone is what counts: `rm -f` has more than one reason to be content. */
export function removeScript(name: string, seconds = patience): string {
  const folder = word(`./${name}`);
  return group([
    bounds(seconds),
    `gone() { [ ! -e ${folder} ] || { echo still there; return 1; }; }`,
    `said=$(answer rm -rf ${folder} && answer gone)`,
    tell("removed"),
  ]);
}

function tell(verb: Verb): string {
  return `code=$?\nset -- $said\nprintf '${verb} %s %.600s\\n' "$code" "$*"`;
}

type Verb = "wrote" | "removed";

/** What one of the uids got. */
export type Answer = { is: "done" } | { is: "refused"; said: string } | { is: "unknown"; why: string };

/** The answer of a call: one line and exit code 0, or the engine's word that the uid may not enter. Everything else is unknown. */
export function readAnswer(verb: Verb, result: RunResult): Answer {
  // The engine tells what its runtime refuses on stdout or on stderr, by version.
  const cannotEnter = /chdir to cwd .*: permission denied/i.test(result.stdout + result.stderr);
  if (cannotEnter) return { is: "refused", said: "the directory may not be entered: Permission denied" };
  if (!succeeded(result)) return { is: "unknown", why: whyFailed(result) };
  const [line, ...more] = result.stdout
    .split("\n")
    .map((text) => text.replace(/\r$/, ""))
    .filter((text) => text !== "");
  const [, said, code, words = ""] = /^(\w+) (\d+) (.*)$/.exec(line ?? "") ?? [];
  if (said !== verb || more.length > 0) return { is: "unknown", why: "the probe in the node gave no answer" };
  if (code === String(killed)) return { is: "unknown", why: `no answer within ${patience} s` };
  return code === "0" ? { is: "done" } : { is: "refused", said: words.trim() };
}

/** What a directory's behaviour says of it. */
export type Behaviour = {
  result: "ready" | "writable by proof" | "blocked" | "unknown";
  note: string;
  /** The words of the command that was refused. */
  said: string;
};

/** The table's expectation against what was seen. `removed` is undefined where there was nothing to remove. Pure. */
export function behaviourOf({ volume }: Directory, wrote: Answer, removed: Answer | undefined): Behaviour {
  if (wrote.is === "refused") return { result: "blocked", note: `uid ${writer} cannot write there`, said: wrote.said };
  if (wrote.is === "unknown") return { result: "unknown", note: wrote.why, said: "" };
  if (removed === undefined) return { result: "unknown", note: "removing was not tried", said: "" };
  if (removed.is === "unknown") return { result: "unknown", note: removed.why, said: "" };

  const isRemoved = removed.is === "done";
  if (isRemoved === (volumes[volume].foreignRemoval === "succeeds")) {
    const note = isRemoved
      ? "written by one uid and removed by another, by trial"
      : "written, and kept from another uid, by trial";
    return { result: "writable by proof", note, said: "" };
  }
  // Logs that others can remove are a loss of protection; data that they cannot remove is a workload that fails (client#667).
  if (removed.is === "done") {
    return { result: "ready", note: "workloads can remove each other's files there", said: "" };
  }
  return { result: "blocked", note: `uid ${remover} cannot remove what uid ${writer} wrote`, said: removed.said };
}
