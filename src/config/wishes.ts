/** Where a value comes from, by the name a person would look for: `--data-dir`, `HOST_DATA_DIR`, `tracebloc.yaml: dataDir`. */
export type Origin = { from: "flag" | "environment" | "file" | "prompt" | "default"; name: string };

/** A configured value with its origin. */
export type Wish<T> = { value: T; origin: Origin };

export type StorageMode = "hostpath" | "node-local";
export type ClientEnv = "dev" | "stg" | "prod";
export type ImagePullPolicy = "Always" | "IfNotPresent" | "Never";

/** Every setting that the product has. The schema in `schema.ts` says what each may be. */
export type Settings = {
  cluster: string;
  /** Namespace of the release; a release that we create has the same name. */
  namespace: string;
  /** Absolute. Bind-mounted into the node at /tracebloc. */
  dataDir: string;
  /** Absolute. Bind-mounted into the node at /tracebloc-data; datasets then lie there. */
  datasetDir: string | undefined;
  storageMode: StorageMode;
  clientId: string | undefined;
  clientPassword: string | undefined;
  clientEnv: ClientEnv;
  /** Overrides the backend that clientEnv names. */
  backendUrl: string;
  /** A chart folder or archive in place of the one that ships with this version. */
  chart: string | undefined;
  /** A values file laid over what is generated, below flags. */
  values: string | undefined;
  k3sImage: string;
  k3dToolsImage: string;
  downloadBase: string | undefined;
  imagePullPolicy: ImagePullPolicy | undefined;
  /** First port tried for the Kubernetes API on 127.0.0.1. */
  apiPort: number;
};

export type Wishes = { readonly [Key in keyof Settings]: Wish<Settings[Key]> };

/** True where a person asked for this value: then a difference is named, and never decided for them. */
export function wasAsked(wish: Wish<unknown>): boolean {
  return wish.origin.from !== "default";
}
