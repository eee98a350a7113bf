import { createHash } from "node:crypto";
import { mirrorOf } from "../config/image-reference.ts";
import { wasAsked, type Wish, type Wishes } from "../config/wishes.ts";

export type Values = { readonly [key: string]: unknown };

/** What the cluster itself decides about the values: where the node's data lies, and how its storage works. */
export type ClusterShape = {
  storageMode: "hostpath" | "node-local";
  /** In the node: `/tracebloc-data` where datasets have a mount of their own, else undefined. */
  datasetPath: string | undefined;
};

/**
 * The values that this program sets. For a new release all of them; for one that exists only what was asked for now,
 * so that a run without yesterday's variables does not undo them. Keys and names are the chart's contract.
 */
export function generateValues(wishes: Wishes, cluster: ClusterShape, isNew: boolean): Values {
  const asked = <T>(wish: Wish<T>) => (isNew || wasAsked(wish) ? wish.value : undefined);
  return withoutUndefined({
    clientId: wishes.clientId.value,
    clientPassword: wishes.clientPassword.value,
    env: { CLIENT_ENV: asked(wishes.clientEnv), SINGLE_NODE: isNew ? "true" : undefined },
    imagePullPolicy: asked(wishes.imagePullPolicy),
    ...registryValues(wishes),
    ...(isNew ? storageValues(cluster) : {}),
  });
}

/** Only what was asked for: what a release has of a mirror or a login stays without it. */
function registryValues({ imageRegistry, registryUsername, registryPassword, pullSecret }: Wishes): Values {
  const mirror = mirrorOf(imageRegistry.value ?? "");
  const [host] = mirror?.split("/") ?? [];
  const [username, password] = [registryUsername.value, registryPassword.value];
  const existingSecret = pullSecret.value;
  // The chart's schema wants the server as a URL, and all four keys.
  const server = host === undefined ? "https://index.docker.io/v1/" : `https://${host}`;
  const login = { create: true, server, username, password, email: "", existingSecret: "" };
  return {
    ...(mirror !== undefined && { global: { imageRegistry: mirror } }),
    ...(username !== undefined && password !== undefined && { dockerRegistry: login }),
    ...(existingSecret !== undefined && { dockerRegistry: { create: false, existingSecret } }),
  };
}

/** Fixed for the life of a release: storage classes, claims and volumes refuse to change. */
function storageValues({ storageMode, datasetPath }: ClusterShape): Values {
  if (storageMode === "node-local") {
    return {
      storageClass: { create: false, name: "local-path" },
      hostPath: { enabled: false },
      singleNode: true,
      pvcAccessMode: "ReadWriteOnce",
    };
  }
  return {
    storageClass: {
      create: true,
      name: "client-storage-class",
      provisioner: "manual",
      allowVolumeExpansion: true,
      parameters: {},
    },
    hostPath: { enabled: true, datasetPath },
    pvcAccessMode: "ReadWriteOnce",
  };
}

/**
 * Layers laid over one another, later ones winning key by key, as Helm merges values files: objects are merged,
 * everything else is replaced, and null removes a default.
 */
export function layerValues(...layers: readonly Values[]): Values {
  return layers.reduce<Values>((under, over) => merge(under, over), {});
}

function merge(under: Values, over: Values): Values {
  const merged: Record<string, unknown> = Object.assign(Object.create(null) as Record<string, unknown>, under);
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    merged[key] = isObject(before) && isObject(value) ? merge(before, value) : value;
  }
  return { ...merged };
}

/** True where the values keep the release's volumes in directories of the node: the only ones that are made with it. */
export function keepsInNode(values: Values): boolean {
  const hostPath = values["hostPath"];
  return isObject(hostPath) && hostPath["enabled"] === true;
}

/** The label under which a release carries the hash of the wishes it was made from. */
export const wishesLabel = "tracebloc.io/wishes";

const secretKey = /password|secret|token|credential|^clientId$/i;

/** Texts of the values that stand under the name of a secret itself, at any depth; `secretName` and the like only point to one. */
export function secretsIn(values: Values): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (isObject(value)) return secretsIn(value);
    return typeof value === "string" && /(?:password|passwd|token)$/i.test(key) ? [value] : [];
  });
}

/**
 * A short hash of a release's values, without the client's identity and any secret: those could be guessed from it,
 * and it lies open as a label. Key order does not matter. 32 characters, as a label's 63 allow.
 */
export function hashWishes(values: Values): string {
  return createHash("sha256").update(canonical(values)).digest("hex").slice(0, 32);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([key, inner]) => inner !== undefined && (!secretKey.test(key) || key === "existingSecret"))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(",")}}`;
}

/** An object of which nothing is left goes as well: an `env` without a key in it is nothing that was asked for. */
function withoutUndefined(values: Values): Values {
  const entries = Object.entries(values)
    .map(([key, value]) => [key, isObject(value) && !isEmpty(value) ? withoutUndefined(value) : value] as const)
    .filter(([key, value]) => value !== undefined && !(isObject(value) && isEmpty(value) && !isEmpty(values[key])));
  return Object.fromEntries(entries);
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
