import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { directoriesOf, remover, writer, type Directory } from "../../src/storage/layout.ts";
import { behaviourOf, readAnswer, removeScript, writeScript } from "../../src/storage/probe.ts";
import { judge, needsTrial, type DirectoryResult } from "../../src/storage/result.ts";
import { directoriesIn, entryOf, makeBase, report, type Base } from "./bases.ts";
import { mount, mountIgnoringModes, unmount, whyNoBindfs, whyNoMounts } from "./mounts.ts";
import { runScript, shells, type ShellUnderTest } from "./shells.ts";

describe.skipIf(whyNoMounts() !== undefined).each(shells)("$name", (shell) => {
  let base: Base;
  let data: Directory;
  let logs: Directory;
  beforeEach(() => {
    base = makeBase();
    [data, logs] = directoriesIn(base) as [Directory, Directory];
  });
  afterEach(() => {
    unmount(base.path);
    base.remove();
  });

  /** Prepares both, and tries out those whose mode does not say it, as the product does. */
  async function prepareAndProve(): Promise<DirectoryResult[]> {
    const prepared = await report("prepared", shell, [data, logs]);
    return Promise.all(
      prepared.looked.map(async (looked) =>
        judge(looked, needsTrial(looked) ? await tryOut(looked.directory, shell) : undefined),
      ),
    );
  }

  test("B24: a read-only mount is blocked, whatever mode it shows", async () => {
    await report("prepared", shell, [data, logs]);
    mount("--bind", base.path, base.path);
    mount("-o", "remount,bind,ro", base.path);
    const seen = await report("seen", shell, [data, logs]);
    expect(seen.looked.map((looked) => judge(looked))).toMatchObject([
      { result: "blocked", cause: "read-only", mode: "2777" },
      { result: "blocked", cause: "read-only", mode: "3777" },
    ]);
  });

  test("B24: so is one where the directories are still to be made, in the kernel's words", async () => {
    mount("-t", "tmpfs", "-o", "ro", "none", base.path);
    const prepared = await report("prepared", shell, [data, logs]);
    expect(entryOf(prepared, 0)).toMatchObject({ cause: "read-only", mount: { type: "tmpfs" } });
    expect(entryOf(prepared, 0).said).toMatch(/Read-only file system/);
  });

  test("B18: no inodes left is no space, with bytes free", async () => {
    mount("-t", "tmpfs", "-o", "size=1m,nr_inodes=2", "none", base.path);
    const results = await prepareAndProve();
    expect(results).toMatchObject([
      { result: "blocked", cause: "no space", fileSystem: "tmpfs" },
      { result: "blocked", cause: "no space" },
    ]);
  });

  describe.skipIf(whyNoBindfs() !== undefined)("on a mount that ignores chmod and chown", () => {
    let source: string;
    let server: ChildProcess;
    beforeEach(() => {
      source = join(base.outside, "source");
      mkdirSync(source);
    });
    afterEach(() => {
      server.kill("SIGKILL");
    });

    async function mountWith(modes: { data: number; logs: number }): Promise<void> {
      for (const { path, volume } of directoriesOf("rel", source, source)) {
        mkdirSync(path, { recursive: true });
        chmodSync(path, modes[volume]);
      }
      server = await mountIgnoringModes(source, base.path);
    }

    test("B03: closed directories are blocked, and chmod is not what mends them", async () => {
      await mountWith({ data: 0o755, logs: 0o755 });
      expect(await prepareAndProve()).toMatchObject([
        { result: "blocked", cause: "mode ignored", mode: "0755", fileSystem: "fuse" },
        { result: "blocked", cause: "mode ignored", mode: "0755" },
      ]);
    });

    test("B03: open ones are proven by trial, and unprotected logs are told", async () => {
      await mountWith({ data: 0o777, logs: 0o777 });
      expect(await prepareAndProve()).toMatchObject([
        { result: "writable by proof", mode: "0777" },
        { result: "ready", mode: "0777", note: "workloads can remove each other's files there" },
      ]);
    });

    test("client#667: sticky data is blocked, sticky logs are as they should be", async () => {
      await mountWith({ data: 0o1777, logs: 0o1777 });
      const results = await prepareAndProve();
      expect(results).toMatchObject([
        { result: "blocked", mode: "1777" },
        { result: "writable by proof", mode: "1777" },
      ]);
      expect(results[0]?.note).toMatch(/uid 65532 cannot remove what uid 65534 wrote/);
    });

    test("nothing of a trial is left behind", async () => {
      await mountWith({ data: 0o1777, logs: 0o1777 });
      await prepareAndProve();
      expect([readdirSync(data.path), readdirSync(logs.path)]).toEqual([[], []]);
    });

    test("a file server that stopped answering costs its own directory alone, and a bounded time", async () => {
      await mountWith({ data: 0o777, logs: 0o777 });
      const local = directoriesOf("rel", base.outside, base.outside)[1] as Directory;
      server.kill("SIGSTOP");
      for (const word of ["seen", "prepared"] as const) {
        const answer = await report(word, shell, [data, local], { seconds: 1 });
        expect(answer.result.ms).toBeLessThan(10_000);
        expect(judge(answer.looked[0] as never)).toMatchObject({ result: "unknown", cause: "no answer" });
        expect(entryOf(answer, 1).cause).toBeUndefined();
      }
    });
  });
});

async function tryOut(directory: Directory, shell: ShellUnderTest) {
  const cwd = directory.path;
  const wrote = readAnswer("wrote", await runScript(shell, writeScript("probe"), { as: writer, cwd }));
  const removing = removeScript("probe");
  const removed =
    wrote.is === "done" ? readAnswer("removed", await runScript(shell, removing, { as: remover, cwd })) : undefined;
  await runScript(shell, removing, { cwd });
  return behaviourOf(directory, wrote, removed);
}
