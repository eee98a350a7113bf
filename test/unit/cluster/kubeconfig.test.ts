import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { parseYaml } from "../../../src/cluster/kubeconfig-yaml.ts";
import { readDocument, readStored, toDocument, type Kubeconfig } from "../../../src/cluster/kubeconfig.ts";
import { fixture } from "./stand-in.ts";

const pem = (text: string) => `-----BEGIN ${text}\n`;
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** As k3d 5.9.0 prints it, certificates replaced. */
const printed = fixture("kubeconfig.yaml");

const ours: Kubeconfig = {
  context: "k3d-tracebloc",
  host: "127.0.0.1",
  port: 6550,
  ca: pem("CA"),
  certificate: pem("CERT"),
  key: pem("KEY"),
};
const document = JSON.parse(toDocument(ours)) as {
  clusters: { name: string; cluster: Record<string, string> }[];
  users: { name: string; user: Record<string, string> }[];
  contexts: { name: string; context: Record<string, string> }[];
  "current-context": string;
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tracebloc-kubeconfig-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("what k3d prints", () => {
  test("is read whole", () => {
    expect(parseYaml(printed)).toEqual({
      context: "k3d-tracebloc",
      host: "0.0.0.0",
      port: 6550,
      ca: pem("example CA"),
      certificate: pem("example certificate"),
      key: pem("example key"),
    });
  });

  test.each(["", "---\n", "FATA[0000] No nodes found for given cluster\n", "[]", "a: b: c"])(
    "%j is not understood",
    (text) => {
      expect(() => parseYaml(text)).toThrow(/^it |YAML|mapping|Nested/);
    },
  );
});

describe("what is stored", () => {
  test("is JSON and YAML alike, and reads back as it was", () => {
    const value = fc.record({
      context: fc.string({ minLength: 1 }),
      host: fc.constantFrom("127.0.0.1", "192.0.2.7"),
      port: fc.integer({ min: 1, max: 65_535 }),
      ca: fc.string().map(pem),
      certificate: fc.string().map(pem),
      key: fc.string().map(pem),
    });
    fc.assert(
      fc.property(value, (kubeconfig) => {
        const text = toDocument(kubeconfig);
        expect(readDocument(JSON.parse(text))).toEqual(kubeconfig);
        expect(parseYaml(text)).toEqual(kubeconfig);
      }),
    );
  });

  test("is read without asking whether it is still right; what cannot be read is as good as none", () => {
    const path = join(folder, "kubeconfig.yaml");
    const real: Kubeconfig = {
      ...ours,
      ca: fixture("tls/ca.crt"),
      certificate: fixture("tls/client.crt"),
      key: fixture("tls/client.key"),
    };
    expect(readStored(path)).toBeUndefined();
    writeFileSync(path, toDocument(real));
    expect(readStored(path)).toEqual(real);
    // Three minutes were waited for an API that could not be called with it, and the same again the next time.
    for (const part of ["ca", "certificate", "key"] as const) {
      writeFileSync(path, toDocument({ ...real, [part]: `${real[part].slice(0, 60)}\ngarbage\n` }));
      expect(readStored(path), part).toBeUndefined();
    }
    writeFileSync(path, toDocument(real).slice(0, 200));
    expect(readStored(path)).toBeUndefined();
    expect(readStored(folder)).toBeUndefined();
  });
});

describe("B07: a kubeconfig that could lead elsewhere is refused", () => {
  const cluster = document.clusters[0];
  const user = document.users[0];
  const context = document.contexts[0];
  const withUser = (fields: Record<string, string>) => ({ ...document, users: [{ ...user, user: fields }] });

  test.each<[string, unknown]>([
    ["two clusters", { ...document, clusters: [cluster, cluster] }],
    ["two contexts", { ...document, contexts: [context, context] }],
    ["no user", { ...document, users: [] }],
    ["another current context", { ...document, "current-context": "corporate" }],
    [
      "a context of another cluster",
      { ...document, contexts: [{ ...context, context: { cluster: "corporate", user: user?.name } }] },
    ],
    [
      "a context of another user",
      { ...document, contexts: [{ ...context, context: { cluster: cluster?.name, user: "someone" } }] },
    ],
    ["an exec plugin in place of a certificate", withUser({ exec: "aws" })],
    ["a token in place of a certificate", withUser({ token: "canary" })],
    [
      "a key in a file elsewhere",
      withUser({ "client-certificate-data": base64(ours.certificate), "client-key": "/etc/key.pem" }),
    ],
    ["data that is no PEM", withUser({ "client-certificate-data": base64("x"), "client-key-data": base64(ours.key) })],
    ["no server", { ...document, clusters: [{ ...cluster, cluster: {} }] }],
    ["nothing", null],
  ])("%s", (_, value) => {
    expect(() => readDocument(value)).toThrow(/^it/);
  });
});
