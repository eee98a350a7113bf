import { describe, expect, test } from "vitest";

import { notYet } from "../../../src/engine/fact.ts";
import { behaviourOf, readAnswer, type Answer as Got } from "../../../src/storage/probe.ts";
import { judge, needsTrial, type DirectoryResult } from "../../../src/storage/result.ts";
import { readReport, type Looked } from "../../../src/storage/report.ts";
import { exited, timedOut } from "../cluster/stand-in.ts";
import { answer, candidates, data, directories, logs, looked } from "./answers.ts";

const done: Got = { is: "done" };
const refused: Got = { is: "refused", said: "rm: can't remove './x': Operation not permitted" };
const open: Got = { is: "unknown", why: "no answer within 5 s" };

describe("what the uids' answers mean", () => {
  test.each<[string, typeof data, Got, Got | undefined, string]>([
    ["data that another uid can remove", data, done, done, "writable by proof"],
    ["client#667: data that another uid cannot remove", data, done, refused, "blocked"],
    ["logs that another uid cannot remove", logs, done, refused, "writable by proof"],
    ["logs that another uid can remove", logs, done, done, "ready"],
    ["data that cannot be written", data, refused, undefined, "blocked"],
    ["logs that cannot be written", logs, refused, undefined, "blocked"],
    ["no answer to the writing", data, open, undefined, "unknown"],
    ["no answer to the removing", data, done, open, "unknown"],
    ["no answer to the removing of logs", logs, done, open, "unknown"],
    ["removing that was not tried", data, done, undefined, "unknown"],
  ])("%s", (_, directory, wrote, removed, result) => {
    expect(behaviourOf(directory, wrote, removed).result).toBe(result);
  });

  test.each([
    ["wrote: done", "wrote", { is: "done" }],
    ["removed: done", "removed", { is: "done" }],
    [
      "removed: refused",
      "removed",
      { is: "refused", said: expect.stringContaining("Operation not permitted") as string },
    ],
    ["wrote: refused", "wrote", { is: "refused", said: expect.stringContaining("Permission denied") as string }],
    [
      "wrote: no such directory",
      "wrote",
      { is: "unknown", why: expect.stringContaining("no such file or directory") as string },
    ],
    ["empty stdin", "wrote", { is: "unknown" }],
    ["removed: done", "wrote", { is: "unknown" }],
    ["paused", "wrote", { is: "unknown" }],
  ] as const)("a real node's answer: %s, asked whether it %s", (name, verb, got) => {
    expect(readAnswer(verb, answer(name))).toMatchObject(got);
  });

  test.each<[string, Parameters<typeof readAnswer>[1], Got["is"]]>([
    ["B02: exit 0 and nothing", exited(), "unknown"],
    ["B02: the right line, then exit code 137", exited({ stdout: "wrote 0 \n", exitCode: 137 }), "unknown"],
    ["two lines", exited({ stdout: "wrote 0 \nwrote 0 \n" }), "unknown"],
    ["a command that was killed by its watchdog", exited({ stdout: "wrote 137 \n" }), "unknown"],
    ["no answer", timedOut, "unknown"],
    [
      "a uid that may not enter",
      exited({
        exitCode: 126,
        stdout: 'chdir to cwd ("/x") set in config.json failed: permission denied: unknown\r\n',
      }),
      "refused",
    ],
    ["a carriage return", exited({ stdout: "wrote 0 \r\n" }), "done"],
  ])("%s", (_, result, is) => {
    expect(readAnswer("wrote", result).is).toBe(is);
  });
});

/** A recorded report's directory, judged. */
function judged(name: Parameters<typeof looked>[0], index: 0 | 1, ...trial: [Got, Got?] | []): DirectoryResult {
  const one = looked(name)[index];
  const [wrote, removed] = trial;
  return judge(one, wrote === undefined ? undefined : behaviourOf(one.directory, wrote, removed));
}

describe("the result of a directory", () => {
  test("exact by its mode is ready, and tells of a strange owner without judging it", () => {
    expect(judged("prepared: ready", 0)).toEqual({
      volume: "data",
      path: "/tracebloc/tracebloc/data",
      result: "ready",
      mode: "2777",
      owner: "1000:1000",
      fileSystem: "ext4",
      note: undefined,
      cause: undefined,
      obstacle: undefined,
      said: "",
    });
    expect(judged("prepared: foreign owner", 1)).toMatchObject({
      result: "ready",
      owner: "1234:1234",
      note: "owned by 1234:1234",
    });
  });

  test("unknown stays unknown, with its reason", () => {
    expect(judge({ directory: data, seen: notYet("the cluster has to run") })).toMatchObject({
      result: "unknown",
      note: "not asked: the cluster has to run",
    });
  });

  test.each<[string, DirectoryResult, Partial<DirectoryResult>]>([
    [
      "B03: chmod that changed nothing, closed",
      judged("prepared: mode ignored", 0, refused),
      { result: "blocked", cause: "mode ignored" },
    ],
    [
      "B03: chmod that changed nothing, open",
      judged("prepared: mode ignored", 0, done, done),
      { result: "writable by proof", cause: undefined },
    ],
    [
      "B29: chmod that was refused, closed",
      judged("prepared: chmod not permitted", 0, refused),
      { result: "blocked", cause: "permission" },
    ],
    [
      "B29: chmod that was refused, open",
      judged("prepared: chmod not permitted", 0, done, done),
      { result: "writable by proof" },
    ],
    [
      "data that keeps foreign trees",
      judged("prepared: mode ignored", 0, done, refused),
      { result: "blocked", cause: "mode ignored" },
    ],
    [
      "a full disk met by the trial",
      judged("prepared: mode ignored", 0, { is: "refused", said: "mkdir: No space left on device" }),
      { result: "blocked", cause: "no space" },
    ],
    ["a trial without an answer", judged("prepared: mode ignored", 0, open), { result: "unknown", cause: undefined }],
    ["B24: a read-only mount", judged("prepared: read-only mount", 0), { result: "blocked", cause: "read-only" }],
    ["B18: no inodes", judged("prepared: no inodes", 0), { result: "blocked", cause: "no space" }],
    [
      "B46: a file on the way",
      judged("prepared: file on the way", 0),
      { result: "blocked", obstacle: "/tracebloc/tracebloc" },
    ],
    ["a symlink", judged("prepared: symlink", 0), { result: "blocked", cause: "symlink", obstacle: data.path }],
    [
      "as the kubelet leaves it, not yet repaired",
      judged("seen: as the kubelet leaves it", 0),
      { result: "blocked", cause: undefined, note: "it is 0755 and owned by root" },
    ],
    ["missing, not yet made", judged("seen: missing", 1), { result: "blocked", note: "it is missing" }],
  ])("%s", (_, result, expected) => {
    expect(result).toMatchObject(expected);
  });

  test("an open directory with another mode is neither ready nor blocked before it was tried", () => {
    const seen = withMode("drwxrwxrwx");
    expect(judge(seen)).toMatchObject({ result: "unknown", mode: "0777" });
    expect(judge(withMode("drwxrwxrwt"))).toMatchObject({ result: "blocked", mode: "1777" });
  });

  test("B24: a read-only mount is blocked although its mode is exact", () => {
    expect(judge(withMode("drwxrwsrwx", "ro,relatime"))).toMatchObject({
      result: "blocked",
      cause: "read-only",
      mode: "2777",
    });
    expect(judge(withMode("drwxrwsrwx", "rw,errors=remount-ro"))).toMatchObject({ result: "ready" });
  });

  test("only what a trial can decide is tried", () => {
    const tried = (["prepared: mode ignored", "prepared: chmod I/O error", "prepared: foreign owner"] as const).map(
      (name) => needsTrial(looked(name)[0]),
    );
    expect(tried).toEqual([true, true, true]);
    const others = (
      [
        "prepared: ready",
        "prepared: read-only mount",
        "prepared: symlink",
        "prepared: no inodes",
        "seen: unreadable",
      ] as const
    ).map((name) => needsTrial(looked(name)[0]));
    expect(others).toEqual([false, false, false, false, false]);
    expect(needsTrial({ directory: data, seen: notYet("") })).toBe(false);
  });

  test("a command that hung is unknown, whatever was seen", () => {
    const stdout = answer("prepared: mode ignored").stdout.replace(
      `${data.path} 0 0 0 0 3 drwxr-xr-x 0 0 `,
      `${data.path} 0 0 137 - - - - - `,
    );
    const [one] = readReport("prepared", directories, exited({ stdout }));
    expect(judge(one as Looked)).toMatchObject({ result: "unknown", cause: "no answer", note: "no answer within 5 s" });
  });
});

/** Data as a healthy node shows it, with another mode or other mount options. */
function withMode(mode: string, options = "rw,relatime"): Looked {
  const stdout = answer("seen: ready").stdout.replace("drwxrwsrwx", mode).replace("rw,relatime", options);
  return readReport("seen", candidates, exited({ stdout }))[0] as Looked;
}
