/** The name of an image, taken apart: `registry/repository` and what pins it, `:tag`, `@digest` or both. */
export type Reference = { registry: string; repository: string; pin: string };

/**
 * Takes a reference apart as container engines do: what stands before the first slash is a registry where it has a dot
 * or a port, or is localhost; all else is Docker Hub's. Undefined for a text that names no image.
 */
export function parseReference(text: string): Reference | undefined {
  const found = /^([\w.[\]:/-]*?)(:\w[\w.-]*)?(@[a-z0-9]+:[0-9a-f]{32,})?$/i.exec(text);
  const [, name = "", tag = "", digest = ""] = found ?? [];
  if (found === null || !/^[^/]+(?:\/[^/]+)*$/.test(name)) return undefined;
  const slash = name.indexOf("/");
  const first = name.slice(0, Math.max(slash, 0));
  const isRegistry = /[.:]/.test(first) || first === "localhost";
  const registry = isRegistry ? first : "docker.io";
  const path = isRegistry ? name.slice(slash + 1) : name;
  const repository = registry === "docker.io" && !path.includes("/") ? `library/${path}` : path;
  if (!/^[a-z0-9._-]+(?:\/[a-z0-9._-]+)*$/.test(repository)) return undefined;
  return { registry, repository, pin: `${tag}${digest}` || ":latest" };
}

/**
 * A mirror as the charts write it (`client.registry`): people paste it with a scheme and a slash. Undefined where that
 * leaves nothing an image could come from.
 */
export function mirrorOf(text: string): string | undefined {
  const mirror = text.trim().replaceAll(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/|\/+$/g, "");
  return /^[\w.[\]-]+(?::\d+)?(?:\/[\w.-]+)*$/.test(mirror) ? mirror : undefined;
}

/**
 * Where a mirror has an image: registry replaced; path, tag and digest kept, as the charts do with `global.imageRegistry`.
 * What is the mirror's already stays. A registry that has a path of its own in the values keeps that path here.
 */
export function rehome(image: string, mirror: string): string {
  if (image.startsWith(`${mirror}/`)) return image;
  const reference = parseReference(image);
  return reference === undefined ? image : `${mirror}/${reference.repository}${reference.pin}`;
}
