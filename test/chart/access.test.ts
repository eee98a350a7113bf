import { expect, test } from "vitest";
import { parse } from "yaml";

import { core, describeChart, find, hostpath, identity, nodeLocal, refusal, render } from "./helm.ts";
import type { Manifest, Role } from "./manifests.ts";

const decode = (secret: Manifest, key: string) => Buffer.from(secret.data?.[key] ?? "", "base64").toString();

describeChart("the client's Secret", () => {
  test("holds identity and password unharmed, under the names that other programs read", async () => {
    const clientPassword = "a'b\"c\\d #e: {f}\t<g> é";
    const objects = await render({ ...hostpath, clientPassword }, { name: "ward-7" });
    const secret = find(objects, "Secret", "ward-7-secrets", "tracebloc");
    expect(Object.keys(secret.data ?? {})).toEqual(["CLIENT_ID", "CLIENT_PASSWORD", "POD_TOKEN_SIGNING_SECRET"]);
    expect([decode(secret, "CLIENT_ID"), decode(secret, "CLIENT_PASSWORD")]).toEqual([
      identity.clientId,
      clientPassword,
    ]);
  });

  test("takes words that YAML knows otherwise as text when they come quoted, as JSON does", async () => {
    const secret = find(
      await render({ ...hostpath, clientId: "1_000", clientPassword: "on" }),
      "Secret",
      "tracebloc-secrets",
      "tracebloc",
    );
    expect([decode(secret, "CLIENT_ID"), decode(secret, "CLIENT_PASSWORD")]).toEqual(["1_000", "on"]);
  });

  test("gets a signing secret of its own unless one is given", async () => {
    const signing = async (values: object) =>
      decode(
        find(await render({ ...hostpath, ...values }), "Secret", "tracebloc-secrets", "tracebloc"),
        "POD_TOKEN_SIGNING_SECRET",
      );
    expect(await signing({ podTokenSigningSecret: "chosen" })).toBe("chosen");
    const [one, other] = [await signing({ podTokenTtlSeconds: 600 }), await signing({ podTokenTtlSeconds: 601 })];
    expect(one).toMatch(/^[A-Za-z0-9]{48}$/);
    expect(other).not.toBe(one);
  });

  test.each(["clientId", "clientPassword"])("is refused without %s, or with an example's placeholder", async (key) => {
    for (const missing of ["", "  ", null]) {
      const said = await refusal({ ...hostpath, [key]: missing });
      expect(said).toContain(`${key} is required`);
      expect(said).toContain("tracebloc-secrets");
    }
    for (const placeholder of ["<CLIENT>", " <your client here> "]) {
      expect(await refusal({ ...hostpath, [key]: placeholder })).toContain(key);
    }
  });

  test("is in no message of a refusal", async () => {
    const canary = "canary-5e1f";
    const refusals = await Promise.all([
      refusal({ clientPassword: canary }),
      refusal({ ...hostpath, clientId: "", clientPassword: canary }),
      refusal({ ...hostpath, clientPassword: [canary] }),
      refusal({ ...hostpath, clientPassword: `<${canary}>` }),
      refusal({ ...hostpath, podTokenSigningSecret: { canary } }),
      refusal({ ...hostpath, dockerRegistry: { create: true, password: `<${canary}>` } }),
      refusal({ ...hostpath, dockerRegistry: { create: true, password: canary, server: "none" } }),
      refusal({ ...hostpath, env: { HTTP_PROXY_PASSWORD: [canary] } }),
    ]);
    for (const said of refusals) expect(said).not.toContain(canary);
  });
});

describeChart("the jobs manager's rights", () => {
  const grants = ({ rules }: Role) =>
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}: ${[...verbs].sort().join(" ")}`)),
    );
  const namespaced = [
    "batch/jobs: create delete get list patch update watch",
    "/pods: get list watch",
    "/pods/log: get list watch",
    "/events: get list watch",
    "apps/deployments: get list watch",
    "apps/daemonsets: get list watch",
    "metrics.k8s.io/pods: get list",
    "/configmaps: create get",
    "/secrets: create get",
  ];

  test("reach across the cluster by default, to see nodes and to check who submits", async () => {
    for (const clusterScope of [true, null]) {
      const objects = await render({ ...nodeLocal, clusterScope });
      const role = find(objects, "ClusterRole", "tracebloc-jobs-manager-rbac") as Role;
      expect(grants(role)).toEqual([...namespaced, "/nodes: list", "authentication.k8s.io/tokenreviews: create"]);
      expect(find(objects, "ClusterRoleBinding", "tracebloc-jobs-manager-rbac")).toMatchObject({
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "tracebloc-jobs-manager-rbac" },
        subjects: [{ kind: "ServiceAccount", name: "tracebloc-jobs-manager", namespace: "tracebloc" }],
      });
    }
  });

  test("stay within the namespace when asked", async () => {
    const objects = await render({ ...nodeLocal, ...core, clusterScope: false });
    expect(grants(find(objects, "Role", "tracebloc-jobs-manager-rbac") as Role)).toEqual(namespaced);
    expect(find(objects, "RoleBinding", "tracebloc-jobs-manager-rbac")).toMatchObject({ roleRef: { kind: "Role" } });
    expect(objects.filter(({ kind }) => kind.startsWith("Cluster"))).toEqual([]);
  });

  test("belong to an account that gives its token to no other pod", async () => {
    const account = find(await render(nodeLocal), "ServiceAccount", "tracebloc-jobs-manager");
    expect(account).toMatchObject({ automountServiceAccountToken: false });
  });
});

describeChart("who may ingest", () => {
  const policy = async (values: object) => {
    const objects = await render({ ...nodeLocal, ...values }, { name: "ward-7", namespace: "hospital" });
    return parse(find(objects, "ConfigMap", "ward-7-ingestion-authz").data?.["ingestion-authz.yaml"] ?? "") as unknown;
  };

  test("is the namespace's ingestor, into any table, by default", async () => {
    const entry = { service_account: "ingestor", namespace: "hospital", table_prefixes: ["*"] };
    expect(await policy({})).toEqual({ allowed: [entry] });
    const objects = await render({ ...nodeLocal, ingestionAuthz: { serviceAccountName: "loader" } });
    expect(find(objects, "ServiceAccount", "loader")).toMatchObject({ automountServiceAccountToken: true });
    expect(await policy({ ingestionAuthz: { serviceAccountName: "loader" } })).toEqual({
      allowed: [{ ...entry, service_account: "loader" }],
    });
  });

  test("can be narrowed, and nobody is allowed when nothing is said", async () => {
    const entry = { service_account: "x", namespace: "other", table_prefixes: ["scans_", "a: b"] };
    expect(await policy({ ingestionAuthz: { allowed: [entry] } })).toEqual({ allowed: [entry] });
    expect(await policy({ ingestionAuthz: { allowed: [] } })).toEqual({ allowed: [] });
    expect(await policy({ ingestionAuthz: null })).toEqual({ allowed: [] });
  });
});
