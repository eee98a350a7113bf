import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { useProgram } from "./program.ts";
import { emptyEngine, stubTools } from "./stubs.ts";

const machine = useProgram();
const canary = "canary-4711-in-the-coal-mine";

/** Everything that lies in a folder, as one text. */
function allIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

describe("a password that came in the environment", () => {
  test("reaches no program that is started, no output and no log", async () => {
    const it = machine();
    stubTools(it);
    // Notes all that it was given: arguments, environment and input.
    const noting = `{ printf '%s\\n' "$@"; env; } >>'${join(it.folder, "given")}'; false`;
    it.stub(
      "docker",
      emptyEngine.map(([fits, does]) => [fits, `${noting}; ${does}`] as const),
    );
    const ran = await it.run(["install", "--verbose"], {
      env: {
        TRACEBLOC_CLIENT_ID: "client-1",
        TRACEBLOC_CLIENT_PASSWORD: canary,
        TRACEBLOC_BACKEND_URL: "http://127.0.0.1:1",
      },
    });
    expect(ran.exit).toBe(4);
    const given = readFileSync(join(it.folder, "given"), "latin1");
    expect(given).toContain("HOST_DATA_DIR=");
    expect(given).not.toContain(canary);
    expect(ran.stdout + ran.stderr).not.toContain(canary);
    expect(allIn(it.state)).not.toContain(canary);
  });
});

describe("a password that stands in the operator's values, or in the address of a proxy", () => {
  test.each([
    ["values", `dockerRegistry: { password: ${canary} }\n`, undefined],
    ["proxy", "", `http://puller:${canary}@proxy.example.com:3128`],
  ])("is in no output and no log, also where a program repeats it: %s", async (_, text, proxy) => {
    const it = machine();
    stubTools(it);
    it.stub(
      "docker",
      emptyEngine.map(([fits]) => [fits, `echo 'cannot sign in with ${canary}' >&2; exit 1`] as const),
    );
    const values = join(it.folder, "values.yaml");
    writeFileSync(values, text, { mode: 0o600 });
    const ran = await it.run(["install", "--verbose", "--values", values], {
      env: { TRACEBLOC_CLIENT_ID: "client-1", TRACEBLOC_CLIENT_PASSWORD: "s3cret", HTTPS_PROXY: proxy },
    });
    expect(ran.exit).not.toBe(0);
    const told = ran.stdout + ran.stderr + allIn(it.state);
    expect(told).toContain("cannot sign in with");
    expect(told).not.toContain(canary);
  });
});
