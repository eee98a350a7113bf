import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";

import { toDocument } from "../../../src/cluster/kubeconfig.ts";
import { mergeKubeconfig } from "../../../src/cluster/merge.ts";
import { platform } from "./stand-in.ts";

const corporate = `# mine, do not touch
apiVersion: v1
kind: Config
current-context: corporate
clusters:
  - name: corporate # the big one
    cluster: { server: "https://k8s.example.com" }
contexts:
  - name: corporate
    context: { cluster: corporate, user: ada }
users:
  - name: ada
    user: { token: canary-token }
preferences: {}
`;

type Config = Record<"clusters" | "users" | "contexts", { name: string; cluster?: { server: string } }[]> & {
  "current-context"?: string;
};

let root: string;
let ours: string;
let theirs: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tracebloc-merge-"));
  ours = join(root, "ours.yaml");
  theirs = join(root, ".kube", "config");
  write(6550);
});
afterEach(() => rmSync(root, { recursive: true }));

function write(port: number): void {
  const pem = "-----BEGIN x\n";
  writeFileSync(
    ours,
    toDocument({ context: "k3d-tracebloc", host: "127.0.0.1", port, ca: pem, certificate: pem, key: pem }),
  );
}
function writeTheirs(text: string, mode = 0o600): void {
  mkdirSync(join(root, ".kube"), { recursive: true });
  writeFileSync(theirs, text, { mode });
}
const merge = (environment: Record<string, string> = { HOME: root }) => mergeKubeconfig(ours, environment, platform());
const config = (path = theirs) => parse(readFileSync(path, "utf8")) as Config;

describe("a person's own kubeconfig", () => {
  test("gets our context beside theirs; the current one, comments and everything else stay", async () => {
    writeTheirs(corporate, 0o640);
    expect(await merge()).toEqual({ path: theirs, context: "k3d-tracebloc", current: "corporate" });
    const text = readFileSync(theirs, "utf8");
    expect(text).toMatch(/# mine, do not touch[\s\S]*# the big one/);
    expect(config()).toMatchObject({
      "current-context": "corporate",
      clusters: [{ name: "corporate" }, { name: "k3d-tracebloc", cluster: { server: "https://127.0.0.1:6550" } }],
      contexts: [
        { name: "corporate" },
        { name: "k3d-tracebloc", context: { cluster: "k3d-tracebloc", user: "admin@k3d-tracebloc" } },
      ],
      users: [{ name: "ada", user: { token: "canary-token" } }, { name: "admin@k3d-tracebloc" }],
    });
    expect(statSync(theirs).mode & 0o777).toBe(0o640);
  });

  test("merged twice has our entries once, as they are now", async () => {
    writeTheirs(corporate);
    await merge();
    const first = readFileSync(theirs, "utf8");
    await merge();
    expect(readFileSync(theirs, "utf8")).toBe(first);
    write(6551);
    await merge();
    expect(config().clusters.map(({ name, cluster }) => [name, cluster?.server])).toEqual([
      ["corporate", "https://k8s.example.com"],
      ["k3d-tracebloc", "https://127.0.0.1:6551"],
    ]);
  });

  test.each(["", "\n", "{}\n"])(
    "that is empty (%j), or not there, becomes one with ours alone, private, and no current context",
    async (text) => {
      if (text !== "") writeTheirs(text);
      expect(await merge()).toMatchObject({ path: theirs, current: undefined });
      expect(config()).toMatchObject({ apiVersion: "v1", kind: "Config", clusters: [{ name: "k3d-tracebloc" }] });
      expect(statSync(theirs).mode & 0o777).toBe(0o600);
    },
  );

  test("B07: of several in KUBECONFIG the one with our context, else the first that is there, else the last", async () => {
    const [first, second] = [join(root, "first"), join(root, "second")];
    const environment = { HOME: root, KUBECONFIG: [first, second].join(delimiter) };
    expect((await merge(environment)).path).toBe(second);
    writeFileSync(first, corporate);
    expect((await merge(environment)).path).toBe(second);
    rmSync(second);
    expect((await merge(environment)).path).toBe(first);
  });

  test.each([
    ["a list", "- a\n- b\n"],
    ["words", "hello\n"],
    ["no YAML, and a secret in it", "users: [ {token: canary-token\nx: ]"],
  ])("that is %s is left as it is, and not quoted", async (_, text) => {
    writeTheirs(text);
    await expect(merge()).rejects.toThrow(/cannot be changed: it is no (YAML|kubeconfig)/);
    await expect(merge()).rejects.not.toThrow("canary");
    expect(readFileSync(theirs, "utf8")).toBe(text);
  });

  test("B07: that is a directory is told", async () => {
    mkdirSync(theirs, { recursive: true });
    await expect(merge()).rejects.toThrow("cannot be changed: ");
  });

  test("that is a pipe or a device is told, and neither read nor replaced", async () => {
    const pipe = join(root, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const path of [pipe, "/dev/zero"]) {
      await expect(merge({ KUBECONFIG: path })).rejects.toThrow(`${path} cannot be changed: it is no regular file`);
    }
    expect(statSync(pipe).isFIFO()).toBe(true);
  });

  test.each(["clusters: *canary\n", "- a\n", "a\n"])("that is none is left as it is: %j", async (text) => {
    writeTheirs(text);
    await expect(merge()).rejects.toThrow("it is no kubeconfig");
    expect(readFileSync(theirs, "utf8")).toBe(text);
  });

  test("without a home and without KUBECONFIG there is none to change", async () => {
    await expect(merge({})).rejects.toThrow("there is no home directory");
  });
});
