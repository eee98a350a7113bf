import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { importFolder } from "../../scripts/lab/docker.mjs";
import { busyboxFolder } from "../../scripts/lab/pod-images.mjs";
import { run } from "../chart/helm.ts";
import { createCluster, inLab, labEnvironment, type LabCluster } from "./lab.ts";

const name = "lab-ingestor";
const namespace = "hospital";
const image = "docker.io/curlimages/curl:8.10.1";
const chart = fileURLToPath(new URL("../../charts/ingestor", import.meta.url));

/** This machine's curl with its libraries, beside busybox: what the real image holds, as far as the chart uses it. */
async function makeCurlImage(): Promise<void> {
  const folder = await busyboxFolder();
  const { stdout } = await run("sh", ["-c", 'command -v curl && ldd "$(command -v curl)"']);
  const [curl = "", ...needed] = stdout.split("\n");
  const libraries = needed.flatMap((line) => /(\/\S+) \(0x/.exec(line)?.slice(1) ?? []);
  for (const path of [curl, ...libraries]) {
    const place = path === curl ? join(folder, "bin") : join(folder, dirname(path));
    mkdirSync(place, { recursive: true });
    copyFileSync(path, join(place, basename(path)));
  }
  writeFileSync(join(folder, "bin", "answer"), jobsManager, { mode: 0o755 });
  await importFolder(folder, image, ['ENV PATH="/bin"', 'CMD ["sh"]']);
}

/** Notes what it is sent, and accepts it; a table named `refused` it does not know. Speaks to nc on its two ends. */
const jobsManager = `#!/bin/sh
read -r request
while read -r header && [ "\${#header}" -gt 1 ]; do
  case $header in
    [Cc]ontent-[Ll]ength:*) length=\${header#*: } ;;
    [Aa]uthorization:*) account=\${header#*Bearer } ;;
  esac
done
body=$(head -c "\${length%?}")
printf '%s\\n%s\\n%s\\n' "$request" "$account" "$body" >>/notes/submissions
status='201 Created'
case $body in *'table: refused'*) status='400 Bad Request' ;; esac
printf 'HTTP/1.1 %s\\r\\nContent-Length: 21\\r\\nConnection: close\\r\\n\\r\\n{"said":"stand-in no"}' "$status"
`;

const config = (table: string) =>
  `apiVersion: tracebloc.io/v1\nkind: IngestConfig\ncategory: tabular_classification\ntable: ${table}\n`;

describe("the ingestor's chart in a cluster", () => {
  let cluster: LabCluster;
  let folder: string;

  beforeAll(async () => {
    await inLab("k3d", ["cluster", "delete", name]);
    cluster = await createCluster(name);
    await makeCurlImage();
    await inLab("k3d", ["image", "import", "--mode", "direct", "--cluster", name, image]);
    folder = await mkdtemp(join(tmpdir(), `${name}-`));
    await cluster.kubectl(["create", "namespace", namespace]);
    await cluster.kubectl(["label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted"]);
    await cluster.kubectl(["create", "--filename", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    await cluster.kubectl(["--namespace", namespace, "wait", "--for=condition=Ready", "pod/manager", "--timeout=60s"]);
  });
  afterAll(async () => {
    await cluster.remove();
    await rm(folder, { recursive: true });
  });

  const metadata = { namespace, name: "manager", labels: { app: "manager" } };
  const items = [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name: "ingestor" } },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace, name: "jobs-manager" },
      spec: { selector: metadata.labels, ports: [{ port: 8080 }] },
    },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata,
      spec: {
        securityContext: { runAsNonRoot: true, runAsUser: 1001, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            name: "api",
            image,
            command: ["sh", "-c", "while :; do nc -l -p 8080 -e /bin/answer; done"],
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
            volumeMounts: [{ name: "notes", mountPath: "/notes" }],
          },
        ],
        volumes: [{ name: "notes", emptyDir: {} }],
      },
    },
  ];

  async function helm(args: readonly string[]) {
    const env = { ...labEnvironment(), KUBECONFIG: cluster.kubeconfig };
    const { code, stdout, stderr } = await run("helm", [...args, "--namespace", namespace], { env });
    return { code, said: `${stdout}\n${stderr}` };
  }

  async function bring(table: string, ...args: readonly string[]) {
    const file = join(folder, "cats-dogs.yaml");
    await writeFile(file, config(table));
    return helm([...args, chart, "--set-file", `ingestConfig=${file}`]);
  }

  /** What the jobs manager was sent, oldest first. */
  async function submissions() {
    const text = await cluster.kubectl([
      "--namespace",
      namespace,
      "exec",
      "manager",
      "--",
      "cat",
      "/notes/submissions",
    ]);
    const lines = text.split("\n");
    return Array.from({ length: Math.floor(lines.length / 3) }, (_, index) => {
      const [request = "", token = "", body = ""] = lines.slice(index * 3);
      const { ingest_config, idempotency_key: key } = JSON.parse(body) as Record<string, string>;
      return { request: request.trim(), token: token.trim(), text: ingest_config, key };
    });
  }

  test("submits once per release: an upgrade repeats its key, uninstall and install begin a run of their own", async () => {
    const installed = await bring("scans", "install", "scans");
    expect(installed).toMatchObject({ code: 0 });
    expect(await bring("scans", "upgrade", "scans")).toMatchObject({ code: 0 });
    expect(await helm(["uninstall", "scans"])).toMatchObject({ code: 0 });
    const left = await cluster.kubectl(["--namespace", namespace, "get", "configmaps", "--output", "name"]);
    expect(left.split("\n")).not.toContain("configmap/scans-ingest-config");
    expect(await bring("scans", "install", "scans")).toMatchObject({ code: 0 });

    const [first, repeated, fresh] = await submissions();
    expect(first).toMatchObject({ request: "POST /internal/submit-ingestion-run HTTP/1.1", text: config("scans") });
    expect(repeated?.key).toBe(first?.key);
    expect(fresh?.key).toMatch(/^scans-\d+$/);
    expect(fresh?.key).not.toBe(first?.key);
  });

  test("is known to the jobs manager as the namespace's ingestor", async () => {
    expect(await bring("scans", "install", "known")).toMatchObject({ code: 0 });
    // Of the newest: a token ends with its pod.
    const submission = (await submissions()).at(-1);
    const review = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      metadata: {},
      spec: { token: submission?.token },
    };
    const answer = await cluster.kubectl(["create", "--filename", "-", "--output", "json"], JSON.stringify(review));
    const { status } = JSON.parse(answer) as { status: { user?: { username?: string } } };
    expect(status.user?.username).toBe(`system:serviceaccount:${namespace}:ingestor`);
  });

  test("fails with the jobs manager's own words, and a second try keeps the key", async () => {
    const refused = await bring("refused", "install", "wrong");
    expect(refused.code).toBe(1);
    expect(refused.said).toContain("stand-in no");
    expect(refused.said).toContain("submit: FAIL 400");
    expect(await bring("right", "upgrade", "--install", "wrong")).toMatchObject({ code: 0 });
    const [first, second] = (await submissions()).slice(-2);
    expect(second?.key).toBe(first?.key);
  });
});
