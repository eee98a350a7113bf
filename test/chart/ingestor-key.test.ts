import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { describeChart, find } from "./helm.ts";
import { renderIngestor } from "./ingestor-chart.ts";

/** The ConfigMaps of a cluster, by name, with the body that each holds. */
const cluster = new Map<string, string>();
let server: Server;
let folder: string;
let kubeconfig: string;

/** As much of the Kubernetes API as helm asks while it renders: what there is, and ConfigMaps by name. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const { status, body } = answerTo((request.url ?? "").replace(/\?.*/, ""));
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  folder = await mkdtemp(join(tmpdir(), "tracebloc-key-"));
  kubeconfig = join(folder, "kubeconfig");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "stand-in", cluster: { server: address } }],
    users: [{ name: "nobody", user: {} }],
    contexts: [{ name: "here", context: { cluster: "stand-in", user: "nobody" } }],
    "current-context": "here",
  };
  await writeFile(kubeconfig, JSON.stringify(config));
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

function answerTo(path: string): { status: number; body: object } {
  const known: Record<string, object> = {
    "/version": { major: "1", minor: "35", gitVersion: "v1.35.2" },
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/apis": { kind: "APIGroupList", apiVersion: "v1", groups: [] },
    "/api/v1": {
      kind: "APIResourceList",
      groupVersion: "v1",
      resources: [{ name: "configmaps", singularName: "", namespaced: true, kind: "ConfigMap", verbs: ["get"] }],
    },
  };
  const name = /^\/api\/v1\/namespaces\/hospital\/configmaps\/([^/]+)$/.exec(path)?.[1] ?? "";
  const body = cluster.get(name);
  const found =
    body === undefined
      ? known[path]
      : { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { "body.json": body } };
  const missing = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 };
  return found === undefined ? { status: 404, body: missing } : { status: 200, body: found };
}

/** The key that a submission gets, in a cluster that holds these ConfigMaps. */
async function keyOf(
  held: Readonly<Record<string, string>>,
  values: object,
  ...args: readonly string[]
): Promise<string> {
  cluster.clear();
  for (const [name, body] of Object.entries(held)) cluster.set(name, body);
  const asking = ["--dry-run=server", "--disable-openapi-validation", ...args];
  // The same question has another answer when the cluster holds something else.
  const question = { ...values, held };
  const objects = await renderIngestor(question, { kubeconfig, args: asking });
  const { data = {} } = find(objects, "ConfigMap", "cats-dogs-ingest-config");
  return (JSON.parse(data["body.json"] ?? "") as { idempotency_key: string }).idempotency_key;
}

const holding = (key: string) => JSON.stringify({ ingest_config: "", idempotency_key: key });

describeChart("the key of a submission", () => {
  const ours = { "cats-dogs-ingest-config": holding("the first one") };
  const old = { "cats-dogs-config": holding("of the old chart") };

  test("is the release's name and the time on an installation, so that each is a run of its own", async () => {
    const before = Math.floor(Date.now() / 1000);
    const key = await keyOf({}, {});
    const [, seconds] = /^cats-dogs-(\d+)$/.exec(key) ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(before);
    expect(Number(seconds)).toBeLessThanOrEqual(Date.now() / 1000);
  });

  test("is kept by an upgrade, which would read the dataset twice otherwise (client#139)", async () => {
    expect(await keyOf(ours, {}, "--is-upgrade")).toBe("the first one");
    expect(await keyOf({ ...ours, ...old }, {}, "--is-upgrade")).toBe("the first one");
  });

  test("is taken over from a release of the old chart, and not from what one left behind", async () => {
    expect(await keyOf(old, {}, "--is-upgrade")).toBe("of the old chart");
    expect(await keyOf(old, {})).toMatch(/^cats-dogs-\d+$/);
  });

  test("is the chosen one before all others", async () => {
    for (const args of [[], ["--is-upgrade"]]) {
      expect(await keyOf(args.length > 0 ? ours : {}, { idempotencyKey: "chosen" }, ...args)).toBe("chosen");
    }
  });

  test.each(["", "{", "[]", '"text"', "{}", '{"idempotency_key":""}'])(
    "is a new one where an upgrade finds %j",
    async (body) => {
      expect(await keyOf({ "cats-dogs-ingest-config": body }, {}, "--is-upgrade")).toMatch(/^cats-dogs-\d+$/);
    },
  );
});
