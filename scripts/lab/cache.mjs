// The lab's folder outside the checkout, and what is built once and kept there.
//
// An artefact's name carries a key: the hash of all that it was made from. So an edit rebuilds exactly what it touches, and
// "is it up to date" is "does the file exist".

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, relative } from "node:path";

import { LabError } from "./errors.mjs";

/** The lab's folder: $TRACEBLOC_LAB_CACHE, else ~/.cache/tracebloc-lab. */
export function cacheDirectory() {
  const directory = process.env.TRACEBLOC_LAB_CACHE || join(homedir(), ".cache", "tracebloc-lab");
  if (!isAbsolute(directory)) {
    throw new LabError(`TRACEBLOC_LAB_CACHE=${directory} is not an absolute path`, {
      next: "unset TRACEBLOC_LAB_CACHE",
    });
  }
  return directory;
}

export function inCache(...parts) {
  return join(cacheDirectory(), ...parts);
}

/**
 * Hashes what an artefact is made from: strings by value, `{ folder }` by the names and contents of its files.
 * The machine's architecture is always a part of it.
 */
export function keyOf(...inputs) {
  const hash = createHash("sha256").update(process.arch);
  for (const input of inputs) {
    hash.update("\0");
    if (typeof input === "string") {
      hash.update(input);
      continue;
    }
    for (const file of filesBelow(input.folder)) {
      hash.update(`\0${relative(input.folder, file)}\0`).update(readFileSync(file));
    }
  }
  return hash.digest("hex").slice(0, 12);
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** Where an artefact lies once it is built. */
export function artefactPath(name, key) {
  return inCache("store", `${name}-${key}`);
}

/**
 * Builds an artefact unless it is there: `make` gets a path to fill, which becomes the artefact only when `make` succeeded.
 * The one it supersedes is removed.
 */
export async function buildArtefact(name, key, make) {
  const path = artefactPath(name, key);
  if (existsSync(path)) return { path, cached: true };

  const unfinished = `${path}.unfinished`;
  mkdirSync(inCache("store"), { recursive: true });
  rmSync(unfinished, { recursive: true, force: true });
  await make(unfinished);
  renameSync(unfinished, path);

  const older = new RegExp(`^${name}-[0-9a-f]{12}(\\.unfinished)?$`);
  for (const entry of readdirSync(inCache("store"))) {
    if (older.test(entry) && entry !== `${name}-${key}`) {
      rmSync(inCache("store", entry), { recursive: true, force: true });
    }
  }
  return { path, cached: false };
}

/** Reads one of the lab's own JSON files; null when it is absent or was cut off. */
export function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

export function writeJson(path, value) {
  writeFileSync(`${path}.unfinished`, `${JSON.stringify(value, null, 2)}\n`);
  renameSync(`${path}.unfinished`, path);
}
