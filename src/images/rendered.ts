/** An image and what names it: `Deployment mysql-client`. */
export type Found = { image: string; by: string };

/** What the jobs manager is told about images that it starts later, and that stand in no manifest. */
export type StartedLater = {
  /** Registry of the training images, with a slash at its end. */
  host: string;
  /** Tag of the training images. */
  clientEnv: string;
  /** Repository of the ingestor, and its image. */
  ingestor: { repository: string; image: string };
};

/** Their contents are text of others: a key `image` there names no image that a node pulls. */
const withoutPods: ReadonlySet<unknown> = new Set(["ConfigMap", "Secret", "CustomResourceDefinition"]);

/**
 * Every image that rendered objects name, in their order: of all containers of a pod, wherever the pod stands in an
 * object; of image volumes; and in variables that end in `_IMAGE`. Pure.
 */
export function imagesOf(objects: readonly unknown[]): Found[] {
  return objects.flatMap((object) => {
    const found: Found[] = [];
    walk(object, titleOf(object), (part, by) => {
      const image = isObject(part["image"]) ? part["image"]["reference"] : part["image"];
      if (typeof image === "string" && image !== "") found.push({ image, by });
      for (const [name, value] of environmentOf(part)) {
        if (name.endsWith("_IMAGE") && value !== "") found.push({ image: value, by });
      }
    });
    return found;
  });
}

/**
 * What the jobs manager will start, read from its container's environment. Where no container knows all of it, or two
 * differ, `why` says so: then no list would be whole. Pure.
 */
export function startedLater(objects: readonly unknown[]): StartedLater | { why: string } {
  const told = new Map<string, Set<string>>(startedBy.map((name) => [name, new Set()]));
  for (const object of objects) {
    walk(object, "", (part) => {
      const environment = environmentOf(part);
      if (!environment.has("JOB_IMAGE_HOST")) return;
      for (const name of startedBy) {
        const value = environment.get(name);
        if (value !== undefined) told.get(name)?.add(value);
      }
    });
  }
  const odd = startedBy.find((name) => told.get(name)?.size !== 1);
  if (odd !== undefined) {
    const isMissing = told.get(odd)?.size === 0;
    return { why: isMissing ? `no container of the chart has ${odd}` : `containers of the chart differ in ${odd}` };
  }
  const [host = "", clientEnv = "", repository = "", tag = "", digest = ""] = startedBy.map(
    (name) => [...(told.get(name) ?? [])][0],
  );
  if (clientEnv === "" || repository === "") return { why: "CLIENT_ENV or the ingestor's repository is empty" };
  const image = digest === "" ? `${repository}:${tag}` : `${repository}@${digest}`;
  return { host, clientEnv, ingestor: { repository, image } };
}

const startedBy = [
  "JOB_IMAGE_HOST",
  "CLIENT_ENV",
  "INGESTOR_IMAGE_REPOSITORY",
  "INGESTOR_IMAGE_TAG",
  "INGESTOR_IMAGE_DIGEST",
] as const;

type Part = { readonly [key: string]: unknown };

function walk(value: unknown, by: string, visit: (part: Part, by: string) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, by, visit);
    return;
  }
  if (!isObject(value) || withoutPods.has(value["kind"])) return;
  // An object in a list of objects stands for itself.
  const named = typeof value["kind"] === "string" && isObject(value["metadata"]) ? titleOf(value) : by;
  visit(value, named);
  for (const [key, inner] of Object.entries(value)) if (key !== "metadata") walk(inner, named, visit);
}

/** The literal variables of a container; of one that is written twice the last counts. */
function environmentOf({ env }: Part): Map<string, string> {
  const variables = Array.isArray(env) ? env.filter(isObject) : [];
  return new Map(
    variables.flatMap(({ name, value }) => {
      return typeof name === "string" && (typeof value === "string" || value === null) ? [[name, value ?? ""]] : [];
    }),
  );
}

function titleOf(object: unknown): string {
  if (!isObject(object)) return "";
  const { kind, metadata } = object;
  const name = isObject(metadata) ? metadata["name"] : undefined;
  return [kind, name].filter((text) => typeof text === "string").join(" ");
}

function isObject(value: unknown): value is Part {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
