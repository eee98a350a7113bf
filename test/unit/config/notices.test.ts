import { describe, expect, test } from "vitest";

import { optionNames, settings } from "../../../src/config/names.ts";
import { obsolete } from "../../../src/config/obsolete.ts";
import { k3sImage } from "../../../src/config/pins.ts";
import { load } from "./loading.ts";

const warnings = async (environment: Record<string, string>) => (await load({ environment })).warnings;

describe("variables of the installers before this one", () => {
  test.each([
    ["TB_PLAIN", "1", "instead: --no-color or NO_COLOR=1"],
    ["TRACEBLOC_FORCE_REINSTALL", "1", "instead: --force"],
    ["AGENTS", "1", "instead: nothing: a cluster has one server and no agents"],
    ["SERVERS", "1", "instead: nothing: a cluster has one server and no agents"],
    ["TB_CREATE_TIMEOUT_MIN", "08", "instead: --timeout or TRACEBLOC_TIMEOUT, for the whole run"],
    ["READY_TIMEOUT", "10m", "instead: --timeout or TRACEBLOC_TIMEOUT, for the whole run"],
    ["K8S_VERSION", "latest", "instead: TRACEBLOC_K3S_IMAGE, with the whole name of an image"],
  ])("%s is told what replaces it", async (name, value, instead) => {
    const [finding, ...others] = await warnings({ [name]: value });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ reason: "CONFIG_IGNORED", says: `${name} has no effect in this version` });
    expect(finding?.remedies).toEqual([
      { says: instead },
      { says: "to be rid of this line", command: `unset ${name}` },
    ]);
  });

  test("each stands in the table once, and in no other", () => {
    const gone = obsolete.flatMap(({ variables }) => variables);
    const alive = [...Object.values(settings), ...Object.values(optionNames)].flatMap(({ variables }) => variables);
    expect(new Set([...gone, ...alive]).size).toBe(gone.length + alive.length);
  });

  test("an empty one asks for nothing", async () => {
    expect(await warnings({ TB_PLAIN: "", K8S_VERSION: " " })).toEqual([]);
  });

  test("what it says is not repeated: it may be a password", async () => {
    const found = await warnings({ TRACEBLOC_REGISTRY_SERVER: "canary-1" });
    expect(found).toHaveLength(1);
    expect(JSON.stringify(found)).not.toContain("canary");
  });
});

describe("variables that nobody reads", () => {
  test.each([
    ["TRACEBLOC_CLIENT_IDD", "TRACEBLOC_CLIENT_ID"],
    ["TRACEBLOC_CLIENTID", "TRACEBLOC_CLIENT_ID"],
    ["TB_NAMESPAC", "TB_NAMESPACE"],
    ["HOST_DATADIR", "HOST_DATA_DIR"],
  ])("%s was meant to be %s", async (name, meant) => {
    const [finding, ...others] = await warnings({ [name]: "canary" });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ reason: "CONFIG_IGNORED", remedies: [{ says: `did you mean ${meant}?` }] });
    expect(JSON.stringify(finding)).not.toContain("canary");
  });

  test.each([
    "TRACEBLOC_SERVICE_HOST",
    "TRACEBLOC_NO_TELEMETRY",
    "TB_VERSION",
    "HOST_NAME",
    "NAMESPACE",
    "TRACEBLOC_INSTALLER",
  ])("%s is somebody else's", async (name) => {
    expect(await warnings({ [name]: "x" })).toEqual([]);
  });
});

describe("a changed pin", () => {
  test("is said", async () => {
    const [finding, ...others] = await warnings({ TRACEBLOC_K3S_IMAGE: "lab/k3s:v1.35.5" });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      reason: "PIN_CHANGED",
      says: "k3sImage is lab/k3s:v1.35.5 (TRACEBLOC_K3S_IMAGE); this version was made with docker.io/rancher/k3s:v1.35.5-k3s1",
    });
  });

  test("the same digest from a mirror is the same image", async () => {
    const mirrored = k3sImage.replace("docker.io", "mirror.example.com");
    expect(await warnings({ TRACEBLOC_K3S_IMAGE: mirrored })).toEqual([]);
  });
});
