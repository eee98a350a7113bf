import type { Environment } from "../platform/environment.ts";
import { defaultDataDirectory } from "../platform/places.ts";
import type { Platform } from "../platform/platform.ts";
import { k3dToolsImage, k3sImage } from "./pins.ts";
import type { ClientEnv, Settings } from "./wishes.ts";

/** The backend of each tracebloc. */
export const backends: Readonly<Record<ClientEnv, string>> = {
  prod: "https://api.tracebloc.io",
  stg: "https://stg-api.tracebloc.io",
  dev: "https://dev-api.tracebloc.io",
};

/** What holds where nothing was asked. Without a home directory there is no data directory to fall back on. */
export function defaultSettings(
  platform: Platform,
  environment: Environment,
): Omit<Settings, "dataDir" | "backendUrl"> & { dataDir: string | undefined } {
  return {
    cluster: "tracebloc",
    namespace: "tracebloc",
    dataDir: defaultDataDirectory(platform, environment),
    datasetDir: undefined,
    storageMode: "hostpath",
    clientId: undefined,
    clientPassword: undefined,
    clientEnv: "prod",
    chart: undefined,
    values: undefined,
    k3sImage,
    k3dToolsImage,
    downloadBase: undefined,
    imagePullPolicy: undefined,
    imageRegistry: undefined,
    registryUsername: undefined,
    registryPassword: undefined,
    pullSecret: undefined,
    caBundle: undefined,
    apiPort: 6550,
  };
}
