import * as z from "zod/mini";

import { settings, settingKeys } from "./names.ts";
import {
  longestClusterName,
  longestReleaseName,
  objectionToCluster,
  objectionToRelease,
  type Objection,
} from "./release-names.ts";
import {
  objectionToBackend,
  objectionToClientId,
  objectionToImage,
  objectionToMirror,
  objectionToPassword,
  objectionToRegistry,
  objectionToUser,
} from "./rules.ts";
import type { Settings } from "./wishes.ts";

/** A text that a rule of ours looks at. `published` says the same, as far as it goes, in the JSON Schema. */
function text(
  objection: (value: string) => Objection | undefined = () => undefined,
  ...published: z.core.$ZodCheck<string>[]
) {
  const ours = z.check<string>((checked) => {
    const found = objection(checked.value);
    if (found === undefined) return;
    checked.issues.push({
      code: "custom",
      input: checked.value,
      message: found.why,
      params: { instead: found.instead },
    });
  });
  return z.string().check(ours, z.minLength(1), ...published);
}

const labels = z.regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/);
const webAddress = z.regex(/^https?:\/\/[^\s@?#]+$/);

function oneOf(key: "storageMode" | "clientEnv" | "imagePullPolicy") {
  const { choices = [], aliases = {} } = settings[key];
  return z.enum([...choices, ...Object.keys(aliases)]);
}

/** What each setting may be, by itself. How settings go together is said in `conflicts.ts`. */
const each = {
  namespace: text(objectionToRelease, z.maxLength(longestReleaseName), z.regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)),
  cluster: text(objectionToCluster, z.maxLength(longestClusterName), labels),
  dataDir: text(),
  datasetDir: text(),
  storageMode: oneOf("storageMode"),
  clientId: text(objectionToClientId),
  clientPassword: text(objectionToPassword),
  clientEnv: oneOf("clientEnv"),
  backendUrl: text(objectionToBackend, webAddress),
  chart: text(),
  values: text(),
  k3sImage: text(objectionToImage),
  k3dToolsImage: text(objectionToImage),
  downloadBase: text(objectionToMirror, webAddress),
  imagePullPolicy: oneOf("imagePullPolicy"),
  imageRegistry: text(objectionToRegistry),
  registryUsername: text(objectionToUser),
  registryPassword: text(objectionToPassword),
  pullSecret: text(undefined, z.maxLength(253), labels),
  caBundle: text(),
  apiPort: z.int().check(z.minimum(1024), z.maximum(65535)),
} as const satisfies { [Key in keyof Settings]: z.ZodMiniType };

/** What is wrong with one value. `instead` is one that would do. */
export type Wrong = { key: keyof Settings; why: string; instead?: string };

/** Holds values against the schema, all of them. The keys are settings; a value may be anything. */
export function checkValues(values: Readonly<Partial<Record<keyof Settings, unknown>>>): readonly Wrong[] {
  return settingKeys.flatMap((key) => {
    if (!(key in values)) return [];
    const result = each[key].safeParse(values[key]);
    const issue = result.error?.issues[0];
    return issue === undefined ? [] : [{ key, ...explain(key, values[key], issue) }];
  });
}

function explain(key: keyof Settings, value: unknown, issue: z.core.$ZodIssue): Objection {
  if (issue.code === "custom") {
    const instead = issue.params?.["instead"] as string | undefined;
    return { why: issue.message, ...(instead !== undefined && { instead }) };
  }
  if (value === null) return { why: "has no value" };
  if (issue.code === "invalid_type") {
    const plain =
      typeof value === "number" || typeof value === "boolean" ? { instead: JSON.stringify(String(value)) } : {};
    return settings[key].kind === "number"
      ? { why: "is not a whole number" }
      : { why: `is ${nameOf(value)}, not a text`, ...plain };
  }
  return {
    why: issue.code === "too_small" || issue.code === "too_big" ? "is out of range" : "is not one of the choices",
  };
}

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a group of keys" : `a ${typeof value}`;
}

/** The JSON Schema of tracebloc.yaml, as plain data. Editors complete and check by it; it ships with the package. */
export function configJsonSchema(): object {
  const inFile = settingKeys.filter((key) => settings[key].secret !== true);
  const properties = inFile.map((key) => {
    const { about, allowed, example } = settings[key];
    const described = z.toJSONSchema(each[key]) as Record<string, unknown>;
    delete described["$schema"];
    return [key, { ...described, description: `${about}; ${allowed}`, examples: [example] }] as const;
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "tracebloc.yaml",
    description: "What the tracebloc CLI is asked for. Flags and variables go before this file.",
    type: "object",
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}
