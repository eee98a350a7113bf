import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { parse } from "yaml";

import { chart, hostpath, nodeLocal } from "./helm.ts";

/** Values that take every branch of the templates once. */
export const matrix: Record<string, object> = {
  "directories of the node": hostpath,
  "node-local storage": nodeLocal,
  "datasets on a mount of their own": { ...hostpath, hostPath: { enabled: true, datasetPath: "/tracebloc-data" } },
  "a mirror with a password": {
    ...hostpath,
    global: { imageRegistry: "mirror.example.com:5000" },
    dockerRegistry: { create: true, server: "https://mirror.example.com", username: "u", password: "p", email: "" },
  },
  "every known variable, and names that the chart sets itself": {
    ...hostpath,
    env: {
      CLIENT_ENV: "staging",
      HTTP_PROXY: "http://raw.example.com",
      HTTP_PROXY_HOST: "proxy.example.com",
      HTTP_PROXY_PORT: "3128",
      NO_PROXY: "intranet.example.com",
      RESOURCE_LIMITS: "cpu=4,memory=16Gi",
      RESOURCE_REQUESTS: "cpu=4,memory=16Gi",
      RESOURCE_PROVENANCE: "installer",
      GPU_LIMITS: "nvidia.com/gpu=1",
      GPU_REQUESTS: "nvidia.com/gpu=1",
      RUNTIME_CLASS_NAME: "nvidia",
      SINGLE_NODE: "true",
      HOST_UID: "1234",
      CLIENT_ID: "x",
      CLIENT_PASSWORD: "x",
      CLIENT_PVC: "x",
      CLIENT_LOGS_PVC: "x",
      MYSQL_HOST: "x",
      JOB_IMAGE_HOST: "x",
      POD_TOKEN_SIGNING_SECRET: "x",
      POD_TOKEN_TTL_SECONDS: "x",
      INGESTOR_IMAGE_DIGEST: "x",
      REQUESTS_PROXY_URL: "x",
      NODE_AGENTS_NAMESPACE: "x",
      IMAGE_PULL_SECRET_NAME: "x",
    },
  },
  "dynamic storage in another namespace": { storageClass: { create: false, name: "efs" }, clusterScope: false },
  "every switch turned": {
    ...nodeLocal,
    perIngestionTables: true,
    perDatasetPvcs: true,
    perExperimentDbCreds: true,
    serviceDbAccounts: true,
    env: { HTTP_PROXY_HOST: "proxy.example.com", SERVICE_DB_ACCOUNTS: "x", SSL_CERT_FILE: "x", EGRESS_PROXY_URL: "x" },
    caBundle: { pem: "-----BEGIN CERTIFICATE-----" },
    namespace: { create: true },
    nodePrep: { filesystems: ["overlay", "erofs"] },
    gpu: { devicePlugin: { enabled: true, vendor: "amd" } },
    networkPolicy: { training: { allowExternalHttps: false } },
    egressProxy: { routeWorkloads: true },
    openshift: { scc: { enabled: true } },
    autoUpgrade: { enabled: true, repoUrl: "https://charts.example.com" },
    imageRefresh: { enabled: true },
    priorityClass: { create: true, name: "tracebloc" },
    dockerRegistry: { create: true, server: "https://mirror.example.com", username: "u", password: "p", email: "" },
  },
};

/** The values file of a platform, as it is. */
export const platform = async (name: string) =>
  parse(await readFile(join(chart, "ci", `${name}-values.yaml`), "utf8")) as Record<string, object>;

/** All of the above and every platform, to be looked up by what they are. */
export const switches: Record<string, () => Promise<object>> = {
  ...Object.fromEntries(Object.entries(matrix).map(([which, values]) => [which, async () => values])),
  ...Object.fromEntries(["bm", "aks", "eks", "oc"].map((name) => [`the values of ${name}`, () => platform(name)])),
};
