import fc from "fast-check";
import { expect, test } from "vitest";

import { container, describeChart, environment, hostpath, nodeLocal, render } from "./helm.ts";

async function environments(
  values: object,
): Promise<{ api: Record<string, string>; monitor: Record<string, string>; proxy: Record<string, string> }> {
  const objects = await render({ ...nodeLocal, ...values });
  const of = (name: string) => environment(container(objects, name));
  return { api: of("api"), monitor: of("pods-monitor-container"), proxy: of("proxy") };
}

describeChart("the environment", () => {
  test("is the contract, whole, when values say nothing", async () => {
    const { api, monitor, proxy } = await environments(hostpath);
    const shared = {
      CLIENT_ID: "tracebloc-secrets/CLIENT_ID",
      CLIENT_PASSWORD: "tracebloc-secrets/CLIENT_PASSWORD",
      CLIENT_LOGS_PVC: "client-logs-pvc",
      JOB_IMAGE_HOST: "docker.io/",
      CLIENT_ENV: "prod",
      RUNTIME_CLASS_NAME: "",
      SINGLE_NODE: "true",
    };
    expect(monitor).toEqual(shared);
    expect(api).toEqual({
      ...shared,
      POD_TOKEN_SIGNING_SECRET: "tracebloc-secrets/POD_TOKEN_SIGNING_SECRET",
      POD_TOKEN_TTL_SECONDS: "604800",
      CLIENT_PVC: "client-pvc",
      MYSQL_HOST: "mysql-client",
      INGESTOR_IMAGE_REPOSITORY: "ghcr.io/tracebloc/ingestor",
      INGESTOR_IMAGE_TAG: "0.8",
      INGESTOR_IMAGE_DIGEST: "sha256:05e124945a2ef61868661a9137abb5e75dac96a090cb41a7b4e8be520c4b5873",
      REQUESTS_PROXY_URL: "http://requests-proxy-service:8888",
      NODE_AGENTS_NAMESPACE: "tracebloc-node-agents",
    });
    expect(proxy).toEqual({
      MYSQL_HOST: "mysql-client",
      EXPERIMENTS_QUEUE_NAME: "experiments",
      FLOPS_QUEUE_NAME: "flops",
      POD_TOKEN_SIGNING_SECRET: "tracebloc-secrets/POD_TOKEN_SIGNING_SECRET",
    });
  });

  test("passes on what is not empty, to both containers of the jobs manager alone", async () => {
    const { api, monitor, proxy } = await environments({
      env: { HOST_UID: "1234", DERIVE_JOB_ENVELOPE: "false", EMPTY: "" },
    });
    for (const seen of [api, monitor]) {
      expect(seen).toMatchObject({ HOST_UID: "1234", DERIVE_JOB_ENVELOPE: "false" });
      expect(seen).not.toHaveProperty("EMPTY");
    }
    expect(proxy).not.toHaveProperty("HOST_UID");
  });

  test("never lets a value stand for what the chart decides, in either container (client#751)", async () => {
    const decided = Object.keys((await environments({})).api);
    const { api, monitor } = await environments({
      env: Object.fromEntries(
        [...decided, "IMAGE_PULL_SECRET_NAME"]
          .filter((name) => !/^(CLIENT_ENV|RUNTIME_CLASS_NAME|SINGLE_NODE)$/.test(name))
          .map((name) => [name, "shadow"]),
      ),
    });
    expect(Object.values({ ...api, ...monitor })).not.toContain("shadow");
    expect(api).not.toHaveProperty("IMAGE_PULL_SECRET_NAME");
  });

  test("tells the sizes together with who chose them, or not at all", async () => {
    const size = "cpu=4,memory=16Gi";
    const sized = { RESOURCE_REQUESTS: size, RESOURCE_LIMITS: size, RESOURCE_PROVENANCE: "user" };
    expect((await environments({ env: sized })).api).toMatchObject(sized);
    expect((await environments({ env: sized })).monitor).toMatchObject(sized);
    expect((await environments({ env: { RESOURCE_LIMITS: size } })).api).toMatchObject({
      RESOURCE_LIMITS: size,
      RESOURCE_PROVENANCE: "unknown",
    });
    const { api } = await environments({ env: { RESOURCE_PROVENANCE: "user" } });
    expect(Object.keys(api).filter((name) => name.startsWith("RESOURCE_"))).toEqual([]);
  });

  test("tells an empty GPU limit, which declares a machine without, from none (backend#2216)", async () => {
    expect((await environments({ env: { GPU_LIMITS: "" } })).api).toMatchObject({ GPU_LIMITS: "", GPU_REQUESTS: "" });
    expect((await environments({})).api).not.toHaveProperty("GPU_LIMITS");
    expect((await environments({ env: { GPU_LIMITS: "amd.com/gpu=2" } })).monitor).toMatchObject({
      GPU_LIMITS: "amd.com/gpu=2",
      GPU_REQUESTS: "amd.com/gpu=2",
    });
    expect((await environments({ env: { GPU_REQUESTS: "nvidia.com/gpu=1" } })).api).not.toHaveProperty("GPU_REQUESTS");
  });

  test("takes the single node from the storage, unless told otherwise", async () => {
    const single = async (values: object) => (await environments(values)).api["SINGLE_NODE"];
    expect(await single(hostpath)).toBe("true");
    expect(await single(nodeLocal)).toBe("false");
    expect(await single({ ...hostpath, env: { SINGLE_NODE: "false" } })).toBe("false");
    expect(await single({ ...nodeLocal, hostPath: null })).toBe("false");
  });

  test("reduces the old names of channels, which images do not have (backend#1745)", async () => {
    const channels: Record<string, string> = {
      "": "prod",
      production: "prod",
      prod: "prod",
      staging: "stg",
      stg: "stg",
      development: "dev",
      dev: "dev",
    };
    for (const [asked, channel] of Object.entries(channels)) {
      const { api } = await environments({ env: { CLIENT_ENV: asked } });
      expect(api["CLIENT_ENV"], asked).toBe(channel);
    }
  });
});

const proxied = { HTTP_PROXY_HOST: "proxy.example.com", HTTP_PROXY_PORT: "3128" };

describeChart("a proxy", () => {
  test("reaches every workload that dials out, in all the spellings that programs read", async () => {
    const { api, monitor, proxy } = await environments({ env: { ...proxied, NO_PROXY: "intranet.example.com" } });
    for (const seen of [api, monitor, proxy]) {
      for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]) {
        expect(seen[name], name).toBe("http://proxy.example.com:3128");
      }
      expect(seen["no_proxy"]).toBe(seen["NO_PROXY"]);
      const direct = seen["NO_PROXY"]?.split(",");
      expect(direct).toEqual(
        expect.arrayContaining(["intranet.example.com", "127.0.0.1", ".svc", ".cluster.local", "10.0.0.0/8"]),
      );
      expect(seen).not.toHaveProperty("HTTP_PROXY_HOST");
    }
  });

  test("drops the raw form beside the split one, and passes it on alone (client#229, client#238)", async () => {
    const raw = { HTTP_PROXY: "http://raw.example.com:8080", no_proxy: "raw.example.com" };
    expect((await environments({ env: { ...proxied, ...raw } })).api).toMatchObject({
      HTTP_PROXY: "http://proxy.example.com:3128",
    });
    expect((await environments({ env: raw })).api).toMatchObject(raw);
  });

  test("without a port has none, and without a user no credentials", async () => {
    const url = async (env: object) => (await environments({ env })).api["HTTP_PROXY"];
    expect(await url({ HTTP_PROXY_HOST: "proxy.example.com" })).toBe("http://proxy.example.com");
    expect(await url({ ...proxied, HTTP_PROXY_PASSWORD: "lonely" })).toBe("http://proxy.example.com:3128");
    expect(await url({ ...proxied, HTTP_PROXY_USERNAME: "u" })).toBe("http://u:@proxy.example.com:3128");
  });

  test("carries any user and password unharmed in its URL", async () => {
    const text = fc.string({ unit: "grapheme", minLength: 20, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, text, async (user, password) => {
        const { api } = await environments({
          env: { ...proxied, HTTP_PROXY_USERNAME: user, HTTP_PROXY_PASSWORD: password },
        });
        const url = new URL(api["HTTP_PROXY"] ?? "");
        expect([decodeURIComponent(url.username), decodeURIComponent(url.password), url.host]).toEqual([
          user,
          password,
          "proxy.example.com:3128",
        ]);
      }),
      { numRuns: 3, examples: [["us er+%:@/?#", "'\"\\&=$()é"]] },
    );
  });
});
