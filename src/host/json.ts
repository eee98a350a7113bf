/** An object of a JSON document whose shape is another program's business. */
export type Json = { readonly [key: string]: unknown };

/** The object that a text holds. Undefined where it holds none: no text, no JSON, another kind of value. */
export function parseObject(text: string): Json | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The non-empty text at `key`. */
export function textIn(value: unknown, key: string): string | undefined {
  const found = asObject(value)?.[key];
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** The finite number at `key`. */
export function numberIn(value: unknown, key: string): number | undefined {
  const found = asObject(value)?.[key];
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** The object at `key`; a list is none. */
export function recordIn(value: unknown, key: string): Json | undefined {
  return asObject(asObject(value)?.[key]);
}

/** The list at `key`, empty where there is none. */
export function listIn(value: unknown, key: string): readonly unknown[] {
  const found: unknown = asObject(value)?.[key];
  return Array.isArray(found) ? found : [];
}

function asObject(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}
