import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { initConfig } from "../../../src/cli/config.ts";
import { Failure, type Finding } from "../../../src/engine/finding.ts";
import { asUser, isRoot } from "../files/support.ts";

let folder: string;
let told: { stdout: string; stderr: string };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tracebloc-init-"));
  vi.spyOn(process, "cwd").mockReturnValue(folder);
  told = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      told[name] += String(text);
      return true;
    });
  }
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
  test("tells a person what it wrote and what comes next, and a program the path alone", async () => {
    await initConfig({});
    expect(told.stdout).toBe(`${join(folder, "tracebloc.yaml")}\n`);
    expect(told.stderr).toMatch(/^wrote tracebloc\.yaml.*\n.*:\s+\S.* config show\n$/);
  });

  test.each(["quiet", "json"])("with --%s tells a person nothing", async (flag) => {
    await initConfig({ [flag]: true });
    expect(told.stdout).toContain(join(folder, "tracebloc.yaml"));
    expect(told.stderr).toBe("");
  });

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
