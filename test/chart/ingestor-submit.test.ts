import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";

import { describeChart, program, run, type Ran } from "./helm.ts";
import { ingestConfig, renderIngestor, submitOf } from "./ingestor-chart.ts";

const curl = program("curl");
const busybox = program("busybox");
const root = join(tmpdir(), `tracebloc-submit-${process.pid}`);

/** A curl that writes its arguments down, so that a test sees what everybody on the node could. */
const bin = join(root, "bin");
const seenArguments = join(root, "arguments");
/** busybox alone, as in the image. */
const applets = join(root, "applets");

beforeAll(async () => {
  for (const path of [bin, applets]) await mkdir(path, { recursive: true });
  const lines = ["#!/bin/sh", `printf '%s\\n' "$@" >>${seenArguments}`, `exec ${curl} "$@"`, ""];
  await writeFile(join(bin, "curl"), lines.join("\n"), { mode: 0o755 });
  if (busybox === undefined) return;
  for (const name of ["sh", "cat", "date", "sleep"]) await symlink(busybox, join(applets, name));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const shells = [
  { name: "dash", start: ["-c"], path: process.env["PATH"] ?? "" },
  { name: "bash", start: ["--norc", "-c"], path: process.env["PATH"] ?? "" },
  { name: "busybox", start: ["sh", "-c"], path: applets },
].flatMap(({ name, start, path }) => {
  const found = program(name);
  return found === undefined || curl === undefined ? [] : [{ name, start: [found, ...start], path: `${bin}:${path}` }];
});

type Seen = { method: string; url: string; headers: IncomingMessage["headers"]; body: string };
type Answer = (response: ServerResponse, times: number) => void;

const token = "eyJ.not-a-real-one.canary-77";
let server: Server | undefined;
let seen: Seen[];
let folder: string;

beforeEach(async () => {
  seen = [];
  folder = await mkdtemp(join(root, "pod-"));
  await writeFile(join(folder, "token"), token);
  await writeFile(join(folder, "body.json"), JSON.stringify({ ingest_config: ingestConfig }));
});
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(0) : server.close(resolve)));
  server = undefined;
  await rm(seenArguments, { force: true });
});

/** A jobs manager that notes what it is sent. Gives its address. */
async function listen(answer: Answer, port = 0): Promise<string> {
  server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      seen.push({ method, url, headers, body });
      answer(response, seen.length);
    });
  });
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(port, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

const answering =
  (status: number, body = ""): Answer =>
  (response) =>
    void response.writeHead(status).end(body);

/** The script as the kubelet starts it, with other files and another bound. */
async function submit(shell: (typeof shells)[number], address: string, seconds = 20): Promise<Ran> {
  const [script = "", zero = ""] = submitOf(await renderIngestor()).args ?? [];
  const [command = "", ...start] = shell.start;
  const words = [`${address}/internal/submit`, join(folder, "body.json"), join(folder, "token"), String(seconds)];
  return run(command, [...start, script, zero, ...words], { env: { PATH: shell.path } });
}

describeChart("the submitting script", () => {
  test("means to the shell what it says: the kubelet's own $(VAR) and $$ are not in it", async () => {
    const { args = [], command, env } = submitOf(await renderIngestor());
    expect([command, env]).toEqual([["sh", "-c"], undefined]);
    expect(args[0]).not.toContain("$$");
  });

  const shellcheck = program("shellcheck");
  test.skipIf(shellcheck === undefined)("has nothing that shellcheck minds", async () => {
    const stdin = submitOf(await renderIngestor()).args?.[0] ?? "";
    const { code, stdout } = await run(shellcheck ?? "", ["--shell=sh", "-"], { stdin });
    expect([code, stdout]).toEqual([0, ""]);
  });
});

describeChart.each(shells)("the submitting script under $name", (shell) => {
  test("posts the body as it is, as the account whose token it has, and says what was answered", async () => {
    const ran = await submit(shell, await listen(answering(201, '{"run":"ingest-job-1"}')));
    expect(ran).toEqual({ code: 0, stderr: "", stdout: expect.stringContaining('{"run":"ingest-job-1"}') as string });
    expect(ran.stdout).toContain("submit: OK 201");
    const body = await readFile(join(folder, "body.json"), "utf8");
    expect(seen).toMatchObject([{ method: "POST", url: "/internal/submit", body }]);
    expect(seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
    });
  });

  test("shows the token to nobody", async () => {
    const ran = await submit(shell, await listen(answering(500, "no")));
    expect(seen[0]?.headers.authorization).toContain(token);
    for (const text of [await readFile(seenArguments, "utf8"), ran.stdout, ran.stderr]) {
      expect(text).not.toContain(token);
    }
  });

  test("says that a run which was there already is not begun again", async () => {
    const ran = await submit(shell, await listen(answering(200, '{"replay":true}')));
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("begins no other")]);
  });

  test.each([
    [400, "submit: FAIL 400"],
    [401, "ingestionAuthz"],
    [403, "ingestionAuthz"],
    [409, "idempotencyKey"],
    [500, "submit: FAIL 500"],
    [301, "submit: FAIL 301"],
  ])("fails on %i, once, with the answer and what it means", async (status, says) => {
    const answer = 'line 3: "table" is missing\n201\n  200';
    const ran = await submit(shell, await listen(answering(status, answer)));
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain(answer);
    expect(ran.stdout).toContain(says);
    expect(seen.length).toBe(1);
  });

  test.each([
    ["is not ready yet", answering(503, "starting")],
    ["breaks off", (response: ServerResponse) => void response.socket?.destroy()],
  ])("asks again while the jobs manager %s: one key begins one run", async (_, first: Answer) => {
    const address = await listen((response, times) => (times < 2 ? first : answering(201, "run"))(response, times));
    const ran = await submit(shell, address);
    expect([ran.code, seen.length]).toEqual([0, 2]);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("waits for a jobs manager that comes later", async () => {
    const address = await listen(answering(201));
    const { port } = new URL(address);
    await new Promise((resolve) => server?.close(resolve));
    const waiting = submit(shell, address);
    await refusedOnce();
    await listen(answering(201), Number(port));
    expect((await waiting).code).toBe(0);
  });

  test("gives up after its time, with what kept it and where to look", async () => {
    const address = await listen(() => undefined);
    const ran = await submit(shell, address, 1);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain(`submit: FAIL no answer from ${address}/internal/submit: curl: (28)`);
    expect(ran.stdout).toContain("kubectl get deployments");
  });

  test("gives up on one that stays unready, with its answer", async () => {
    const ran = await submit(shell, await listen(answering(503, "still starting")), 1);
    expect([ran.code, ran.stdout]).toEqual([1, expect.stringMatching(/still starting\nsubmit: FAIL 503/)]);
  });

  test.each([
    ["token", "there is no token"],
    ["body.json", "there is nothing to submit"],
  ])("asks nobody without its %s", async (file, says) => {
    const address = await listen(answering(201));
    for (const spoil of [() => writeFile(join(folder, file), ""), () => rm(join(folder, file))]) {
      await spoil();
      const ran = await submit(shell, address);
      expect([ran.code, ran.stdout]).toEqual([1, expect.stringContaining(says)]);
    }
    expect(seen).toEqual([]);
  });
});

/** Resolves when curl has been started at least once. */
async function refusedOnce(): Promise<void> {
  const began = Date.now();
  while (Date.now() - began < 20_000) {
    if (await readFile(seenArguments, "utf8").catch(() => "")) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("curl was not started");
}
