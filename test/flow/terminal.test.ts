import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { describe, expect, test } from "vitest";

import { labClient, labPassword, start as startBackend } from "../../scripts/lab/backend.mjs";
import { useProgram, type StartOptions, type Stubbed } from "./program.ts";
import { stubTools } from "./stubs.ts";

const machine = useProgram();

/** Runs it on a terminal of its own (`script`, of every Linux), of this width. */
function onTerminal(it: Stubbed, args: readonly string[], env: NonNullable<StartOptions["env"]> = {}, columns = 100) {
  const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
  const through = (command: readonly string[]) => [
    "/usr/bin/script",
    "--quiet",
    "--return",
    "--echo=never",
    "--command",
    `stty cols ${columns} rows 40; exec ${command.map(quoted).join(" ")}`,
    "/dev/null",
  ];
  return it.start(args, {
    env: { TERM: "xterm-256color", CI: undefined, SHELL: "/bin/sh", ...env },
    through,
    input: null,
  });
}

/** What steers a terminal begins so: colour, cursor, spinner. */
const escape = "\u001b[";

describe("on a terminal", () => {
  test("colour is used, and the state of each thing is still a symbol", async () => {
    const it = machine();
    stubTools(it);
    const { stdout } = await onTerminal(it, ["status"]);
    expect(stdout).toContain(escape);
    expect(stdout).toMatch(/not installed/);
  });

  test.each([
    ["NO_COLOR", { NO_COLOR: "1" }],
    ["CI", { CI: "true" }],
    ["TERM=dumb", { TERM: "dumb" }],
  ])("%s asks for plain lines, and gets them", async (_, env) => {
    const it = machine();
    stubTools(it, "sleep 0.3; exit 1");
    const backend = await startBackend();
    const credentials = { TRACEBLOC_CLIENT_ID: labClient, TRACEBLOC_CLIENT_PASSWORD: labPassword };
    const ran = await onTerminal(it, ["install"], { ...env, ...credentials, TRACEBLOC_BACKEND_URL: backend.url });
    await backend.stop();
    expect(ran.stdout).not.toContain(escape);
    expect(ran.stdout).toMatch(/CLUSTER_CREATE_FAILED/);
  });

  test("that does not know how wide it is, a run comes to its end all the same", async () => {
    const it = machine();
    stubTools(it, "sleep 0.3; exit 1");
    const backend = await startBackend();
    const credentials = { TRACEBLOC_CLIENT_ID: labClient, TRACEBLOC_CLIENT_PASSWORD: labPassword };
    const ran = await onTerminal(it, ["install"], { ...credentials, TRACEBLOC_BACKEND_URL: backend.url }, 0);
    await backend.stop();
    expect(ran.exitCode).toBe(4);
  });

  test("--no-color takes the colour and nothing else", async () => {
    const it = machine();
    stubTools(it);
    const { stdout } = await onTerminal(it, ["status", "--no-color"]);
    expect(stdout).not.toContain(escape);
  });

  test("id and password are asked for; the password is not shown, and is nowhere afterwards", async () => {
    const it = machine();
    stubTools(it);
    const backend = await startBackend();
    const run = onTerminal(it, ["install"], { TRACEBLOC_BACKEND_URL: backend.url });
    let shown = "";
    let typed = 0;
    run.stdout.on("data", (chunk: Buffer) => {
      shown += chunk.toString();
      const asked = [/Client id:\s+\S*\s*$/, /Client password:\s+\S*\s*$/];
      if (asked[typed]?.test(shown) !== true) return;
      run.stdin.write(`${[labClient, labPassword][typed]}\r`);
      typed += 1;
    });
    const ran = await run;
    await backend.stop();
    expect(backend.seen).toEqual([{ path: "/api-token-auth/", username: labClient, status: 200 }]);
    expect(shown).not.toContain(labPassword);
    expect(ran.exitCode).toBe(4);
    const calls = readFileSync(join(it.folder, "calls"), "utf8");
    expect(calls).toContain("k3d cluster create");
    expect(calls).not.toContain(labPassword);
  });

  describe("--delete-data asks for the name of the release, and", () => {
    /** A client's data without its cluster, and one answer to the question. */
    async function answer(typed: string) {
      const it = machine();
      stubTools(it);
      const dataset = join(it.data, "tracebloc", "data", "1.csv");
      mkdirSync(dirname(dataset), { recursive: true });
      writeFileSync(dataset, "1,2\n");
      const run = onTerminal(it, ["uninstall", "--delete-data"]);
      let shown = "";
      run.stdout.on("data", (chunk: Buffer) => {
        const wasAsked = shown.includes("to go on:");
        shown += chunk.toString();
        if (!wasAsked && shown.includes("to go on:")) run.stdin.write(typed);
      });
      const { exitCode } = await run;
      return { shown, exit: exitCode, isThere: existsSync(dataset) };
    }

    test("deletes where that is typed", async () => {
      const { shown, exit, isThere } = await answer("tracebloc\r");
      expect([exit, isThere], shown).toEqual([0, false]);
    });

    test.each([
      ["another name", "tracebloc-2\r", 2, "CONFIRMATION_MISSING"],
      ["nothing", "\r", 2, "CONFIRMATION_MISSING"],
      ["yes", "yes\r", 2, "CONFIRMATION_MISSING"],
      ["Ctrl-C", "\u0003", 130, "Nothing was changed"],
    ])("deletes nothing for %s", async (_, typed, code, says) => {
      const { shown, exit, isThere } = await answer(typed);
      expect([exit, isThere], shown).toEqual([code, true]);
      expect(shown).toContain(says);
    });
  });
});
