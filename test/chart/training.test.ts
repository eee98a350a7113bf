import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { join } from "node:path";

import { expect, test } from "vitest";

import { freePort } from "../lab/lab.ts";
import { container, describeChart, environment, find, nodeLocal, program, refusal, render } from "./helm.ts";
import type { Manifest } from "./manifests.ts";
import { folder } from "./shells.ts";

type Policy = Manifest & {
  spec: {
    podSelector: object;
    policyTypes: string[];
    ingress: unknown[];
    egress: { to: Record<string, unknown>[]; ports: { protocol: string; port: number }[] }[];
  };
};

describeChart("what trainings may reach", () => {
  const policy = async (training: object = {}, values: object = {}) =>
    (
      find(
        await render({ ...nodeLocal, ...values, networkPolicy: { training } }),
        "NetworkPolicy",
        "tracebloc-training-egress",
      ) as Policy
    ).spec;
  const ports = ({ egress }: Policy["spec"]) =>
    egress.map((rule) => rule.ports.map(({ protocol, port }) => `${protocol} ${port}`).join());

  test("is names, HTTPS outside, the database, the requests proxy and the gateway; nobody reaches them", async () => {
    const spec = await policy();
    expect(spec).toMatchObject({
      podSelector: { matchLabels: { "tracebloc.io/workload": "training" } },
      policyTypes: ["Ingress", "Egress"],
      ingress: [],
    });
    expect(ports(spec)).toEqual(["UDP 53,TCP 53", "TCP 443", "TCP 3306", "TCP 8888", "TCP 3128"]);
    expect(spec.egress.map(({ to }) => to)).toEqual([
      [
        {
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
          podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
        },
      ],
      [{ ipBlock: { cidr: "0.0.0.0/0", except: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"] } }],
      [{ podSelector: { matchLabels: { app: "mysql-client" } } }],
      [{ podSelector: { matchLabels: { app: "requests-proxy" } } }],
      [{ podSelector: { matchLabels: { app: "egress-proxy" } } }],
    ]);
  });

  test("is no HTTPS outside when they are locked down, and only an explicit false does that", async () => {
    const locked = ["UDP 53,TCP 53", "TCP 3306", "TCP 8888", "TCP 3128"];
    expect(ports(await policy({ allowExternalHttps: false }))).toEqual(locked);
    expect(ports(await policy({ allowExternalHttps: null }))).toContain("TCP 443");
    expect(ports(await policy({}, { egressProxy: { enabled: false } }))).not.toContain("TCP 3128");
  });

  test("finds the DNS of the platform by a selector that is taken whole", async () => {
    const dnsSelector = { "dns.operator.openshift.io/daemonset-dns": "default" };
    const [dns] = (await policy({ dnsNamespace: "openshift-dns", dnsSelector })).egress;
    expect(dns?.to).toEqual([
      {
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "openshift-dns" } },
        podSelector: { matchLabels: dnsSelector },
      },
    ]);
  });

  test("leaves out the ranges of this cluster, and is refused without any: all pods would lie open", async () => {
    const clusterCidrs = ["10.128.0.0/14", "172.30.0.0/16"];
    expect((await policy({ clusterCidrs })).egress[1]?.to).toEqual([
      { ipBlock: { cidr: "0.0.0.0/0", except: clusterCidrs } },
    ]);
    for (const none of [[], null]) {
      const said = await refusal({ ...nodeLocal, networkPolicy: { training: { clusterCidrs: none } } });
      expect(said).toMatch(/networkPolicy[./]training[./]clusterCidrs/);
    }
  });

  test("is not told where no network plugin would hear it", async () => {
    for (const networkPolicy of [null, { training: null }, { training: { enabled: false } }]) {
      const objects = await render({ ...nodeLocal, networkPolicy });
      expect(objects.filter(({ kind }) => kind === "NetworkPolicy")).toEqual([]);
    }
  });
});

/** The gateway's files where a squid of this machine can read them, on a port of this machine. */
async function configured(values: object, port: number): Promise<string> {
  const objects = await render({ ...nodeLocal, ...values });
  const config = find(objects, "ConfigMap", "tracebloc-egress-proxy").data?.["squid.conf"] ?? "";
  const parent = objects.find(({ kind, metadata }) => kind === "Secret" && metadata.name === "tracebloc-egress-proxy");
  const at = await folder();
  await writeFile(join(at, "parent.conf"), Buffer.from(parent?.data?.["parent.conf"] ?? "", "base64"));
  const here = config.replaceAll("/etc/squid/upstream", at).replace("http_port 3128", `http_port 127.0.0.1:${port}`);
  await writeFile(join(at, "squid.conf"), here.replaceAll("port 443", "port 443 8443"));
  return join(at, "squid.conf");
}

const squid = program("squid", "/usr/sbin");

/** Runs a real squid with these values as the pod's uid, while `use` is at work. */
async function withSquid<T>(values: object, use: (port: number) => Promise<T>): Promise<T> {
  const port = await freePort();
  const config = await configured(values, port);
  // The shell's pipe belongs to that uid, as the runtime makes the container's.
  const child = spawn("sh", ["-c", '"$0" -N -f "$1" 2>&1 | cat', squid ?? "", config], {
    uid: 13,
    gid: 13,
    detached: true,
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = once(child, "close");
  try {
    for (let tries = 0; !(await listens(port)); tries += 1) {
      if (tries > 200 || child.exitCode !== null) throw new Error(said);
    }
    return await use(port);
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await ended;
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.setTimeout(100, () => resolve(false));
    socket.on("error", () => setTimeout(() => resolve(false), 50));
    socket.on("connect", () => socket.destroy());
  });
}

/** The status that a proxy answers a request line with. */
function ask(port: number, line: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", reject);
    socket.setEncoding("utf8").on("data", (text: string) => {
      resolve(Number(/^HTTP\/1\.\d (\d+)/.exec(text)?.[1]));
      socket.destroy();
    });
    socket.end(`${line} HTTP/1.1\r\nHost: x\r\n\r\n`);
  });
}

const asRoot = process.getuid?.() === 0;

describeChart("the gateway", () => {
  test("is there and does nothing until workloads are routed", async () => {
    const objects = await render(nodeLocal);
    expect(environment(container(objects, "api"))).not.toHaveProperty("EGRESS_PROXY_URL");
    const routed = await render({ ...nodeLocal, egressProxy: { routeWorkloads: true, port: 3129 } });
    expect(environment(container(routed, "api"))["EGRESS_PROXY_URL"]).toBe("http://egress-proxy-service:3129");
    const off = await render({ ...nodeLocal, egressProxy: { enabled: false, routeWorkloads: true } });
    expect(environment(container(off, "api"))).not.toHaveProperty("EGRESS_PROXY_URL");
    expect(off.filter(({ metadata }) => metadata.name.includes("egress-proxy"))).toEqual([]);
  });

  test("runs as squid's own user on a file system that it cannot write", async () => {
    const container_ = container(await render(nodeLocal), "squid");
    expect(container_).toMatchObject({
      command: ["squid", "-N", "-f", "/etc/squid/squid.conf"],
      securityContext: { runAsUser: 13, readOnlyRootFilesystem: true },
      resources: { requests: { cpu: "50m", memory: "64Mi" }, limits: { cpu: "500m", memory: "256Mi" } },
    });
    expect(container_.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual([
      "/etc/squid/squid.conf",
      "/tmp",
      "/var/run",
    ]);
  });

  test("starts anew when its list or its parent changes, which a subPath mount would not show it", async () => {
    const sum = async (values: object) => {
      const { spec } = find(await render({ ...nodeLocal, ...values }), "Deployment", "tracebloc-egress-proxy");
      return JSON.stringify(spec).match(/"checksum\/config":"\w+"/)?.[0];
    };
    const sums = await Promise.all([
      sum({}),
      sum({ egressProxy: { allowlist: ["example.com"] } }),
      sum({ env: { HTTP_PROXY_HOST: "proxy.example.com" } }),
      sum({ env: { HTTP_PROXY_HOST: "proxy.example.com", HTTP_PROXY_USERNAME: "u" } }),
    ]);
    expect(new Set(sums).size).toBe(4);
    expect(sums).not.toContain(undefined);
  });

  test("keeps the site's password out of its ConfigMap", async () => {
    const env = { HTTP_PROXY_HOST: "proxy.example.com", HTTP_PROXY_USERNAME: "u", HTTP_PROXY_PASSWORD: "canary-5e1f" };
    const objects = await render({ ...nodeLocal, env });
    expect(JSON.stringify(find(objects, "ConfigMap", "tracebloc-egress-proxy"))).not.toContain("canary");
  });

  test.skipIf(squid === undefined || !asRoot)(
    "lets through the names of its list over HTTPS, and nothing else",
    async () => {
      const values = { egressProxy: { allowlist: ["localhost", ".example.com"] } };
      const listening = createServer();
      await withSquid(values, async (port) => {
        expect(await ask(port, "CONNECT other.test:443")).toBe(403);
        expect(await ask(port, "CONNECT notexample.com:443")).toBe(403);
        expect(await ask(port, "CONNECT localhost:22")).toBe(403);
        expect(await ask(port, "GET http://localhost/")).toBe(403);
        // Allowed, and then not there: its name has no address, or nothing listens.
        for (const line of ["CONNECT deep.example.com:443", "CONNECT localhost:443"]) {
          expect(await ask(port, line), line).toBeGreaterThanOrEqual(500);
        }
      });
      listening.close();
    },
  );

  test.skipIf(squid === undefined || !asRoot)("lets nothing through when its list is empty", async () => {
    await withSquid({ egressProxy: { allowlist: [] } }, async (port) => {
      expect(await ask(port, "CONNECT api.tracebloc.io:443")).toBe(403);
    });
  });

  test.skipIf(squid === undefined || !asRoot)("goes through the site's own proxy with whatever password", async () => {
    const seen: (string | undefined)[] = [];
    const site: Server = createServer();
    site.on("connect", (request, socket) => {
      seen.push(request.url, request.headers["proxy-authorization"]);
      socket.end("HTTP/1.1 200 OK\r\n\r\n");
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const [user, password] = ["us er", "p:@%/\"'\\#é"];
    const env = {
      HTTP_PROXY_HOST: "127.0.0.1",
      HTTP_PROXY_PORT: String((site.address() as AddressInfo).port),
      HTTP_PROXY_USERNAME: user,
      HTTP_PROXY_PASSWORD: password,
    };
    const status = await withSquid({ env }, async (port) => ask(port, "CONNECT api.tracebloc.io:443"));
    site.close();
    expect(status).toBe(200);
    expect(seen).toEqual(["api.tracebloc.io:443", `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`]);
  });
});
