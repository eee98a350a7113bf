import { expect, test } from "vitest";

import { container, core, describeChart, environment, find, nodeLocal, refusal, render } from "./helm.ts";
import type { Role } from "./manifests.ts";

describeChart("accounts of the database", () => {
  const keys = async (values: object) =>
    Object.keys(
      find(await render({ ...nodeLocal, ...core, ...values }), "Secret", "tracebloc-secrets").data ?? {},
    ).filter((key) => key.startsWith("TB_"));
  const variables = async (values: object, name = "api") =>
    Object.fromEntries(
      Object.entries(environment(container(await render({ ...nodeLocal, ...core, ...values }), name))).filter(([key]) =>
        /^TB_|^SERVICE_DB|^PER_/.test(key),
      ),
    );
  const services = ["TB_META_PASSWORD", "TB_INGEST_PASSWORD"];

  test("of the services are used as the channel says, unless values say (backend#1752)", async () => {
    expect(await keys({})).toEqual([]);
    expect(await keys({ env: { CLIENT_ENV: "dev" } })).toEqual(services);
    expect(await keys({ env: { CLIENT_ENV: "staging" } })).toEqual(services);
    expect(await keys({ env: { CLIENT_ENV: "dev" }, serviceDbAccounts: false })).toEqual([]);
    expect(await keys({ serviceDbAccounts: true })).toEqual(services);
    expect(await keys({ serviceDbAccountsByEnv: { prod: true } })).toEqual(services);
    expect(await keys({ serviceDbAccountsByEnv: null, env: { CLIENT_ENV: "dev" } })).toEqual(services);
  });

  test("are told to who logs in by them", async () => {
    expect(await variables({ serviceDbAccounts: true, perExperimentDbCreds: true })).toEqual({
      PER_EXPERIMENT_DB_CREDS: "true",
      TB_CREDMGR_USER: "tb_credmgr",
      TB_CREDMGR_PASSWORD: "tracebloc-secrets/TB_CREDMGR_PASSWORD",
      SERVICE_DB_ACCOUNTS: "true",
      TB_META_USER: "tb_meta",
      TB_META_PASSWORD: "tracebloc-secrets/TB_META_PASSWORD",
      TB_INGEST_USER: "tb_ingest",
      TB_INGEST_PASSWORD: "tracebloc-secrets/TB_INGEST_PASSWORD",
    });
    expect(await variables({ serviceDbAccounts: true, perExperimentDbCreds: true }, "proxy")).toEqual({
      SERVICE_DB_ACCOUNTS: "true",
      TB_META_USER: "tb_meta",
      TB_META_PASSWORD: "tracebloc-secrets/TB_META_PASSWORD",
    });
    expect(await variables({})).toEqual({});
    expect(await variables({ perIngestionTables: true, perDatasetPvcs: true })).toEqual({
      PER_INGESTION_TABLES: "true",
      PER_DATASET_PVCS: "true",
    });
  });

  test("have the password that values give, of letters and digits, else one of their own", async () => {
    const on = { ...nodeLocal, ...core, serviceDbAccounts: true };
    const stored = find(
      await render({ ...on, databasePasswords: { meta: "Chosen1" } }),
      "Secret",
      "tracebloc-secrets",
    ).data;
    const decode = (key: string) => Buffer.from(stored?.[key] ?? "", "base64").toString();
    expect(decode("TB_META_PASSWORD")).toBe("Chosen1");
    expect(decode("TB_INGEST_PASSWORD")).toMatch(/^[A-Za-z0-9]{32}$/);
    const said = await refusal({ ...on, databasePasswords: { ingest: "canary'; drop" } });
    expect(said).toContain("databasePasswords.ingest");
    expect(said).not.toContain("canary");
  });

  test("widen the jobs manager's rights only where they must, and volumes need the whole cluster", async () => {
    const rules = async (values: object) =>
      (find(await render({ ...nodeLocal, ...values }), "ClusterRole", "tracebloc-jobs-manager-rbac") as Role).rules;
    const before = await rules({});
    expect(await rules({ perExperimentDbCreds: true })).toEqual(
      expect.arrayContaining([
        ...before,
        { apiGroups: [""], resources: ["secrets"], verbs: ["delete", "list", "patch"] },
      ]),
    );
    expect((await rules({ perDatasetPvcs: true })).slice(before.length)).toEqual([
      { apiGroups: [""], resources: ["persistentvolumes"], verbs: ["create", "delete", "get", "list", "patch"] },
      { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["create", "delete", "list"] },
    ]);
    expect(await refusal({ ...nodeLocal, perDatasetPvcs: true, clusterScope: false })).toContain("perDatasetPvcs");
  });
});
