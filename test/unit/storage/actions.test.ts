import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { Failure } from "../../../src/engine/finding.ts";
import type { Command, RunResult } from "../../../src/process/runner.ts";
import { storagePerformers } from "../../../src/storage/actions.ts";
import { observeFolders, observeStorage } from "../../../src/storage/observe.ts";
import type { MakeFolders, PrepareDirectories } from "../../../src/storage/plan.ts";
import { exited, machine, scripted, timedOut } from "../cluster/stand-in.ts";
import { answer, data, directories, logs } from "./answers.ts";

const node = "k3d-tracebloc-server-0";

function prepare(over: Partial<PrepareDirectories> = {}): PrepareDirectories {
  return { do: "storage.prepare", because: "", node, directories, shared: [], ...over };
}

/** Performs and proves on a node that gives these answers: the script's, then the trial's by what is asked. */
async function performed(script: RunResult, trial: { wrote?: RunResult; removed?: RunResult } = {}) {
  const asked: Command[] = [];
  const runner = scripted((command) => {
    asked.push(command);
    const text = String(command.stdin);
    if (text.includes("end prepared")) return script;
    return text.includes("'wrote %s") ? (trial.wrote ?? exited()) : (trial.removed ?? exited());
  });
  const performer = storagePerformers()["storage.prepare"];
  const on = machine(runner);
  const action = prepare();
  await performer.perform(action, on);
  const proof = await performer.prove(action, on);
  return { proof, asked };
}

describe("preparing directories", () => {
  test("is proven by what the script read back, with one call", async () => {
    const { proof, asked } = await performed(answer("prepared: ready"));
    expect(proof).toMatchObject({
      state: "known",
      value: { holds: true, says: "data 2777, logs 3777, proven in the node" },
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ file: "docker", args: ["exec", "--interactive", node, "sh"], timeoutMs: 20_000 });
  });

  test("is tried out only where the mode does not say it: as one uid, then as another, and each in its gid", async () => {
    const trial = { wrote: answer("wrote: done"), removed: answer("removed: done") };
    const { proof, asked } = await performed(answer("prepared: mode ignored"), trial);
    expect(proof).toMatchObject({ state: "known", value: { holds: true } });
    expect(proof).toMatchObject({ results: [{ result: "writable by proof" }, { result: "ready" }] });
    expect(asked.slice(1).map(({ args }) => args.slice(2, -2))).toEqual(
      expect.arrayContaining([
        ["--user", "65534:65534", "--workdir", data.path],
        ["--user", "65532:65532", "--workdir", data.path],
        ["--user", "65534:65534", "--workdir", logs.path],
        ["--user", "65532:65532", "--workdir", logs.path],
      ]),
    );
    expect(asked).toHaveLength(5);
  });

  test("cleans up as root, and as the writer where root cannot", async () => {
    const trial = { wrote: answer("wrote: done"), removed: answer("removed: refused") };
    const { proof, asked } = await performed(answer("prepared: mode ignored"), trial);
    expect(proof).toMatchObject({ results: [{ result: "blocked" }, { result: "writable by proof" }] });
    const cleaners = asked
      .slice(1)
      .filter(({ args }) => args.includes(data.path))
      .map(({ args }) => args[3]);
    expect(cleaners).toEqual(["65534:65534", "65532:65532", data.path, "65534:65534"]);
  });

  test("that is blocked does not hold, and that has no answer is unknown: neither ends the run", async () => {
    const blocked = await performed(answer("prepared: read-only mount"));
    expect(blocked.proof).toMatchObject({ state: "known", value: { holds: false } });
    const silent = await performed(timedOut);
    expect(silent.proof).toMatchObject({ state: "unknown", results: [{ result: "unknown" }, { result: "unknown" }] });
    const empty = await performed(answer("empty stdin"));
    expect(empty.proof.state).toBe("unknown");
  });

  test("is finished when the run is to stop: only a look is given up", async () => {
    const { asked } = await performed(answer("prepared: ready"));
    expect(asked[0]).toMatchObject({ mutates: true });
    expect(asked[0]?.signal).toBeUndefined();
  });

  test("never starts a program with the script, a mode or a secret among its arguments", async () => {
    const trial = { wrote: answer("wrote: done"), removed: answer("removed: refused") };
    const { asked } = await performed(answer("prepared: mode ignored"), trial);
    for (const { args, stdin } of asked) {
      expect(args.every((arg) => /^[\w./:-]+$/.test(arg))).toBe(true);
      expect(String(stdin)).not.toContain("\r");
    }
  });
});

describe("folders of this machine", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "tracebloc-home-"));
  });
  afterEach(() => {
    rmSync(home, { recursive: true });
  });

  const make = async (action: MakeFolders) => {
    const performer = storagePerformers()["storage.folders"];
    await performer.perform(action, machine(scripted()));
    return performer.prove(action, machine(scripted()));
  };

  test("are made where they are missing, and are then no longer missing", async () => {
    const dirs = { dataDir: join(home, "data dir"), datasetDir: join(home, "sets") };
    const before = await observeFolders("edge", dirs);
    const folders = [join(home, "sets/edge/data"), join(home, "data dir/edge/logs")];
    expect(before).toMatchObject({ state: "known", value: folders });

    const action: MakeFolders = {
      do: "storage.folders",
      because: "",
      folders,
      mounted: [dirs.dataDir, dirs.datasetDir],
    };
    expect(await make(action)).toMatchObject({ state: "known", value: { holds: true } });
    expect(await observeFolders("edge", dirs)).toMatchObject({ state: "known", value: [] });
    expect(statSync(join(home, "data dir/edge")).isDirectory()).toBe(true);
  });

  test("end the run where the one that is mounted cannot be made", async () => {
    writeFileSync(join(home, "file"), "");
    const folder = join(home, "file", "data");
    const action: MakeFolders = { do: "storage.folders", because: "", folders: [], mounted: [folder] };
    await expect(make(action)).rejects.toSatisfy(
      (error) => error instanceof Failure && error.finding.reason === "DATA_DIR_UNUSABLE",
    );
  });

  test("are left to the node where only a folder below cannot be made", async () => {
    writeFileSync(join(home, "edge"), "");
    const action: MakeFolders = {
      do: "storage.folders",
      because: "",
      folders: [join(home, "edge", "data")],
      mounted: [home],
    };
    expect(await make(action)).toMatchObject({
      value: { holds: false, says: expect.stringContaining("left to the node") as string },
    });
  });

  test("that cannot be looked at are unknown, not missing", async () => {
    writeFileSync(join(home, "edge"), "");
    chmodSync(join(home, "edge"), 0o600);
    expect((await observeFolders("edge", { dataDir: home, datasetDir: undefined })).state).toBe("unknown");
  });
});

describe("looking into the node", () => {
  test("is one call for every place that a directory may have, and tells what is mounted", async () => {
    const runner = scripted(() => answer("seen: ready"));
    const on = machine(runner);
    const { directories: seen } = await observeStorage({ node, release: "tracebloc" }, on);
    expect(runner.calls).toEqual([`docker exec --interactive ${node} sh`]);
    expect(seen.map(({ directory }) => directory.path)).toEqual([
      data.path,
      logs.path,
      "/tracebloc-data/tracebloc/data",
    ]);
    expect(on.events).toMatchObject([
      {
        type: "fact",
        room: "storage",
        about: "data",
        state: "known",
        says: "/tracebloc/tracebloc/data: 2777 and owned by uid 1000",
      },
      { type: "fact", room: "storage", about: "logs", state: "known" },
    ]);
  });

  test("takes no more time than the run has left, and ends with it", async () => {
    const asked: Command[] = [];
    const on = machine(scripted((command) => (asked.push(command), timedOut)));
    await observeStorage({ node, release: "tracebloc" }, { ...on, deadline: 300 });
    expect(asked).toMatchObject([{ timeoutMs: 300, signal: on.stop }]);
  });
});
