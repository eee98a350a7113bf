import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { Failure } from "../../../src/engine/finding.ts";
import { deletePerformer, type DeleteData } from "../../../src/storage/delete.ts";
import { exited, machine, scripted, timedOut } from "../cluster/stand-in.ts";

/** A data directory with the data of a release, and beside it something precious that is none of it. */
function stage() {
  const root = mkdtempSync(join(tmpdir(), "tracebloc-delete-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const holder = join(root, "data");
  const elsewhere = join(root, "elsewhere");
  for (const name of ["data", "logs", "mysql"]) mkdirSync(join(holder, "clinic", name), { recursive: true });
  writeFileSync(join(holder, "clinic", "data", "1.csv"), "");
  mkdirSync(join(elsewhere, "data"), { recursive: true });
  const precious = join(elsewhere, "data", "precious");
  writeFileSync(precious, "");
  const action: DeleteData = {
    do: "storage.delete",
    because: "",
    holders: [holder],
    release: "clinic",
    image: "rancher/k3s:v1",
    cluster: "lab",
  };
  return { holder, elsewhere, precious, action };
}

/** Performs it on an engine whose containers with the folder are these: name and cluster. */
async function perform(action: DeleteData, ...users: readonly string[]) {
  const runner = scripted(({ args }) => (args[1] === "ls" ? exited({ stdout: `${users.join("\n")}\n` }) : undefined));
  await deletePerformer.perform(action, machine(runner));
  return runner.calls;
}

const findingOf = (error: unknown) => (error instanceof Failure ? error.finding : error);

describe("deleting the data of a release", () => {
  test("takes its folders and its own only", async () => {
    const { holder, precious, action } = stage();
    writeFileSync(join(holder, "notes"), "");
    await perform(action);
    expect([existsSync(join(holder, "clinic")), existsSync(join(holder, "notes"))]).toEqual([false, true]);
    expect(existsSync(precious)).toBe(true);
  });

  test("does not follow a symlink in the place of the release's folder", async () => {
    const { holder, elsewhere, precious, action } = stage();
    rmSync(join(holder, "clinic"), { recursive: true });
    symlinkSync(elsewhere, join(holder, "clinic"));
    const error = await perform(action).catch(findingOf);
    expect(error).toMatchObject({
      reason: "DATA_DIR_UNUSABLE",
      says: expect.stringContaining("is a symlink") as string,
    });
    expect(existsSync(precious)).toBe(true);
  });

  test("takes symlinks further down away and leaves what they lead to", async () => {
    const { holder, elsewhere, precious, action } = stage();
    rmSync(join(holder, "clinic", "data"), { recursive: true });
    symlinkSync(elsewhere, join(holder, "clinic", "data"));
    symlinkSync(elsewhere, join(holder, "clinic", "logs", "inside"));
    await perform(action);
    expect([existsSync(join(holder, "clinic")), existsSync(precious)]).toEqual([false, true]);
  });

  test("is refused while a container of another cluster has the folder: a slip in --cluster costs no data", async () => {
    const { holder, action } = stage();
    const error = await perform(action, "k3d-lab-server-0 lab", "k3d-lab-2-server-0 lab-2", "mine ").catch(findingOf);
    expect(error).toMatchObject({
      reason: "DATA_IN_USE",
      says: expect.stringContaining("k3d-lab-2-server-0, mine") as string,
    });
    expect(existsSync(join(holder, "clinic", "data", "1.csv"))).toBe(true);
  });

  test("goes on where only the cluster's own node has the folder, and asks for it by every name it has", async () => {
    const { holder, elsewhere, action } = stage();
    const link = join(elsewhere, "link");
    symlinkSync(holder, link);
    const calls = await perform({ ...action, holders: [link] }, "k3d-lab-server-0 lab");
    expect(calls[0]).toContain(`--filter volume=${link} --filter volume=${holder}`);
    expect(existsSync(join(holder, "clinic"))).toBe(false);
  });

  test("does not take silence of the engine for nobody", async () => {
    const { holder, action } = stage();
    const on = machine(scripted(() => timedOut));
    expect(await deletePerformer.perform(action, on).catch(findingOf)).toMatchObject({ reason: "ENGINE_UNKNOWN" });
    expect(existsSync(join(holder, "clinic", "data", "1.csv"))).toBe(true);
  });
});
