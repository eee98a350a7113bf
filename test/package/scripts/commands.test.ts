import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync, cpSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { execa } from "execa";
import { afterAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tracebloc-scripts-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A lab that has nothing yet. */
const cache = join(folder, "cache");
const nowhere = {
  PATH: process.env["PATH"],
  HOME: folder,
  TRACEBLOC_LAB_CACHE: cache,
  DOCKER_HOST: `unix://${join(folder, "no-engine.sock")}`,
};

const node = (script: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  execa(process.execPath, [join(root, "scripts", script), ...args], {
    cwd: root,
    all: true,
    reject: false,
    extendEnv: false,
    env: { ...nowhere, ...env },
  });

describe("npm run try", () => {
  test("--help says what there is, before anything is there", async () => {
    const { stdout, exitCode } = await node("try.mjs", ["--help"]);
    expect(stdout).toMatch(/^usage: npm run try/);
    expect(exitCode).toBe(0);
  });

  test("has nothing to ask before the first run, and says how to come by it", async () => {
    const { stdout, exitCode } = await node("try.mjs", ["status"]);
    expect(stdout).toMatch(/nothing to ask yet\n +next: npm run try$/);
    expect(exitCode).toBe(1);
  });

  test.each([[["--down", "--help"]], [["--down", "status"]], [["status", "--down"]]])(
    "%j removes nothing",
    async (args) => {
      const { stdout, stderr, exitCode } = await node("try.mjs", args);
      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
      expect(stderr).toContain("takes nothing else");
    },
  );

  test("--down is understood where npm took it for its own", async () => {
    const { stdout, exitCode } = await node("try.mjs", [], { npm_config_down: "true" });
    expect({ stdout, exitCode }).toEqual({ stdout: "    there is nothing to remove", exitCode: 0 });
  });

  test("--down claims nothing of what was not there, and comes to its end when its reader is gone", async () => {
    mkdirSync(join(cache, "try"), { recursive: true });
    const script = join(root, "scripts", "try.mjs");
    const gone = await execa(
      "bash",
      ["-o", "pipefail", "-c", '"$0" "$1" --down | exec sleep 0', process.execPath, script],
      {
        reject: false,
        extendEnv: false,
        env: nowhere,
      },
    );
    expect({ exit: gone.exitCode, stderr: gone.stderr }).toEqual({ exit: 0, stderr: "" });
    expect(existsSync(join(cache, "try"))).toBe(false);
    const { stdout } = await node("try.mjs", ["--down"]);
    expect(stdout).toMatch(/^ +there is nothing to remove\n/);
    expect(stdout).not.toMatch(/gone|removed|did not run/);
  });
});

describe("npm run lab -- up", () => {
  /** Any user but root, for a script that asks. */
  const plain = () => {
    const file = join(folder, "plain.cjs");
    writeFileSync(file, "process.getuid = () => 1000;");
    return { NODE_OPTIONS: `--require ${file}` };
  };

  test("without an engine and without root ends before anything is built", async () => {
    const { stderr, exitCode } = await node("lab/lab.mjs", ["up"], plain());
    expect(stderr.split("\n")).toEqual([
      "lab: no container engine answers, and starting one needs root",
      "lab: next: start Docker, or run as root",
    ]);
    expect(exitCode).toBe(1);
    expect(existsSync(join(cache, "logs", "kubernetes.log"))).toBe(false);
  });

  test("without Go ends before a package is installed", async () => {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    for (const program of ["flock", "sh", "cat"]) {
      const { stdout } = await execa("sh", ["-c", `command -v ${program}`]);
      await execa("ln", ["-s", stdout, join(bin, program)]);
    }
    const { stderr, exitCode } = await node("lab/lab.mjs", ["up"], { PATH: bin });
    expect(stderr).toMatch(/^lab: Go is missing\nlab: next: /);
    expect(exitCode).toBe(1);
  });
});

describe("a checkout without dependencies, and an npm that cannot fetch them", () => {
  /** The scripts in a folder of their own, and an npm that says what npm says without a registry. */
  function clone(npm: string) {
    const checkout = mkdtempSync(join(folder, "clone-"));
    for (const part of ["scripts", "package.json", "package-lock.json"]) {
      cpSync(join(root, part), join(checkout, part), { recursive: true });
    }
    const program = join(checkout, "bin", "npm");
    mkdirSync(dirname(program));
    writeFileSync(program, `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
    const env = { ...nowhere, PATH: `${dirname(program)}:${nowhere.PATH}` };
    return {
      run: (script: string) =>
        execa(process.execPath, [join(checkout, "scripts", script)], {
          all: true,
          reject: false,
          extendEnv: false,
          env,
          detached: true,
        }),
    };
  }

  const offline = "echo 'npm error code ENOTFOUND' >&2; exit 1";

  test("say first what they do, then what npm said and what to do next", async () => {
    const { all, exitCode } = await clone(offline).run("try.mjs");
    expect(all).toMatch(
      /installing them with npm ci …\nnpm error code ENOTFOUND\n\n +npm could not .*\n +next: npm run try$/,
    );
    expect(all).not.toMatch(/defect|at file:/);
    expect(exitCode).toBe(1);
  });

  test("end `npm test` with its last line", async () => {
    const { all, exitCode } = await clone(offline).run("test.mjs");
    expect(all).toMatch(/npm could not .*\n +next: npm test\nno test ran\n0 passed, 1 failed$/);
    expect(exitCode).toBe(1);
  });

  test("are told of a Ctrl-C at once, and what npm says about it is kept back", async () => {
    const slow = "trap 'sleep 0.3; echo npm error; exit 1' INT; while :; do sleep 0.1; done";
    const run = clone(slow).run("try.mjs");
    await new Promise<void>((resolve) => {
      run.stdout?.on("data", (chunk: Buffer) => {
        if (chunk.toString().includes("npm ci")) setTimeout(resolve, 300);
      });
    });
    process.kill(-(run.pid ?? 0), "SIGINT");
    const { stdout, stderr, exitCode } = await run;
    expect(stdout).toMatch(
      /Interrupted: waiting for npm; once more ends this at once\n\n +Interrupted\.\n +next: npm run try\n/,
    );
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 130 });
  });
});
