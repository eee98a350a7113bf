import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { k3dToolsImage, k3sImage } from "../../../src/config/pins.ts";
import { load, refusals } from "./loading.ts";

const wishesOf = async (environment: Record<string, string>) => {
  const loaded = await load({ environment });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
  return loaded;
};

describe("a mirror", () => {
  test.each([
    ["mirror.example.com", "mirror.example.com"],
    ["https://mirror.example.com/", "mirror.example.com"],
    [" HTTPS://mirror.example.com:5000/team// ", "mirror.example.com:5000/team"],
    ["http://mirror.example.com:5000", "http://mirror.example.com:5000"],
  ])("%j is read as %j", async (written, value) => {
    const { wishes } = await wishesOf({ TRACEBLOC_IMAGE_REGISTRY: written });
    expect(wishes.imageRegistry).toMatchObject({ value, origin: { name: "TRACEBLOC_IMAGE_REGISTRY" } });
  });

  test.each([
    ["me:canary@mirror.example.com", "has a user name or password in it"],
    ["oci://mirror.example.com", "has a scheme other than https:// and http://"],
    ["mirror.example.com?x=1", "names no registry"],
  ])("%j is refused", async (written, why) => {
    const [finding, ...others] = await refusals({ environment: { TRACEBLOC_IMAGE_REGISTRY: written } });
    expect(others).toEqual([]);
    expect(finding?.reason).toBe("CONFIG_INVALID");
    expect(finding?.says).toContain(why);
    expect(JSON.stringify(finding)).not.toContain("canary");
  });

  test("has the pinned images of the cluster, which is no change of a pin", async () => {
    const { wishes, warnings } = await wishesOf({ TRACEBLOC_IMAGE_REGISTRY: "http://mirror.example.com/team/" });
    expect(wishes.k3sImage.value).toBe(k3sImage.replace("docker.io", "mirror.example.com/team"));
    expect(wishes.k3dToolsImage.value).toBe(k3dToolsImage.replace("ghcr.io", "mirror.example.com/team"));
    expect(warnings).toEqual([]);
  });

  test("does not move an image that is named by itself", async () => {
    const named = "registry.example.com/k3s:v1";
    const both = { TRACEBLOC_IMAGE_REGISTRY: "mirror.example.com", TRACEBLOC_K3S_IMAGE: named };
    expect((await wishesOf(both)).wishes.k3sImage.value).toBe(named);
  });
});

describe("a login", () => {
  const login = { TRACEBLOC_REGISTRY_USERNAME: "ada", TRACEBLOC_REGISTRY_PASSWORD: "canary" };

  test("is taken whole", async () => {
    expect((await wishesOf(login)).wishes).toMatchObject({
      registryUsername: { value: "ada" },
      registryPassword: { value: "canary" },
    });
  });

  test.each(Object.entries(login))("of which only %s is there is refused, and not shown", async (name, value) => {
    const found = await refusals({ environment: { [name]: value } });
    expect(found).toMatchObject([{ reason: "CONFIG_CONFLICT" }]);
    expect(JSON.stringify(found)).not.toContain("canary");
  });

  test("with a colon in the name is refused", async () => {
    const found = await refusals({ environment: { ...login, TRACEBLOC_REGISTRY_USERNAME: "ada:x" } });
    expect(found[0]?.says).toContain("has a colon in it");
  });
});

describe("certificates", () => {
  const pem = readFileSync(new URL("../../fixtures/cluster/tls/ca.crt", import.meta.url), "utf8");
  const path = "/etc/company.pem";
  const given = (text: string) => ({ environment: { TRACEBLOC_CA_BUNDLE: path }, files: { [path]: text } });

  test("in PEM are taken, several as well as one", async () => {
    expect(await refusals(given(`# ours\n${pem}\n${pem}`))).toEqual([]);
  });

  test.each([
    ["!ENOENT", "does not exist"],
    ["!EILSEQ", "is not PEM"],
    ["nothing of the kind", "holds no certificate in PEM form"],
    ["-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "holds a certificate that cannot be read"],
    [`${pem}-----BEGIN EC PRIVATE KEY-----\ncanary\n-----END EC PRIVATE KEY-----\n`, "holds a private key"],
  ])("%j are refused", async (text, why) => {
    const found = await refusals(given(text));
    expect(found).toMatchObject([{ reason: "CONFIG_UNREADABLE" }]);
    expect(found[0]?.says).toContain(why);
    expect(JSON.stringify(found)).not.toContain("canary");
  });
});
