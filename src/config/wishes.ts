/** Where a value comes from, by the name a person would look for: `--data-dir`, `HOST_DATA_DIR`, `tracebloc.yaml:3`. */
export type Origin = { from: "flag" | "environment" | "file" | "prompt" | "default"; name: string };

/** A configured value with its origin. */
export type Wish<T> = { value: T; origin: Origin };

export type StorageMode = "hostpath" | "node-local";
export type ClientEnv = "dev" | "stg" | "prod";
export type ImagePullPolicy = "Always" | "IfNotPresent" | "Never";

/** Every setting that the product has. `settings.ts` names them, the schema in `schema.ts` says what each may be. */
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
  /** Overrides the backend that clientEnv names. Without a slash at its end. */
  backendUrl: string;
  /** Absolute. A chart folder or archive in place of the one that ships with this version. */
  chart: string | undefined;
  /** Absolute. A values file laid over what is generated, below flags. */
  values: string | undefined;
  k3sImage: string;
  k3dToolsImage: string;
  /** Without a slash at its end. */
  downloadBase: string | undefined;
  imagePullPolicy: ImagePullPolicy | undefined;
  /** Where all images come from: host, port, path; `http://` before it for one without TLS. */
  imageRegistry: string | undefined;
  /** Of the mirror, or of Docker Hub where there is none. Both or neither. */
  registryUsername: string | undefined;
  registryPassword: string | undefined;
  /** A pull secret that is in the namespace already, in place of one made from user name and password. */
  pullSecret: string | undefined;
  /** Absolute. PEM certificates that the node and the workloads are to trust. */
  caBundle: string | undefined;
  /** First port tried for the Kubernetes API on 127.0.0.1. */
  apiPort: number;
};

export type Wishes = { readonly [Key in keyof Settings]: Wish<Settings[Key]> };

/** How this run goes about it. Not part of what is wished for: never in the file, and nothing of it is kept. */
export type RunOptions = {
  json: boolean;
  quiet: boolean;
  verbose: boolean;
  /** Answers yes to every confirmation. */
  yes: boolean;
  /** False forbids colour; true leaves it to the terminal. */
  color: boolean;
  /** Milliseconds that the whole run may take. */
  timeoutMs: number;
  force: boolean;
  /** What is not proven counts as failed. Implied by CI. */
  strict: boolean;
  dryRun: boolean;
  /** Absolute. The file that was asked for; without it the usual places are searched. */
  config: string | undefined;
  /** Absolute. Where our own state lies. */
  stateDir: string;
};

export type Options = { readonly [Key in keyof RunOptions]: Wish<RunOptions[Key]> };

/** True where a person asked for this value: then a difference is named, and never decided for them. */
export function wasAsked(wish: Wish<unknown>): boolean {
  return wish.origin.from !== "default";
}
