import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { labClient, labPassword, start as startBackend } from "../../scripts/lab/backend.mjs";
import { useProgram, type Stubbed } from "./program.ts";
import { stubTools } from "./stubs.ts";

const machine = useProgram();

const commands = [
  "install",
  "plan",
  "status",
  "doctor",
  "uninstall",
  "config show",
  "config init",
  "kubeconfig",
  "images",
];

describe("a command line that says nothing we know", () => {
  test.each([
    [["instal"], /unknown command 'instal'; did you mean install\?/],
    [["install", "--nmespace", "x"], /unknown option '--nmespace'; did you mean --namespace\?/],
    [["install", "--data-dri", "/srv"], /did you mean --data-dir\?/],
    [["uninstall", "--delete-date"], /did you mean --delete-data\?/],
    [["config", "shw"], /did you mean show\?/],
    [["status", "please"], /status takes flags and no other words/],
    [["install", "--storage-mode"], /argument missing/],
  ])("%j: is told what was meant, exit 2, and nothing is touched", async (args, meant) => {
    const it = machine();
    stubTools(it);
    const ran = await it.run(args);
    expect(ran.stderr).toMatch(meant);
    expect([ran.exit, ran.stdout]).toEqual([2, ""]);
    expect([existsSync(it.state), existsSync(it.data), it.calls()]).toEqual([false, false, []]);
    const [command = "", ...rest] = args;
    const json = await it.run([command, "--json", ...rest]);
    expect(json.result()).toMatchObject({ ok: false, exit: 2, failures: [{ reason: "USAGE" }] });
  });

  test("gets help where it says nothing at all, and exit 2", async () => {
    const ran = await machine().run([]);
    expect([ran.exit, ran.stdout]).toEqual([2, ""]);
    for (const name of ["install", "status", "uninstall"]) expect(ran.stderr).toContain(name);
  });
});

test.each(commands)("%s --help: exit 0, with an example that can be pasted", async (command) => {
  const ran = await machine().run([...command.split(" "), "--help"]);
  expect([ran.exit, ran.stderr]).toEqual([0, ""]);
  expect(ran.stdout).toMatch(/Examples:\n(.*\n)*.*tracebloc /);
});

describe("--json ends with a result, whatever happens", () => {
  const wrong: readonly (readonly [string, readonly string[], (it: Stubbed) => Record<string, string>, object])[] = [
    [
      "a wrong value",
      ["install", "--namespace", "Not Allowed"],
      () => ({}),
      { exit: 2, failures: [{ reason: "CONFIG_INVALID" }] },
    ],
    [
      "a settings file that is none",
      ["status"],
      (it) => {
        writeFileSync(join(it.folder, "tracebloc.yaml"), "namespace: [a");
        return {};
      },
      { exit: 2, failures: [{ reason: "CONFIG_UNREADABLE" }] },
    ],
    [
      "no engine",
      ["install"],
      (it) => ({ PATH: join(it.folder, "nothing") }),
      { exit: 3, failures: [{ reason: "ENGINE_NOT_INSTALLED" }] },
    ],
    ["nothing installed", ["status"], () => ({}), { exit: 3, failures: [{ reason: "NOT_INSTALLED" }] }],
    ["no kubeconfig", ["kubeconfig"], () => ({}), { exit: 3, failures: [{ reason: "NOT_INSTALLED" }] }],
    ["credentials missing", ["install"], () => ({}), { exit: 2, failures: [{ reason: "CREDENTIALS_MISSING" }] }],
    [
      "data not to be deleted unasked",
      ["uninstall", "--delete-data"],
      () => ({}),
      { exit: 2, failures: [{ reason: "CONFIRMATION_MISSING" }] },
    ],
    [
      "a state directory that is a file",
      ["install"],
      (it) => {
        writeFileSync(it.state, "");
        return { TRACEBLOC_CLIENT_ID: "x", TRACEBLOC_CLIENT_PASSWORD: "y" };
      },
      { exit: 3, failures: [{ reason: "STATE_UNUSABLE" }] },
    ],
    [
      "a plan",
      ["plan"],
      () => ({ TRACEBLOC_CLIENT_ID: "x", TRACEBLOC_CLIENT_PASSWORD: "y" }),
      { exit: 0, state: "planned" },
    ],
    ["nothing to remove", ["uninstall"], () => ({}), { exit: 0 }],
    ["settings", ["config", "show"], () => ({}), { exit: 0 }],
  ];

  test.each(wrong)("%s", async (_, args, arrange, expected) => {
    const it = machine();
    stubTools(it);
    const ran = await it.run([...args, "--json"], { env: arrange(it) });
    const lines = ran.stdout.trimEnd().split("\n");
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ v: 1 });
    expect(ran.result()).toMatchObject(expected);
    expect([ran.exit, ran.result().ok]).toEqual([ran.result().exit, ran.exit === 0]);
    for (const { remedies } of ran.result().failures) expect(remedies).not.toEqual([]);
  });

  test("a working directory that is gone too: exit 2, and what to do", async () => {
    const it = machine();
    const vanished = join(it.folder, "vanished");
    mkdirSync(vanished);
    const through = (command: readonly string[]) => ["/bin/sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", ...command];
    const ran = await it.run(["status", "--json"], { cwd: vanished, through });
    expect(ran.result()).toMatchObject({ ok: false, exit: 2, failures: [{ reason: "CONFIG_INVALID" }] });
    expect(ran.exit).toBe(2);
  });
});

describe("credentials", () => {
  test("are never read from a standard input that nobody named", async () => {
    const it = machine();
    stubTools(it);
    const ran = await it.run(["install", "--json"], { input: "lab-client\nlab-password\n" });
    expect(ran.result()).toMatchObject({ exit: 2, failures: [{ reason: "CREDENTIALS_MISSING" }] });
    expect(it.calls().join("\n")).not.toContain("cluster create");
  });

  test("come from standard input with --client-password-stdin, and reach nothing but the backend", async () => {
    const it = machine();
    stubTools(it);
    const backend = await startBackend();
    const env = { TRACEBLOC_BACKEND_URL: backend.url, TRACEBLOC_CLIENT_ID: labClient };
    const ran = await it.run(["install", "--client-password-stdin", "--json"], { env, input: `${labPassword}\r\n` });
    await backend.stop();
    expect(backend.seen).toEqual([{ path: "/api-token-auth/", username: labClient, status: 200 }]);
    // The stub of k3d makes no cluster.
    expect(ran.result().failures).toMatchObject([{ reason: "CLUSTER_CREATE_FAILED" }]);
    expect(ran.stdout + ran.stderr + it.calls().join("\n")).not.toContain(labPassword);
  });

  test("that the backend does not know cost seconds: no cluster is made for them", async () => {
    const it = machine();
    stubTools(it);
    const backend = await startBackend();
    const env = {
      TRACEBLOC_BACKEND_URL: backend.url,
      TRACEBLOC_CLIENT_ID: labClient,
      TRACEBLOC_CLIENT_PASSWORD: "wrong",
    };
    const ran = await it.run(["install", "--json"], { env });
    await backend.stop();
    expect(ran.result()).toMatchObject({ exit: 2, failures: [{ reason: "CREDENTIALS_REJECTED" }] });
    expect(it.calls().filter((line) => line.startsWith("k3d cluster create"))).toEqual([]);
  });
});

describe("a run that only looks", () => {
  test.each([
    ["plan"],
    ["install", "--dry-run"],
    ["status"],
    ["doctor"],
    ["uninstall", "--dry-run"],
    ["config", "show"],
  ])("%s %s: leaves no trace", async (...args) => {
    const it = machine();
    stubTools(it);
    const env = { TRACEBLOC_CLIENT_ID: "x", TRACEBLOC_CLIENT_PASSWORD: "y" };
    const before = readdirSync(it.folder).toSorted();
    await it.run(
      args.filter((arg) => arg !== undefined),
      { env },
    );
    rmSync(join(it.folder, "calls"), { force: true });
    expect(readdirSync(it.folder).toSorted()).toEqual(before);
  });

  test("works without a terminal and with standard input closed", async () => {
    const it = machine();
    stubTools(it);
    const through = (command: readonly string[]) => [
      "/usr/bin/setsid",
      "/bin/sh",
      "-c",
      'exec "$@" 0<&-',
      "sh",
      ...command,
    ];
    const ran = await it.run(["status", "--json"], { through });
    expect(ran.result()).toMatchObject({ exit: 3, state: "not installed" });
  });

  test("ends quietly where nobody reads what it prints", async () => {
    const it = machine();
    stubTools(it);
    const through = (command: readonly string[]) => ["/bin/sh", "-c", '"$@" | :', "sh", ...command];
    for (const args of [["config", "schema"], ["status", "--json"], ["--help"]]) {
      const ran = await it.run(args, { through });
      expect(ran.stderr).not.toMatch(/EPIPE|node:internal/);
    }
  });

  test("comes to its end where the reader of its output has gone meanwhile", async () => {
    const it = machine();
    stubTools(it);
    const backend = await startBackend();
    const credentials = { TRACEBLOC_CLIENT_ID: labClient, TRACEBLOC_CLIENT_PASSWORD: labPassword };
    const through = (command: readonly string[]) => ["/bin/sh", "-c", '"$@" 2>&1 | :', "sh", ...command];
    await it.run(["install", "--json"], { env: { TRACEBLOC_BACKEND_URL: backend.url, ...credentials }, through });
    await backend.stop();
    const runs = readdirSync(join(it.state, "runs"));
    const log = readFileSync(join(it.state, "runs", runs[0] ?? ""), "utf8")
      .trimEnd()
      .split("\n");
    expect(JSON.parse(log.at(-1) ?? "")).toMatchObject({ is: "end", exit: 4 });
    expect(readdirSync(it.state)).not.toContain("lock");
  });
});

describe("credentials in a values file", () => {
  const wrong = "clientId: lab-client\nclientPassword: no-such-password\n";

  test("are those of the client, and a rejection comes before anything is made", async () => {
    const it = machine();
    stubTools(it);
    const backend = await startBackend();
    onTestFinished(backend.stop);
    writeFileSync(join(it.folder, "mine.yaml"), wrong);
    const env = { TRACEBLOC_BACKEND_URL: backend.url };
    const ran = await it.run(["install", "--values", "mine.yaml", "--json"], { env });
    expect(ran.result()).toMatchObject({ failures: [{ reason: "CREDENTIALS_REJECTED" }] });
    expect(ran.stdout + ran.stderr).not.toContain("no-such-password");
    expect(it.calls().join("\n")).not.toMatch(/k3d cluster create/);
  });

  test("that can be none are named with the file, and nothing is touched", async () => {
    const it = machine();
    writeFileSync(join(it.folder, "mine.yaml"), `clientId: "${"x".repeat(10_000)}"\nclientPassword: a\n`);
    const ran = await it.run(["install", "--values", "mine.yaml", "--json"]);
    expect(ran.result()).toMatchObject({ exit: 2, failures: [{ reason: "CONFIG_INVALID" }] });
    expect(ran.result().failures[0]?.says).toMatch(/clientId .*mine\.yaml/);
    expect(existsSync(it.state)).toBe(false);
  });

  test("which an earlier installer kept in the data directory are used for a client that is lost", async () => {
    const it = machine();
    stubTools(it);
    const backend = await startBackend();
    onTestFinished(backend.stop);
    mkdirSync(it.data);
    writeFileSync(join(it.data, "values.yaml"), wrong.replace("no-such-password", labPassword));
    const env = { TRACEBLOC_BACKEND_URL: backend.url };
    await it.run(["install", "--json"], { env });
    expect(backend.seen).toMatchObject([{ username: labClient, status: 200 }]);

    // They are those of that client, and of no other.
    const other = await it.run(["install", "--client-id", "another-client", "--json"], { env });
    expect(other.result()).toMatchObject({ failures: [{ reason: "CREDENTIALS_MISSING" }] });
    expect(backend.seen).toHaveLength(1);
  });
});

describe("a place for results", () => {
  test("is standard output: what was asked for can be piped, and what is told on the way does not mix with it", async () => {
    const it = machine();
    stubTools(it);
    const shown = await it.run(["config", "schema"]);
    expect(JSON.parse(shown.stdout)).toHaveProperty("properties");
    const status = await it.run(["status"]);
    expect([status.stderr, status.exit]).toEqual(["", 3]);
    expect(status.stdout).toContain("not installed");
  });

  test("--quiet says only what needs attention", async () => {
    const it = machine();
    stubTools(it);
    const ran = await it.run(["uninstall", "--quiet"]);
    expect(ran).toMatchObject({ exit: 0, stdout: "", stderr: "" });
  });
});
