import { known, unknown, type Fact } from "../engine/fact.ts";
import type { Mount } from "../host/mounts.ts";
import { succeeded, type RunResult } from "../process/runner.ts";
import { causeOf, type Cause } from "./cause.ts";
import { whyFailed } from "./exec.ts";
import { stepsOf, type Directory } from "./layout.ts";
import { killed, label } from "./script.ts";

/** What is in a directory's place in the node. */
export type Found =
  | { is: "directory"; mode: string; uid: number; gid: number }
  /** `step` is the first that is not there. */
  | { is: "absent"; step: string }
  /** A symlink, or a file: there or on the way there. Never followed, never changed (B46). */
  | { is: "in the way"; step: string; kind: "a symlink" | "no directory" }
  /** `ls` ran and could not tell. */
  | { is: "unreadable" };

/** What a script said of one directory. */
export type Entry = {
  found: Found;
  /** The file system at the directory's base, where the node's mount table has one there. */
  mount: Mount | undefined;
  /** What went wrong, if anything did, and the commands' own words for it in one line. */
  cause: Cause | undefined;
  said: string;
};

/** A directory, and what is known of it. */
export type Looked = { directory: Directory; seen: Fact<Entry> };

/** The last word of a script, and what begins each of its lines. */
export type Word = "seen" | "prepared";

/**
 * What a script's output proves. Exit code 0 proves nothing (B02): there must be an end marker with the right count, and
 * exactly one line for each directory; what is missing is unknown. Other lines are noise, and no name can imitate ours.
 */
export function readReport(word: Word, directories: readonly Directory[], result: RunResult): Looked[] {
  const how = "docker exec in the node";
  const lines = result.stdout.split("\n").map((line) => line.replace(/\r$/, ""));
  const why = whyNoReport(lines, `end ${word} ${directories.length}`, result);
  return directories.map((directory) => {
    const entry = why ?? readEntry(word, directory, lines);
    return {
      directory,
      seen: typeof entry === "string" ? unknown(entry, how, result.ms) : known(entry, how, result.ms),
    };
  });
}

function whyNoReport(lines: readonly string[], end: string, result: RunResult): string | undefined {
  if (!succeeded(result)) return whyFailed(result);
  if (result.truncated) return "the node's answer was too long";
  if (lines.findLast((line) => line !== "") !== end) return "the script in the node did not come to its end";
  return undefined;
}

/** The codes of mkdir, chown and chmod where they were tried, then those of `ls` and what it saw, then the words. */
const shape =
  /^(?<tried>(?:(?:\d+|-) ){3})?(?<code>\d+|-) (?<depth>\d+|-) (?<mode>\S+) (?<uid>\d+|-) (?<gid>\d+|-) (?<said>.*)$/;

function readEntry(word: Word, directory: Directory, lines: readonly string[]): Entry | string {
  const start = `${word} ${label(directory.path)} `;
  const [line, second] = lines.filter((candidate) => candidate.startsWith(start));
  if (line === undefined) return `the node said nothing of ${directory.volume}`;
  if (second !== undefined) return `the node answered twice about ${directory.volume}`;
  const fields = shape.exec(line.slice(start.length))?.groups;
  const unclear = `the node's answer about ${directory.volume} is not understood`;
  if (fields === undefined || (fields["tried"] === undefined) !== (word === "seen")) return unclear;

  const said = printable(fields["said"] ?? "");
  const hangs = [...(fields["tried"] ?? "").split(" "), fields["code"]].includes(String(killed));
  const found = readFound(directory, fields, said);
  if (found === undefined) return unclear;
  return {
    found,
    mount: readMount(directory, lines),
    cause: hangs ? "no answer" : whatIsWrong(directory, found, said),
    said,
  };
}

function readFound(directory: Directory, fields: Record<string, string>, said: string): Found | undefined {
  const steps = stepsOf(directory);
  const step = steps[Number(fields["depth"]) - 1];
  if (fields["code"] !== "0") {
    return step !== undefined && /No such file or directory/.test(said) ? { is: "absent", step } : { is: "unreadable" };
  }
  const seen = parseMode(fields["mode"] ?? "");
  if (seen === undefined || step === undefined) return undefined;
  if (seen.type !== "d") return { is: "in the way", step, kind: seen.type === "l" ? "a symlink" : "no directory" };
  // A directory on the way there is no answer: something changed between two looks.
  if (step !== directory.path) return undefined;
  return { is: "directory", mode: seen.mode, uid: Number(fields["uid"]), gid: Number(fields["gid"]) };
}

function whatIsWrong(directory: Directory, found: Found, said: string): Cause | undefined {
  if (found.is === "in the way") return found.kind === "a symlink" ? "symlink" : "no directory";
  if (found.is === "absent" && found.step === directory.base) return "not mounted";
  return causeOf(said);
}

/** Of several mounts at one place the last hides the others. */
function readMount({ base }: Directory, lines: readonly string[]): Mount | undefined {
  const start = `mount ${label(base)} `;
  const line = lines.findLast((candidate) => candidate.startsWith(start));
  const [source, type, options, more] = line?.slice(start.length).split(" ") ?? [];
  if (source === undefined || type === undefined || options === undefined || more !== undefined) return undefined;
  return { at: base, source, type, options };
}

/**
 * The first field of `ls -ldn`: the type's letter and the mode in octal. A mark for an ACL, a SELinux context or extended
 * attributes may follow. Undefined where it is no such field.
 */
export function parseMode(text: string): { type: string; mode: string } | undefined {
  const parts = /^([-dlbcpsDCMn])([r-][w-][xsS-])([r-][w-][xsS-])([r-][w-][xtT-])[+.@]?$/.exec(text);
  if (parts === null) return undefined;
  const [, type = "", ...triplets] = parts;
  const special = triplets.map((triplet, index) => (/[sStT]$/.test(triplet) ? 4 >> index : 0));
  const permissions = triplets.map(
    (triplet) => (triplet[0] === "r" ? 4 : 0) + (triplet[1] === "w" ? 2 : 0) + (/[xst]$/.test(triplet) ? 1 : 0),
  );
  return { type, mode: `${special.reduce((sum, bit) => sum + bit, 0)}${permissions.join("")}` };
}

/** The node's words, fit for one line of a terminal. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "?").trim();
}
