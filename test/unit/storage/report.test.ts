import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { RunResult } from "../../../src/process/runner.ts";
import { causeOf } from "../../../src/storage/cause.ts";
import { parseMode, readReport, type Looked } from "../../../src/storage/report.ts";
import { judge } from "../../../src/storage/result.ts";
import { exited, timedOut } from "../cluster/stand-in.ts";
import { answer, data, directories, logs, looked, type Answer } from "./answers.ts";

/** What is known of data and of logs: an entry, or why it is unknown. */
function known(all: readonly Looked[]) {
  return all.map(({ seen }) => (seen.state === "known" ? seen.value : seen.why));
}

const ready = answer("prepared: ready");

/** The recorded answer, with a change. */
function changed(change: (stdout: string) => string, over: Partial<RunResult> = {}): RunResult {
  return { ...ready, stdout: change(ready.stdout), ...over };
}

describe("what a report proves", () => {
  test("each directory, its mode and the file system that it is on", () => {
    const mount = { at: "/tracebloc", source: "/dev/sda1", type: "ext4", options: "rw,relatime" };
    expect(known(readReport("prepared", directories, ready))).toEqual([
      { found: { is: "directory", mode: "2777", uid: 1000, gid: 1000 }, mount, cause: undefined, said: "" },
      { found: { is: "directory", mode: "3777", uid: 1000, gid: 1000 }, mount, cause: undefined, said: "" },
    ]);
  });

  test("the same with carriage returns at the ends of its lines, and with noise between them", () => {
    const noisy = changed((text) => `WARNING: something else\n${text.replaceAll("\n", "\r\n")}`);
    expect(known(readReport("prepared", directories, noisy))).toEqual(
      known(readReport("prepared", directories, ready)),
    );
  });

  const line = (volume: string) => (text: string) =>
    text.split("\n").find((each) => each.includes(`/${volume} `)) ?? "";
  const end = "end prepared 2\n";

  test.each<[string, RunResult, string]>([
    ["B02: exit 0 with no output is not proof", exited(), "did not come to its end"],
    ["B02: docker exec without --interactive", answer("no --interactive"), "did not come to its end"],
    ["B02: an empty script", answer("empty stdin"), "did not come to its end"],
    ["B02: no end marker", changed((text) => text.replace(end, "")), "did not come to its end"],
    [
      "B02: an end marker with another count",
      changed((text) => text.replace(end, "end prepared 1\n")),
      "did not come to its end",
    ],
    [
      "B02: another script's end marker",
      changed((text) => text.replace(end, "end seen 2\n")),
      "did not come to its end",
    ],
    [
      "an end marker with something after it",
      changed((text) => text.replace(end, "end prepared 2 \n")),
      "did not come to its end",
    ],
    ["two carriage returns", changed((text) => text.replaceAll("\n", "\r\r\n")), "did not come to its end"],
    ["B02: the right lines, then exit code 137", changed((text) => text, { exitCode: 137 }), "exit code 137"],
    ["the shell in the node was killed", answer("killed"), "exit code 137"],
    ["an answer that was cut", changed((text) => text, { truncated: true }), "too long"],
    ["no answer in time", { ...timedOut, ms: 20_000 }, "no answer within 20 s"],
    ["B45: a paused node", answer("paused"), "is paused"],
    ["B45: a stopped node", answer("stopped"), "is not running"],
    ["B45: no node", answer("no such container"), "No such container"],
    ["no shell in the node", answer("no sh"), "executable file not found"],
  ])("%s: both are unknown", (_, result, why) => {
    for (const said of known(readReport("prepared", directories, result))) {
      expect(said).toEqual(expect.stringContaining(why));
    }
  });

  test.each<[string, RunResult, string]>([
    [
      "B02: only the line of data",
      changed((text) => text.replace(`${line("logs")(text)}\n`, "")),
      "said nothing of logs",
    ],
    [
      "B02: a path of which this one is a beginning",
      changed((text) => text.replace("tracebloc/logs ", "tracebloc/logs2 ")),
      "said nothing of logs",
    ],
    [
      "another release's directory",
      changed((text) => text.replace("tracebloc/logs ", "edge/logs ")),
      "said nothing of logs",
    ],
    [
      "a line that does not begin a line",
      changed((text) => text.replace(line("logs")(text), ` ${line("logs")(text)}`)),
      "said nothing of logs",
    ],
    [
      "the other script's line",
      changed((text) => text.replace(line("logs")(text), "seen /tracebloc/tracebloc/logs 0 3 drwxrwsrwt 1000 1000 ")),
      "said nothing of logs",
    ],
    ["two lines", changed((text) => text.replace(end, `${line("logs")(text)}\n${end}`)), "answered twice about logs"],
    ["a mode that is none", changed((text) => text.replace("drwxrwsrwt", "drwxrwsrwz")), "not understood"],
    [
      "a look that stopped on its way",
      changed((text) => text.replace("3 drwxrwsrwt", "2 drwxrwsrwt")),
      "not understood",
    ],
    ["a field too few", changed((text) => text.replace("drwxrwsrwt 1000 1000", "drwxrwsrwt 1000")), "not understood"],
  ])("%s: that directory is unknown, the other one stands", (_, result, why) => {
    const [first, second] = known(readReport("prepared", directories, result));
    expect(first).toMatchObject({ found: { mode: "2777" } });
    expect(second).toEqual(expect.stringContaining(why));
  });

  test("whatever else comes back, it throws nothing and finds nothing ready", () => {
    const piece = fc.constantFrom(
      "prepared",
      "seen",
      "end",
      "/tracebloc/tracebloc/data",
      "0",
      "3",
      "drwxrwsrwt",
      "1000",
      " ",
      "\n",
      "\r",
      "2",
      "137",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (pieces) => {
        const results = readReport("prepared", [data, logs], exited({ stdout: pieces.join("") })).map((each) =>
          judge(each),
        );
        expect(results.map(({ result }) => result)).toEqual(["unknown", "unknown"]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("what real nodes answered", () => {
  test.each<[Extract<Answer, `seen: ${string}` | `prepared: ${string}`>, object, object]>([
    ["seen: missing", { found: { is: "absent", step: "/tracebloc/tracebloc" } }, { found: { is: "absent" } }],
    [
      "seen: as the kubelet leaves it",
      { found: { mode: "0755", uid: 0 } },
      { found: { is: "absent", step: logs.path } },
    ],
    ["seen: symlink", { found: { is: "in the way", step: data.path, kind: "a symlink" } }, { found: { is: "absent" } }],
    ["seen: file on the way", { found: { is: "in the way", step: "/tracebloc/tracebloc", kind: "no directory" } }, {}],
    ["seen: unreadable", { found: { is: "unreadable" }, cause: "permission" }, { found: { is: "unreadable" } }],
    ["prepared: symlink", { found: { is: "in the way" }, cause: "symlink" }, { found: { mode: "3777" } }],
    ["prepared: read-only mount", { found: { is: "absent" }, cause: "read-only" }, { cause: "read-only" }],
    ["prepared: no inodes", { found: { is: "absent" }, cause: "no space" }, { cause: "no space" }],
    [
      "prepared: foreign owner",
      { found: { mode: "0755", uid: 1234 }, cause: "permission" },
      { found: { mode: "3777" } },
    ],
    ["prepared: mode ignored", { found: { mode: "0755" }, cause: undefined, said: "" }, { cause: undefined }],
    ["prepared: chmod not permitted", { found: { mode: "0755" }, cause: "permission" }, { cause: "permission" }],
    ["prepared: chmod not supported", { found: { mode: "0755" }, cause: "not supported" }, {}],
    ["prepared: chmod I/O error", { cause: "I/O" }, { cause: "I/O" }],
    ["prepared: chmod read-only", { cause: "read-only" }, { cause: "read-only" }],
    ["prepared: mkdir no space", { cause: "no space" }, { cause: "no space" }],
    ["prepared: mkdir quota", { cause: "quota" }, { cause: "quota" }],
    ["prepared: mkdir permission", { cause: "permission" }, { cause: "permission" }],
  ])("%s", (name, first, second) => {
    const [one, two] = known(looked(name));
    expect(one).toMatchObject(first);
    expect(two).toMatchObject(second);
  });

  test("the other place that datasets may have is not mounted", () => {
    expect(known(looked("seen: ready"))[2]).toMatchObject({
      found: { is: "absent", step: "/tracebloc-data" },
      cause: "not mounted",
    });
  });
});

describe("the first field of ls -ldn", () => {
  test.each([
    ["drwxrwsrwx", "d", "2777"],
    ["drwxrwsrwt", "d", "3777"],
    ["drwxrwsrwx+", "d", "2777"],
    ["drwxrwsrwx.", "d", "2777"],
    ["drwxrwsrwt@", "d", "3777"],
    ["drwxr-xr-x", "d", "0755"],
    ["d---------", "d", "0000"],
    ["drwSrwSrwT", "d", "7666"],
    ["drwsrwsrwt", "d", "7777"],
    ["lrwxrwxrwx", "l", "0777"],
    ["-rwxrwsrwx", "-", "2777"],
    ["prw-------", "p", "0600"],
  ])("%s", (text, type, mode) => {
    expect(parseMode(text)).toEqual({ type, mode });
  });

  test.each([
    [""],
    ["ls:"],
    ["drwxrwsrw"],
    ["drwxrwsrwx++"],
    ["drwxrwsrwx "],
    [" drwxrwsrwx"],
    ["drwtrwsrwx"],
    ["total"],
  ])("%j is none", (text) => {
    expect(parseMode(text)).toBeUndefined();
  });
});

describe("the cause in a command's words", () => {
  test.each([
    ["mkdir: can't create directory '/x': Read-only file system", "read-only"],
    ["mkdir: cannot create directory ‘/x’: No space left on device", "no space"],
    ["mkdir: can't create directory '/x': Disk quota exceeded", "quota"],
    ["chmod: /x: Operation not permitted", "permission"],
    ["ls: cannot access '/x': Stale file handle", "I/O"],
    ["ls: /x: Transport endpoint is not connected", "I/O"],
    ["ls: /x: Socket not connected", "I/O"],
    ["chmod: changing permissions of '/x': Operation not supported", "not supported"],
    ["chmod: /x: Not supported", "not supported"],
    ["mkdir: can't create directory '/x': File exists", "no directory"],
    ["ls: /x: Symbolic link loop", "symlink"],
    ["mkdir: /x: No space left on device chmod: /x: Permission denied", "no space"],
    ["ls: /x: No such file or directory", undefined],
    ["", undefined],
  ])("%s", (said, cause) => {
    expect(causeOf(said)).toBe(cause);
  });
});
