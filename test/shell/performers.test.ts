import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { Failure } from "../../src/engine/finding.ts";
import type { Command, Runner } from "../../src/process/runner.ts";
import { storagePerformers } from "../../src/storage/actions.ts";
import { directoriesOf } from "../../src/storage/layout.ts";
import type { PrepareDirectories } from "../../src/storage/plan.ts";
import { machine } from "../unit/cluster/stand-in.ts";
import { directoriesIn, makeBase, modeOf, type Base } from "./bases.ts";
import { mountIgnoringModes, unmount, whyNoBindfs } from "./mounts.ts";
import { runScript, shells, whyNotAsRoot, type ShellUnderTest } from "./shells.ts";

/** A node that is this machine: the calls that are meant for `docker exec` run here, with their uid and directory. */
function throughShell(shell: ShellUnderTest): Runner {
  const after = ({ args }: Command, flag: string) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
  return {
    run: (command) => {
      const [uid, cwd] = [after(command, "--user")?.split(":")[0], after(command, "--workdir")];
      const where = { ...(uid !== undefined && { as: Number(uid) }), ...(cwd !== undefined && { cwd }) };
      return runScript(shell, String(command.stdin), where);
    },
    stopAll: () => Promise.resolve(),
  };
}

describe.skipIf(whyNotAsRoot() !== undefined).each(shells)("$name", (shell) => {
  let base: Base;
  beforeEach(() => {
    base = makeBase();
  });
  afterEach(() => {
    base.remove();
  });

  async function prepare(over: Partial<PrepareDirectories> = {}) {
    const directories = directoriesIn(base);
    const action: PrepareDirectories = {
      do: "storage.prepare",
      because: "",
      node: "node",
      directories,
      shared: [],
      ...over,
    };
    const performer = storagePerformers()["storage.prepare"];
    const on = machine(throughShell(shell));
    await performer.perform(action, on);
    return performer.prove(action, on);
  }

  test("prepares and proves, with the shared folder proven first and nothing left in it", async () => {
    const proof = await prepare({ shared: [{ folder: base.path, base: base.path }] });
    expect(proof).toMatchObject({
      state: "known",
      value: { holds: true, says: "data 2777, logs 3777, proven in the node" },
    });
    expect(readdirSync(base.path)).toEqual(["rel"]);
  });

  test("B23: where the node sees another folder, nothing is prepared in it", async () => {
    const elsewhere = prepare({ shared: [{ folder: base.outside, base: base.path }] });
    await expect(elsewhere).rejects.toSatisfy(
      (error) => error instanceof Failure && error.finding.reason === "STORAGE_NOT_SHARED",
    );
    expect([readdirSync(base.path), readdirSync(base.outside)]).toEqual([[], []]);
  });

  test("B23: a folder that is seen under another name is the same folder", async () => {
    const link = join(base.outside, "link");
    symlinkSync(base.path, link);
    expect(await prepare({ shared: [{ folder: link, base: base.path }] })).toMatchObject({ value: { holds: true } });
    rmSync(link);
  });

  test("each directory is told by itself: a file in the way of one keeps the other from nothing", async () => {
    const [data] = directoriesIn(base);
    mkdirSync(join(base.path, "rel"));
    symlinkSync(base.outside, data?.path ?? "");
    const proof = await prepare();
    expect(proof).toMatchObject({ value: { holds: false }, results: [{ result: "blocked" }, { result: "ready" }] });
    expect(modeOf(join(base.path, "rel", "logs"))).toBe("3777");
  });

  test.skipIf(whyNoBindfs() !== undefined)(
    "B03: on a mount that ignores chmod, a trial proves it and leaves nothing",
    async () => {
      const source = join(base.outside, "source");
      for (const { path } of directoriesOf("rel", source, source)) {
        mkdirSync(path, { recursive: true });
        chmodSync(path, 0o777);
      }
      const server = await mountIgnoringModes(source, base.path);
      try {
        const proof = await prepare({ shared: [{ folder: source, base: base.path }] });
        expect(proof).toMatchObject({
          value: { holds: true },
          results: [{ result: "writable by proof" }, { result: "ready" }],
        });
        expect([readdirSync(join(source, "rel", "data")), readdirSync(join(source, "rel", "logs"))]).toEqual([[], []]);
      } finally {
        unmount(base.path);
        server.kill("SIGKILL");
      }
    },
  );
});
