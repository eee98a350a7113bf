import { mkdir, stat } from "node:fs/promises";

import { answered, known, unknown, type Fact } from "../engine/fact.ts";
import { Failure, type Finding } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import type { Performers, Proof } from "../engine/plan.ts";
import { inNode } from "./exec.ts";
import type { Directory } from "./layout.ts";
import { look, runInNode } from "./observe.ts";
import type { PrepareDirectories, StorageAction, StorageProof } from "./plan.ts";
import { behaviourOf, probeName, probeOf, readAnswer, type Behaviour } from "./probe.ts";
import { readReport, type Looked } from "./report.ts";
import { judge, needsTrial, type DirectoryResult } from "./result.ts";
import { prepareScript } from "./script.ts";
import { notShared, proveShared } from "./sharing.ts";

/** How directories are made, prepared and proven. */
export function storagePerformers(): Performers<StorageAction> {
  // What the script read back after it was done. It knows why something failed, which a later look does not.
  const reports = new WeakMap<PrepareDirectories, Looked[]>();
  return {
    "storage.folders": {
      room: "storage",
      reveals: [],
      says: () => "making the folders for data and logs",
      perform: async ({ folders, mounted }) => makeFolders(folders, mounted),
      prove: async ({ folders }) => proveFolders(folders),
    },
    "storage.prepare": {
      room: "storage",
      reveals: ["storage"],
      says: ({ directories }) => `preparing ${directories.map(({ volume }) => volume).join(" and ")} in the node`,
      perform: async (action, on) => {
        await requireShared(action, on);
        const command = inNode(action.node, prepareScript(action.directories), { mutates: true });
        reports.set(action, readReport("prepared", action.directories, await runInNode(command, on)));
      },
      prove: async (action, on) => {
        const looked = reports.get(action) ?? (await look(action.directories, action.node, on));
        return proofOf(await Promise.all(looked.map((one) => prove(one, action.node, on))));
      },
    },
  };
}

/** The result for one directory: by its mode, or by a trial where the mode does not say. */
async function prove(looked: Looked, node: string, on: Machine): Promise<DirectoryResult> {
  return judge(looked, needsTrial(looked) ? await tryOut(looked.directory, node, on) : undefined);
}

/** Writes as one uid and removes as another. What is left over is cleaned up, by root or, where root is nobody, by who wrote it. */
export async function tryOut(directory: Directory, node: string, on: Machine): Promise<Behaviour> {
  const probe = probeOf(node, directory, probeName());
  const wrote = readAnswer("wrote", await runInNode(probe.write, on));
  const removed = wrote.is === "done" ? readAnswer("removed", await runInNode(probe.remove, on)) : undefined;
  for (const clean of probe.clean) {
    if (removed?.is === "done" || readAnswer("removed", await on.runner.run(clean)).is === "done") break;
  }
  return behaviourOf(directory, wrote, removed);
}

function proofOf(results: readonly DirectoryResult[]): StorageProof {
  const how = "docker exec in the node";
  const has = (kind: DirectoryResult["result"]) => results.some(({ result }) => result === kind);
  const proven = has("blocked") || has("unknown") ? "" : ", proven in the node";
  const says = `${results.map(sayResult).join(", ")}${proven}`;
  const isOpen = has("unknown") && !has("blocked");
  const fact: Fact<Proof> = isOpen ? unknown(says, how) : known({ holds: !has("blocked"), says }, how);
  return { ...fact, results };
}

function sayResult({ volume, result, mode, note }: DirectoryResult): string {
  const what = result === "ready" ? (mode ?? result) : result;
  return `${volume} ${what}${note === undefined ? "" : ` (${note})`}`;
}

/** A mount that leads elsewhere ends the run before anything is written there; one that could not be tried does not. */
async function requireShared({ shared, node }: PrepareDirectories, on: Machine): Promise<void> {
  const facts = await Promise.all(shared.map(async (one) => ({ one, sharing: await proveShared(one, node, on) })));
  for (const { one, sharing } of facts) {
    if (sharing.state === "known" && sharing.value === "not shared") throw new Failure(notShared(one, node));
    if (sharing.state === "unknown") {
      on.emit({
        type: "note",
        room: "storage",
        says: `whether the node sees ${one.folder} was not proven: ${sharing.why}`,
      });
    }
  }
}

/** A folder to be mounted must be there: the engine would make it, and make it root's. Those below it the node can make too. */
async function makeFolders(folders: readonly string[], mounted: readonly string[]): Promise<void> {
  for (const folder of mounted) {
    await answered(mkdir(folder, { recursive: true, mode: 0o700 })).catch((error: unknown) => {
      throw new Failure(cannotMake(folder, error), error);
    });
  }
  await Promise.all(folders.map((folder) => answered(mkdir(folder, { recursive: true })).catch(() => undefined)));
}

async function proveFolders(folders: readonly string[]): Promise<Fact<Proof>> {
  const there = await Promise.all(
    folders.map(async (folder) => (await answered(stat(folder)).catch(() => undefined))?.isDirectory() ?? false),
  );
  const missing = folders.filter((_, index) => !there[index]);
  const says = missing.length === 0 ? folders.join(", ") : `left to the node: ${missing.join(", ")}`;
  return known({ holds: missing.length === 0, says }, "look at this machine's folders");
}

function cannotMake(folder: string, error: unknown): Finding {
  const why = error instanceof Error ? error.message : String(error);
  return {
    reason: "DATA_DIR_UNUSABLE",
    room: "storage",
    says: `${folder} cannot be made: ${why}`,
    remedies: [{ says: "use another folder", command: "tracebloc install --data-dir ~/tracebloc-data" }],
  };
}
