import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { labClient, labPassword, start as startBackend } from "../../scripts/lab/backend.mjs";
import { recorded, reportedFailure } from "./answers.ts";
import { say, useProgram, type Rules, type Stubbed } from "./program.ts";
import { emptyEngine, stubTools } from "./stubs.ts";

const machine = useProgram();

/** Notes its own process, so that a test can see whether it is still there, and goes on as told. */
const noted = (it: Stubbed, then: string) => `echo $$ >>'${join(it.folder, "pids")}'; ${then}`;
const stillThere = (it: Stubbed) =>
  readFileSync(join(it.folder, "pids"), "utf8")
    .trimEnd()
    .split("\n")
    .filter((pid) => existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8")));

/** Until k3d is at work. */
const isCreating = (it: Stubbed) =>
  expect.poll(() => it.calls().join("\n"), { timeout: 15_000 }).toContain("k3d cluster create");

async function withBackend<T>(use: (env: Record<string, string>) => Promise<T>): Promise<T> {
  const backend = await startBackend();
  try {
    return await use({
      TRACEBLOC_BACKEND_URL: backend.url,
      TRACEBLOC_CLIENT_ID: labClient,
      TRACEBLOC_CLIENT_PASSWORD: labPassword,
    });
  } finally {
    await backend.stop();
  }
}

const running: Rules = [
  ["'container ls '*", say(recorded("healthy: docker container ls").stdout)],
  ["'container inspect '*", say(recorded("healthy: docker container inspect").stdout)],
];

describe("B08, B31: a docker that never answers", () => {
  test("ends with the run's time, also where it ignores TERM; none of it is left", async () => {
    const it = machine();
    stubTools(it);
    it.stub("docker", [["*", noted(it, "trap '' TERM INT; while :; do sleep 1; done")]]);
    const began = performance.now();
    const ran = await it.run(["status", "--json", "--timeout", "10s"]);
    expect(ran.result()).toMatchObject({ exit: 4, state: "unknown", failures: [{ reason: "ENGINE_NOT_ANSWERING" }] });
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(stillThere(it)).toEqual([]);
  }, 40_000);
});

describe("B32: a docker that ends before it has read its input", () => {
  test.each([
    ["with a complaint", `${say(recorded("stopped: docker exec seen, failed").stderr, "stderr")}; exit 1`],
    ["after it closed its input and went on for a while", "exec 0<&-; sleep 0.2; exit 1"],
    ["without a word, content", "exit 0"],
    ["killed", "kill -9 $$"],
  ])("%s: is told by its own end, and nothing breaks", async (_, does) => {
    const it = machine();
    stubTools(it);
    it.stub("docker", [["'exec '*", does], ...running, ...emptyEngine]);
    const ran = await it.run(["status", "--json"]);
    expect([0, 1]).not.toContain(ran.exit);
    expect(ran.result().failures.map(({ reason }) => reason)).not.toContain("DEFECT");
    expect(ran.stdout + ran.stderr).not.toMatch(/EPIPE|node:internal/);
    expect(ran.result().storage?.every(({ result }) => result === "unknown")).toBe(true);
  });
});

describe("Ctrl-C while k3d makes the cluster", () => {
  test("ends k3d, takes away what it made, and exits 130; the log comes to its end", async () => {
    const it = machine();
    stubTools(it, noted(it, "sleep 60 & wait"));
    const ran = await withBackend(async (env) => {
      const run = it.start(["install", "--json"], { env });
      await isCreating(it);
      run.kill("SIGINT");
      return run;
    });
    expect(ran.exitCode).toBe(130);
    expect(JSON.parse(ran.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      state: "interrupted",
      exit: 130,
    });
    expect(stillThere(it)).toEqual([]);
    const after = it.calls().slice(it.calls().findIndex((line) => line.startsWith("k3d cluster create")) + 1);
    expect(after.some((line) => line.startsWith("docker container ls --all"))).toBe(true);
    const [log = ""] = readdirSync(join(it.state, "runs"));
    expect(
      readFileSync(join(it.state, "runs", log), "utf8")
        .trimEnd()
        .split("\n")
        .at(-1),
    ).toContain('"is":"end"');
    expect(readdirSync(it.state)).not.toContain("lock");
  });
});

describe("two installs at once", () => {
  test("the second is told who is at work, exit 8, and starts nothing", async () => {
    const it = machine();
    stubTools(it, "sleep 60 & wait");
    await withBackend(async (env) => {
      const first = it.start(["install", "--json"], { env });
      await isCreating(it);
      const before = it.calls().length;
      const second = await it.run(["install", "--json"], { env });
      expect(second.result()).toMatchObject({ exit: 8, state: "refused", failures: [{ reason: "RUN_LOCKED" }] });
      expect(second.result().failures[0]?.says).toContain(`process ${first.pid}`);
      expect(it.calls().length).toBe(before);
      const seen = await it.run(["status", "--json"], { env });
      expect(seen.result().warnings).toMatchObject([{ reason: "RUN_AT_WORK" }]);
      first.kill("SIGTERM");
      expect((await first).exitCode).toBe(143);
    });
  });
});

test("B06: k3d's complaint is found in more output than is kept of it", async () => {
  const it = machine();
  const noise =
    'i=0; while [ $i -lt 3000 ]; do echo "INFO[0001] pulling layer $i of a long list of layers"; i=$((i+1)); done >&2';
  stubTools(it, `${noise}; ${say(reportedFailure("B18: no space left").stderr, "stderr")}; exit 1`);
  const ran = await withBackend((env) => it.run(["install", "--json"], { env }));
  expect(ran.result()).toMatchObject({ exit: 4, failures: [{ reason: "NO_SPACE" }] });
});
