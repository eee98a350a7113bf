import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { otherRegistries } from "../../../src/cluster/refusals.ts";
import { layRegistries, registriesFile } from "../../../src/cluster/registries.ts";
import type { Machine } from "../../../src/engine/machine.ts";
import { statePaths } from "../../../src/files/state.ts";
import { asking } from "./stand-in.ts";

const login = { username: "ada", password: "canary $HOME" };
const caBundle = { path: "/etc/company.pem", fingerprint: "0123" };
const tls = { ca_file: "/etc/ssl/certs/tracebloc-ca.crt" };

describe("what a node is told of registries", () => {
  test("is nothing where nothing was asked for", () => {
    expect(registriesFile({}, undefined)).toBeUndefined();
  });

  test("is that Docker Hub's images come from the mirror, below its path", () => {
    expect(registriesFile({ mirror: "mirror.example.com:5000/a/b", caBundle }, login)).toEqual({
      mirrors: { "docker.io": { endpoint: ["https://mirror.example.com:5000"], rewrite: { "^(.*)$": "a/b/$1" } } },
      configs: { "mirror.example.com:5000": { tls, auth: login } },
    });
  });

  test("is also that a mirror without TLS has none", () => {
    const endpoint = ["http://mirror.example.com"];
    expect(registriesFile({ mirror: "http://mirror.example.com" }, undefined)).toEqual({
      mirrors: { "docker.io": { endpoint }, "mirror.example.com": { endpoint } },
      configs: { "mirror.example.com": {} },
    });
  });

  test("without a mirror is the login at Docker Hub, and whom to trust", () => {
    expect(registriesFile({}, login)).toEqual({ configs: { "registry-1.docker.io": { auth: login } } });
    expect(registriesFile({ caBundle }, undefined)).toEqual({
      configs: {
        "docker.io": { tls },
        "auth.docker.io": { tls },
        "ghcr.io": { tls },
        "registry-1.docker.io": { tls },
      },
    });
  });

  test("lies in private files while k3d needs them; the password where k3d puts in no variables", () => {
    const folder = mkdtempSync(join(tmpdir(), "registries-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const pem = join(folder, "company.pem");
    writeFileSync(pem, "-----BEGIN CERTIFICATE-----");
    const shape = {
      cluster: "c",
      image: "i",
      toolsImage: "t",
      port: 1,
      anyPort: true,
      dataDir: undefined,
      datasetDir: undefined,
      mirror: "mirror.example.com",
      caBundle: { path: pem, fingerprint: "0123" },
    };
    const on = { state: statePaths(join(folder, "state")) } as Machine;
    const { args, clear } = layRegistries(shape, login, on);
    const [registries = "", files = ""] = [args[1], args[3]];

    expect(args).toEqual(["--registry-config", registries, "--config", files]);
    expect([registries, files].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(readFileSync(registries, "utf8")).toContain("canary $HOME");
    expect(readFileSync(files, "utf8")).not.toContain("$");
    expect(JSON.parse(readFileSync(files, "utf8"))).toMatchObject({
      files: [{ source: "-----BEGIN CERTIFICATE-----\n", destination: tls.ca_file, nodeFilters: ["all"] }],
    });
    clear();
    expect(readdirSync(join(folder, "state", "cluster-c"))).toEqual([]);
  });
});

describe("a mirror or certificates that are asked for", () => {
  const wishes = asking({ imageRegistry: "mirror.example.com", caBundle: "/etc/company.pem" });
  const birth = { createdAt: "2026-01-01T00:00:00.000Z", mirror: "mirror.example.com", ca: "0123" };

  test.each([
    ["are those it was made with", birth, []],
    [
      "were not there then",
      { createdAt: "x" },
      ["with no mirror: --image-registry", "with no certificates: --ca-bundle"],
    ],
    ["are others", { ...birth, mirror: "other.example.com" }, ["with other mirror: --image-registry"]],
    ["were renewed", { ...birth, ca: "4567" }, ["with other certificates: --ca-bundle"]],
    ["met a cluster of another's", undefined, ["by another: --image-registry", "by another: --ca-bundle"]],
  ])("and %s", (_, made, says) => {
    const found = otherRegistries("tracebloc", made, wishes, "0123");
    expect(found.map((finding) => /was made (.*?) does not/.exec(finding.says)?.[1])).toEqual(says);
    expect(found.every(({ reason }) => reason === "MIRROR_IGNORED")).toBe(true);
  });
});
