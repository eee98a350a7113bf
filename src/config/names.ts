import { k3dToolsImage, k3sImage } from "./pins.ts";
import { longestClusterName, longestReleaseName } from "./release-names.ts";
import type { RunOptions, Settings } from "./wishes.ts";

/**
 * How a value is read: what is trimmed, resolved or counted before the schema looks at it. `credential` keeps what it is
 * given but for what a terminal pasted around it.
 */
export type Kind = "name" | "choice" | "folder" | "file" | "url" | "image" | "number" | "credential";

/** One setting under all its names. The CLI builds flags, help and documents from this; nothing heavy is imported here. */
export type Setting = {
  kind: Kind;
  /** With what it takes, as help shows it: `--data-dir <folder>`. */
  flag?: string;
  /** Variables, the one to use first; the others are names that older installers or k3d gave it. */
  variables: readonly string[];
  /** Never in the file, never shown. */
  secret?: true;
  /** What it is, in one line. */
  about: string;
  /** What it may be: every message about a wrong value ends in this. */
  allowed: string;
  /** A value that would do, for the file that `config init` writes. */
  example: string | number;
  /** What holds without it, for a person. */
  otherwise: string;
  choices?: readonly string[];
  /** Other spellings of a choice. */
  aliases?: Readonly<Record<string, string>>;
};

const folderRule =
  "a folder that is not your home directory, the root or one of the system; ~ and relative paths are fine";

/** The one table of settings, in the order in which documents list them. */
export const settings: { readonly [Key in keyof Settings]: Setting } = {
  namespace: {
    kind: "name",
    flag: "--namespace <name>",
    variables: ["TB_NAMESPACE"],
    about: "namespace of the release, and its name",
    allowed: `1 to ${longestReleaseName} small letters, digits and inner hyphens, no name of Kubernetes' own`,
    example: "tracebloc",
    otherwise: "tracebloc",
  },
  cluster: {
    kind: "name",
    flag: "--cluster <name>",
    variables: ["CLUSTER_NAME"],
    about: "name of the k3d cluster",
    allowed: `1 to ${longestClusterName} small letters, digits and inner hyphens`,
    example: "tracebloc",
    otherwise: "tracebloc",
  },
  dataDir: {
    kind: "folder",
    flag: "--data-dir <folder>",
    variables: ["HOST_DATA_DIR"],
    about: "folder of this machine that holds the data of the release; a local disk",
    allowed: folderRule,
    example: "~/.tracebloc",
    otherwise: "~/.tracebloc",
  },
  datasetDir: {
    kind: "folder",
    flag: "--dataset-dir <folder>",
    variables: ["HOST_DATASET_DIR"],
    about: "folder for large datasets, if they are to lie elsewhere; may be a network share",
    allowed: folderRule,
    example: "/srv/datasets",
    otherwise: "datasets lie in the data directory",
  },
  storageMode: {
    kind: "choice",
    flag: "--storage-mode <mode>",
    variables: ["TB_STORAGE_MODE"],
    about: "where data lies: in folders of this machine (hostpath), or in the cluster and lost with it (node-local)",
    allowed: "hostpath or node-local",
    choices: ["hostpath", "node-local"],
    example: "hostpath",
    otherwise: "hostpath",
  },
  clientId: {
    kind: "credential",
    flag: "--client-id <id>",
    variables: ["TRACEBLOC_CLIENT_ID"],
    about: "the client's id, as the dashboard shows it",
    allowed: "the id as the dashboard shows it: no blanks, at most 200 characters",
    example: "00000000-0000-4000-8000-000000000000",
    otherwise: "asked for, if the release is new",
  },
  clientPassword: {
    kind: "credential",
    variables: ["TRACEBLOC_CLIENT_PASSWORD"],
    secret: true,
    about: "the client's password",
    allowed: "the password alone: no quotes around it, no line break in it, at most 1000 characters",
    example: "",
    otherwise: "asked for, if the release is new",
  },
  clientEnv: {
    kind: "choice",
    variables: ["CLIENT_ENV"],
    about: "which tracebloc the client belongs to",
    allowed: "prod, stg or dev",
    choices: ["prod", "stg", "dev"],
    aliases: { production: "prod", staging: "stg", development: "dev" },
    example: "prod",
    otherwise: "prod",
  },
  backendUrl: {
    kind: "url",
    variables: ["TRACEBLOC_BACKEND_URL"],
    about: "address of the backend, in place of the one that clientEnv names",
    allowed: "an https:// address without user name and query; http:// only for this machine",
    example: "https://api.tracebloc.io",
    otherwise: "as clientEnv says",
  },
  chart: {
    kind: "file",
    flag: "--chart <path>",
    variables: ["TRACEBLOC_CHART_PATH"],
    about: "chart folder or archive, in place of the one that ships with this version",
    allowed: "a folder with a Chart.yaml, or a .tgz archive, of this machine",
    example: "./charts/client",
    otherwise: "the chart of this version",
  },
  values: {
    kind: "file",
    flag: "--values <file>",
    variables: ["TRACEBLOC_VALUES_FILE"],
    about: "values laid over those that are generated",
    allowed: "a YAML file of this machine",
    example: "./values.yaml",
    otherwise: "only what is generated",
  },
  k3sImage: {
    kind: "image",
    variables: ["TRACEBLOC_K3S_IMAGE"],
    about: "image of the node",
    allowed: "an image with a tag other than latest, or a digest",
    example: k3sImage,
    otherwise: k3sImage,
  },
  k3dToolsImage: {
    kind: "image",
    variables: ["TRACEBLOC_K3D_TOOLS_IMAGE", "K3D_IMAGE_TOOLS"],
    about: "image of the helper that k3d starts",
    allowed: "an image with a tag other than latest, or a digest",
    example: k3dToolsImage,
    otherwise: k3dToolsImage,
  },
  downloadBase: {
    kind: "url",
    variables: ["TRACEBLOC_DOWNLOAD_BASE"],
    about: "mirror from which k3d and helm are fetched; the pinned digests hold for it as well",
    allowed: "an http:// or https:// address without user name and query",
    example: "https://mirror.example.com/tools",
    otherwise: "the projects' own servers",
  },
  imagePullPolicy: {
    kind: "choice",
    variables: ["TRACEBLOC_IMAGE_PULL_POLICY"],
    about: "when the cluster pulls the images of the release",
    allowed: "Always, IfNotPresent or Never",
    choices: ["Always", "IfNotPresent", "Never"],
    example: "IfNotPresent",
    otherwise: "as the chart says",
  },
  imageRegistry: {
    kind: "image",
    flag: "--image-registry <host>",
    variables: ["TRACEBLOC_IMAGE_REGISTRY"],
    about: "mirror that all images come from, those of the node included",
    allowed: "host, port and path, as in mirror.example.com:5000/team; http:// before it for one without TLS",
    example: "mirror.example.com",
    otherwise: "each image's own registry",
  },
  registryUsername: {
    kind: "credential",
    variables: ["TRACEBLOC_REGISTRY_USERNAME"],
    about: "user name at the mirror, or at Docker Hub where there is none",
    allowed: "a name without colons, with TRACEBLOC_REGISTRY_PASSWORD",
    example: "puller",
    otherwise: "images are pulled without a user",
  },
  registryPassword: {
    kind: "credential",
    variables: ["TRACEBLOC_REGISTRY_PASSWORD"],
    secret: true,
    about: "password or token of that user",
    allowed: "the password alone: no quotes around it, no line break in it, at most 1000 characters",
    example: "",
    otherwise: "images are pulled without a user",
  },
  pullSecret: {
    kind: "name",
    variables: ["TRACEBLOC_PULL_SECRET"],
    about: "pull secret that is in the namespace already",
    allowed: "the name of a Secret: small letters, digits, dots and inner hyphens",
    example: "mirror-login",
    otherwise: "one is made from user name and password, where those are given",
  },
  caBundle: {
    kind: "file",
    variables: ["TRACEBLOC_CA_BUNDLE"],
    about: "certificates that node and workloads trust besides public ones",
    allowed: "a PEM file of this machine with certificates and no key",
    example: "./company-ca.pem",
    otherwise: "only public ones",
  },
  apiPort: {
    kind: "number",
    variables: ["TRACEBLOC_API_PORT"],
    about: "first port tried for the Kubernetes API on 127.0.0.1",
    allowed: "a whole number from 1024 to 65535",
    example: 6550,
    otherwise: "6550",
  },
};

/** Settings by name, in the order of the table. */
export const settingKeys = Object.keys(settings) as readonly (keyof Settings)[];

/** How a run goes about it: flags, and a variable where one makes sense. Never in the file. */
export type OptionName = { flag?: string; variables: readonly string[]; about: string; allowed: string };

/** The one table of options. `color` and `strict` follow customs of their own; see `options.ts`. */
export const optionNames: { readonly [Key in keyof RunOptions]: OptionName } = {
  config: {
    flag: "--config <file>",
    variables: ["TRACEBLOC_CONFIG"],
    about: "settings file; else tracebloc.yaml here, then the one in the state directory",
    allowed: "a YAML file of this machine",
  },
  json: { flag: "--json", variables: [], about: "results as JSON lines on standard output", allowed: "on or off" },
  quiet: { flag: "--quiet", variables: [], about: "only what needs attention", allowed: "on or off" },
  verbose: { flag: "--verbose", variables: [], about: "every call and what it answered", allowed: "on or off" },
  yes: { flag: "--yes", variables: [], about: "answer yes to every question", allowed: "on or off" },
  color: { flag: "--no-color", variables: ["NO_COLOR"], about: "no colour", allowed: "on or off" },
  timeoutMs: {
    flag: "--timeout <duration>",
    variables: ["TRACEBLOC_TIMEOUT"],
    about: "how long the whole run may take (10m, 600s)",
    allowed: "10s to 24h, as in 600, 600s, 10m or 1h30m",
  },
  force: { flag: "--force", variables: [], about: "run Helm even where nothing changed", allowed: "on or off" },
  strict: {
    flag: "--strict",
    variables: ["CI"],
    about: "what could not be proven counts as failed; implied by CI",
    allowed: "on or off",
  },
  dryRun: { flag: "--dry-run", variables: [], about: "say what would be done, change nothing", allowed: "on or off" },
  stateDir: {
    variables: ["TRACEBLOC_STATE_DIR"],
    about: "where this program keeps its own state; private, never mounted",
    allowed: "a folder of this machine that neither holds the data nor lies in it",
  },
};

/** A flag as it is typed: `--data-dir <folder>` gives `--data-dir`. */
export function flagOf(name: { flag?: string }): string | undefined {
  return name.flag?.split(" ")[0];
}

/** The property under which commander hands a flag over: `--data-dir` gives dataDir, `--no-color` gives color. */
export function propertyOf(flag: string): string {
  return flag.replace(/^--(?:no-)?/, "").replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
