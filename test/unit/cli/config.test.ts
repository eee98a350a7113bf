import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { initConfig } from "../../../src/cli/config.ts";
import { Failure, type Finding } from "../../../src/engine/finding.ts";
import { asUser, isRoot } from "../files/support.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tracebloc-init-"));
  vi.spyOn(process, "cwd").mockReturnValue(folder);
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

async function refused(): Promise<Finding> {
  const thrown: unknown = await initConfig({}).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Failure)) throw new Error(`no Failure: ${String(thrown)}`);
  return thrown.finding;
}

describe("config init", () => {
  test("writes a file, once; the second time it is there, and stays", async () => {
    expect(await initConfig({})).toBe(0);
    const path = join(folder, "tracebloc.yaml");
    writeFileSync(path, "cluster: mine\n");
    const { reason, says, remedies } = await refused();
    expect({ reason, says }).toEqual({ reason: "FILE_EXISTS", says: `${path} is there already, and stays as it is` });
    expect(remedies.map(({ command }) => command)).toEqual(["tracebloc config show", `mv ${path} ${path}.old`]);
    expect(readFileSync(path, "utf8")).toBe("cluster: mine\n");
  });

  test.skipIf(!isRoot)("in a folder of somebody else says so, and where to go", async () => {
    const theirs = join(folder, "theirs");
    mkdirSync(theirs);
    chmodSync(folder, 0o755);
    vi.spyOn(process, "cwd").mockReturnValue(theirs);
    const { reason, says, remedies } = await asUser(4711, refused);
    const path = join(theirs, "tracebloc.yaml");
    expect({ reason, says }).toEqual({ reason: "FILE_UNWRITABLE", says: `cannot write ${path}: permission denied` });
    expect(remedies[0]?.command).toBe("cd ~");
    expect(existsSync(path)).toBe(false);
  });
});
