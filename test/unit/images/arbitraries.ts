import fc from "fast-check";

export const digest = `sha256:${"ab".repeat(32)}`;

const part = fc.stringMatching(/^[a-z][a-z0-9]{0,6}([._-][a-z0-9]{1,4})?$/);
const host = fc.constantFrom("docker.io", "ghcr.io", "registry.example.com", "localhost", "192.0.2.7");
const registry = fc
  .tuple(host, fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined }))
  .map(([name, port]) => (port === undefined ? name : `${name}:${port}`));
const pin = fc.constantFrom(":1.35", ":v1.0_x-2", `@${digest}`, `:8.4@${digest}`);

/** Images with all their parts, as charts write them. */
export const images = fc
  .tuple(registry, fc.array(part, { minLength: 2, maxLength: 4 }), pin)
  .map(([at, path, pinned]) => `${at}/${path.join("/")}${pinned}`);

/** Registries that mirror others, with and without a port and a path. */
export const mirrors = fc
  .tuple(
    fc.constantFrom("mirror.example.com", "mirror.example.com:5000", "198.51.100.3:80"),
    fc.array(part, { maxLength: 2 }),
  )
  .map((parts) => parts.flat().join("/"));
