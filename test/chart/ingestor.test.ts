import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";
import { parse } from "yaml";

import {
  container,
  describeChart,
  environment,
  find,
  ingestorChart,
  lint,
  nodeLocal,
  notes,
  refusal,
  render,
} from "./helm.ts";
import { ingestConfig, jobOf, renderIngestor, submitOf } from "./ingestor-chart.ts";
import type { Manifest } from "./manifests.ts";

const digest = `sha256:${"ab".repeat(32)}`;
const here = { name: "cats-dogs", namespace: "hospital", chart: ingestorChart };
const refused = (values: object) => refusal({ ingestConfig, ...values }, here);
const isHook = ({ metadata }: Manifest) => metadata.annotations?.["helm.sh/hook"] !== undefined;

function submission(objects: readonly Manifest[]): { text: string | undefined; body: Record<string, string> } {
  const { data = {} } = find(objects, "ConfigMap", "cats-dogs-ingest-config");
  return { text: data["ingest.yaml"], body: JSON.parse(data["body.json"] ?? "") as Record<string, string> };
}

describeChart("a submission", () => {
  test("holds the file to the letter, for people and for the jobs manager", async () => {
    const { text, body } = submission(await renderIngestor({ idempotencyKey: "first" }));
    expect(text).toBe(ingestConfig);
    expect(body).toEqual({ ingest_config: ingestConfig, idempotency_key: "first" });
  });

  test("names an image only when one is pinned", async () => {
    const { body } = submission(await renderIngestor({ image: { digest } }));
    expect(body).toMatchObject({ image_digest: digest });
  });

  test("belongs to the release, so that uninstalling takes the key along; the hook alone outlives it", async () => {
    const objects = await renderIngestor({ serviceAccount: { create: true } });
    expect(objects.filter(isHook).map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      "Job/cats-dogs-submit",
    ]);
  });

  test("takes no name that the chart before this one leaves behind without an owner", async () => {
    const names = (await renderIngestor()).map(({ metadata }) => metadata.name);
    expect(names).not.toContain("cats-dogs-config");
  });

  test.each([
    ["", "ingestConfig is required"],
    ["  \n", "ingestConfig is required"],
    ["./cats-dogs.yaml", '"./cats-dogs.yaml": the text of the file is wanted'],
    ["a: b: c", "ingestConfig cannot be read"],
    ["- a list", "ingestConfig cannot be read"],
    ["kind: Pod", "kind: IngestConfig"],
    [null, "ingestConfig"],
  ])("of %j is refused, with what to give", async (given, says) => {
    expect(await refused({ ingestConfig: given })).toContain(says);
  });
});

describeChart("the submitting Job", () => {
  test("runs once after installation and upgrade, and its log stays for a while", async () => {
    const job = jobOf(await renderIngestor());
    expect(job.metadata.annotations).toEqual({
      "helm.sh/hook": "post-install,post-upgrade",
      "helm.sh/hook-weight": "1",
      "helm.sh/hook-delete-policy": "before-hook-creation",
      "helm.sh/hook-output-log-policy": "hook-failed",
    });
    expect(job.spec).toMatchObject({ backoffLimit: 0, ttlSecondsAfterFinished: 600 });
    expect(job.spec.template.spec.restartPolicy).toBe("Never");
  });

  test("lives longer than it waits for an answer, for the pull and the scheduler", async () => {
    for (const [seconds, deadline] of [
      [undefined, 150],
      [30, 150],
      [600, 720],
    ] as const) {
      const objects = await renderIngestor({ hookTimeoutSeconds: seconds });
      expect(jobOf(objects).spec.activeDeadlineSeconds).toBe(deadline);
      expect(submitOf(objects).args?.at(-1)).toBe(String(seconds ?? 30));
    }
  });

  test("passes the strictest Pod Security, with the token by which it is known", async () => {
    const { spec } = jobOf(await renderIngestor()).spec.template;
    expect(spec).toMatchObject({
      serviceAccountName: "ingestor",
      automountServiceAccountToken: true,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    });
    expect(spec.containers[0]?.securityContext).toEqual({
      runAsUser: 65532,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  test("leaves the user id to OpenShift, whether values or the cluster say that it is one", async () => {
    const told = await renderIngestor({ openshift: { scc: { enabled: true } } });
    const seen = await renderIngestor({}, { args: ["--api-versions", "security.openshift.io/v1"] });
    for (const objects of [told, seen]) expect(submitOf(objects).securityContext).not.toHaveProperty("runAsUser");
  });

  test("reads what the release submits, and asks the jobs manager of its own namespace", async () => {
    const objects = await renderIngestor();
    const { args = [], volumeMounts } = submitOf(objects);
    expect(args.slice(2, 4)).toEqual([
      "http://jobs-manager.hospital.svc.cluster.local:8080/internal/submit-ingestion-run",
      "/etc/ingest/body.json",
    ]);
    expect(volumeMounts).toEqual([{ name: "submission", mountPath: "/etc/ingest", readOnly: true }]);
    expect(jobOf(objects).spec.template.spec.volumes).toEqual([
      {
        name: "submission",
        configMap: { name: "cats-dogs-ingest-config", items: [{ key: "body.json", path: "body.json" }] },
      },
    ]);
  });

  test("asks another one when told", async () => {
    for (const endpoint of ["https://manager.example.com", "https://manager.example.com/"]) {
      const { args = [] } = submitOf(await renderIngestor({ jobsManager: { endpoint, submitPath: "/v2" } }));
      expect(args[2]).toBe("https://manager.example.com/v2");
    }
  });

  test("takes the account that the client's chart makes, unless told to make one", async () => {
    const accounts = (objects: readonly Manifest[]) => objects.filter(({ kind }) => kind === "ServiceAccount");
    expect(accounts(await renderIngestor())).toEqual([]);
    find(await render(nodeLocal), "ServiceAccount", "ingestor");
    const made = await renderIngestor({ serviceAccount: { create: true, name: "loader" } });
    expect(accounts(made).map(({ metadata }) => metadata.name)).toEqual(["loader"]);
    expect(jobOf(made).spec.template.spec.serviceAccountName).toBe("loader");
  });

  test("has a name that Kubernetes takes, however long that of the release", async () => {
    const { metadata } = jobOf(await renderIngestor({}, { name: "r".repeat(53) }));
    expect(metadata.name.length).toBeLessThanOrEqual(63);
  });
});

describeChart("the submitting image", () => {
  const image = async (values: object) => submitOf(await renderIngestor(values)).image;

  test("is curl's, and can be replaced part by part, a digest winning over a tag", async () => {
    expect(await image({})).toBe("docker.io/curlimages/curl:8.10.1");
    expect(await image({ hookImage: { tag: "8.11.0" } })).toBe("docker.io/curlimages/curl:8.11.0");
    expect(await image({ hookImage: { registry: "quay.io", repository: "curl/curl", digest } })).toBe(
      `quay.io/curl/curl@${digest}`,
    );
  });

  test("may have its registry in front of the repository, where the old chart had it", async () => {
    const hookImage = { repository: "mirror.example.com:5000/curlimages/curl" };
    expect(await image({ hookImage })).toBe("mirror.example.com:5000/curlimages/curl:8.10.1");
    expect(await image({ hookImage, global: { imageRegistry: "other.example.com" } })).toBe(
      "other.example.com/curlimages/curl:8.10.1",
    );
  });

  test.each([
    ["mirror.example.com"],
    ["https://mirror.example.com/"],
    ["HTTP://mirror.example.com//"],
    ["mirror.example.com:5000"],
    ["https://mirror.example.com/proxy/hub/"],
    [""],
    [null],
  ])("comes from the mirror %j, from the place where the client finds its own", async (imageRegistry) => {
    const values = { global: { imageRegistry } };
    const host = environment(container(await render({ ...nodeLocal, ...values }), "api"))["JOB_IMAGE_HOST"];
    expect(await image({ ...values, hookImage: { registry: "docker.io" } })).toBe(`${host}curlimages/curl:8.10.1`);
  });

  test("is pulled once, unless another policy is asked for", async () => {
    const policy = async (values: object) => submitOf(await renderIngestor(values)).imagePullPolicy;
    expect(await policy({})).toBe("IfNotPresent");
    expect(await policy({ imagePullPolicy: "Never" })).toBe("Never");
    expect(await policy({ imagePullPolicy: "Never", hookImage: { pullPolicy: "Always" } })).toBe("Always");
  });

  const credentials = { server: "https://mirror.example.com", username: "ward-7", password: 'a"b\\c', email: "" };
  const pullsWith = (objects: readonly Manifest[]) => jobOf(objects).spec.template.spec.imagePullSecrets;

  test("is pulled with a Secret that exists, the client's for example", async () => {
    const objects = await renderIngestor({ dockerRegistry: { existingSecret: "tracebloc-regcred" } });
    expect(pullsWith(objects)).toEqual([{ name: "tracebloc-regcred" }]);
    expect(objects.map(({ kind }) => kind)).not.toContain("Secret");
  });

  test("is pulled with credentials given as the client is given them, in the same Secret", async () => {
    const dockerRegistry = { create: true, ...credentials };
    const objects = await renderIngestor({ dockerRegistry });
    const secret = find(objects, "Secret", "cats-dogs-regcred");
    expect(pullsWith(objects)).toEqual([{ name: "cats-dogs-regcred" }]);
    const ofClient = find(await render({ ...nodeLocal, dockerRegistry }), "Secret", "tracebloc-regcred", "tracebloc");
    expect([secret.type, secret.data, isHook(secret)]).toEqual([ofClient.type, ofClient.data, false]);
  });

  test("needs no Secret otherwise, and never takes two", async () => {
    for (const dockerRegistry of [{}, null, { create: null, existingSecret: null }]) {
      expect(pullsWith(await renderIngestor({ dockerRegistry }))).toBeUndefined();
    }
    const both = await refused({ dockerRegistry: { create: true, ...credentials, existingSecret: "theirs" } });
    expect(both).toContain("existingSecret");
    expect(both).not.toContain(credentials.password);
  });
});

describeChart("values of an ingestion", () => {
  const wrong: Record<string, object> = {
    "/ingestConfig": { ingestConfig: { kind: "IngestConfig" } },
    "/idempotencyKey": { idempotencyKey: "two words" },
    "/image/digest": { image: { digest: "v0.3.0" } },
    "/jobsManager/endpoint": { jobsManager: { endpoint: "jobs-manager:8080", submitPath: "relative" } },
    "/jobsManager/submitPath": { jobsManager: { endpoint: "jobs-manager:8080", submitPath: "relative" } },
    "/serviceAccount/create": { serviceAccount: { create: "yes", name: "Loader" } },
    "/serviceAccount/name": { serviceAccount: { create: "yes", name: "Loader" } },
    "/hookTimeoutSeconds": { hookTimeoutSeconds: 0 },
    "/hookImage/tag": { hookImage: { tag: "latest", digest: "sha256:1", pullPolicy: "Sometimes" } },
    "/hookImage/digest": { hookImage: { tag: "latest", digest: "sha256:1", pullPolicy: "Sometimes" } },
    "/hookImage/pullPolicy": { hookImage: { tag: "latest", digest: "sha256:1", pullPolicy: "Sometimes" } },
    "/hookResources/limits": { hookResources: { limits: "64Mi" } },
    "/global/imageRegistry": { global: { imageRegistry: "a b" } },
    "/imagePullPolicy": { imagePullPolicy: "Sometimes" },
    "/dockerRegistry": { dockerRegistry: { create: true } },
    "/openshift/scc/enabled": { openshift: { scc: { enabled: "yes" } } },
  };

  test("that are wrong are refused all at once, each by its key", async () => {
    const said = await refused(Object.assign({}, ...Object.values(wrong)) as object);
    const keys = [...said.matchAll(/at '([^']+)'/g)].map(([, key]) => key);
    expect(keys).toEqual(expect.arrayContaining(Object.keys(wrong)));
  });

  test("hold no password that a message shows", async () => {
    const canary = "canary-5e1f";
    const said = await refused({ dockerRegistry: { create: true, server: "none", username: 1, password: [canary] } });
    expect(said).toContain("/dockerRegistry/password");
    expect(said).not.toContain(canary);
  });

  test("may be null, as those of another version of the chart can be", async () => {
    const roots = Object.keys(parse(await readFile(join(ingestorChart, "values.yaml"), "utf8")) as object);
    const nothing = Object.fromEntries(roots.filter((key) => key !== "ingestConfig").map((key) => [key, null]));
    const [none, some] = [
      await renderIngestor({ ...nothing, idempotencyKey: "k" }),
      await renderIngestor({ idempotencyKey: "k" }),
    ];
    const { resources: _, ...rest } = submitOf(some);
    expect(submitOf(none)).toEqual(rest);
    expect(submission(none)).toEqual(submission(some));
  });

  test("may be the client's, which hold the registry too", async () => {
    const client = { ...nodeLocal, clientId: "x", clientPassword: "y", env: { CLIENT_ENV: "dev" } };
    expect((await renderIngestor({ ...client, idempotencyKey: "k" })).length).toBe(2);
  });

  test("pass helm's own strict check", async () => {
    const { code, stdout, stderr } = await lint({ ingestConfig }, ingestorChart);
    expect(code, stdout + stderr).toBe(0);
  });
});

describeChart("the notes of an ingestion", () => {
  test("say where it went and what to look at", async () => {
    const said = await notes({ ingestConfig }, here);
    for (const part of [
      "cats-dogs",
      "kubectl --namespace hospital logs job/cats-dogs-submit",
      "kubectl --namespace hospital get jobs --selector tracebloc.io/ingestion-run",
    ]) {
      expect(said).toContain(part);
    }
  });

  test("say that a chosen key begins its run once", async () => {
    expect(await notes({ ingestConfig, idempotencyKey: "first" }, here)).toContain("Its key is first");
  });
});
