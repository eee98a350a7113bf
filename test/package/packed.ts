import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The package as npm would publish it, and a copy of it unpacked. */
export type Packed = {
  /** A directory of the test's own, which `remove` deletes. */
  directory: string;
  tarball: string;
  /** Where the files of the package lie, `package.json` among them. */
  unpacked: string;
  remove: () => Promise<void>;
};

/** Packs this checkout; npm builds it first, as it does before publishing. */
export async function pack(): Promise<Packed> {
  const directory = await mkdtemp(join(tmpdir(), "tracebloc-package-"));
  await run("npm", ["pack", "--silent", "--pack-destination", directory], { cwd: root });
  const name = (await readdir(directory)).find((entry) => entry.endsWith(".tgz")) ?? "";
  const tarball = join(directory, name);
  await run("tar", ["-xzf", tarball, "-C", directory]);
  return {
    directory,
    tarball,
    unpacked: join(directory, "package"),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
