// Images in the lab's engine, made from folders.

import { mkdirSync, rmSync } from "node:fs";

import { inCache } from "./cache.mjs";
import { engineEnvironment } from "./engine.mjs";
import { run, succeeds } from "./processes.mjs";
import { label } from "./versions.mjs";

const log = () => inCache("logs", "images.log");

/** Runs docker against the lab's engine and returns its stdout. */
export function docker(args) {
  return run("docker", args, { env: engineEnvironment(), log: log() });
}

/** Like docker, but answers whether it succeeded. */
export function dockerSucceeds(args) {
  return succeeds("docker", args, { env: engineEnvironment(), log: log() });
}

/** Makes an image unless the engine has it. `tree` makes the folder that becomes its file system, `changes` are Dockerfile lines. */
export async function ensureImage(name, now, tree, changes) {
  if (await dockerSucceeds(["image", "inspect", "--format", "{{.Id}}", name])) return "cached";
  now(`importing ${name}`);
  await importFolder(await tree(), name, changes);
  return "built";
}

export async function importFolder(folder, name, changes) {
  const archive = `${folder}.tar`;
  await run("tar", ["--create", "--file", archive, "--directory", folder, "."], { log: log() });
  const options = [...changes, `LABEL ${label}=1`].flatMap((change) => ["--change", change]);
  await docker(["import", ...options, archive, name]);
  rmSync(archive);
}

/** Removes the lab's images that are not among the given names; the engine keeps those that a container uses. */
export async function removeImagesExcept(names) {
  const current = new Set(names.map((name) => name.replace("docker.io/", "")));
  const listed = await docker([
    "image",
    "ls",
    "--filter",
    `label=${label}`,
    "--format",
    "{{.Repository}}:{{.Tag}} {{.ID}}",
  ]);
  for (const [name, id] of listed
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(" "))) {
    if (!current.has(name)) await dockerSucceeds(["image", "rm", name.includes("<none>") ? id : name]);
  }
}

const stage = (...parts) => inCache("stage", ...parts);

/** An empty folder to put an image's files in. */
export function freshFolder(name) {
  rmSync(stage(name), { recursive: true, force: true });
  mkdirSync(stage(name), { recursive: true });
  return stage(name);
}

export function clearStage() {
  rmSync(stage(), { recursive: true, force: true });
}
