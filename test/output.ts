import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";

import { outputJsonSchema } from "../src/ui/output-schema.ts";

type Node = { [keyword: string]: unknown };

/**
 * What is wrong with lines of `--json`, by the schema that ships, and by what it leaves open to readers: fields that it
 * does not name. Empty where all is well.
 */
export function faultsOfOutput(lines: readonly unknown[]): string[] {
  return lines.flatMap((line, index) => {
    if (validate(line)) return [];
    // Of the branches of `oneOf` only that of the line's own type tells something.
    const type = (line as { type?: string } | null)?.type ?? "";
    const own = (validate.errors ?? []).filter(({ schemaPath }) => schemaPath.startsWith(`#/$defs/${type}/`));
    return (own.length > 0 ? own : (validate.errors ?? [])).map((error) => `line ${index + 1}: ${say(error)}`);
  });
}

function say({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath} ${message ?? ""} ${JSON.stringify(params)}`;
}

/** Nothing may be printed that is not described; only an action has fields by its kind. */
function closed(schema: Node, name = ""): Node {
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === "properties" || key === "$defs") {
        const entries = Object.entries(value as Record<string, Node>);
        return [key, Object.fromEntries(entries.map(([child, node]) => [child, closed(node, child)]))];
      }
      if (key === "items") return [key, closed(value as Node)];
      return [key, value];
    }),
  );
  return "properties" in schema && name !== "Action" ? { ...inner, additionalProperties: false } : inner;
}

const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(closed(outputJsonSchema() as Node));
