import type { Event } from "../engine/events.ts";
import { rooms, type Finding } from "../engine/finding.ts";
import { exitCodes, reasons } from "../engine/reasons.ts";
import { groups, type ImageList, type Listed } from "../images/list.ts";
import type { DirectoryResult } from "../storage/result.ts";
import { outputVersion } from "./json.ts";
import type { Result } from "./result.ts";

/** A schema of one value, as JSON Schema writes it. */
type Schema = { readonly [keyword: string]: unknown };

/** Every field of a line: a field that is added to the code and not described here does not compile. */
type Fields<T> = { readonly [Key in keyof Required<T>]: Schema };

type Line = Event | Result;
type Lines = { readonly [Type in Line["type"]]: Schema };

const text = { type: "string" };
const flag = { type: "boolean" };
const count = { type: "integer", minimum: 0 };
const milliseconds = { type: "number", minimum: 0, description: "milliseconds" };
const room = { enum: [...rooms], description: "the part of the product that it is about" };

/**
 * The JSON Schema of one line of `--json`, as plain data; it ships with the package. Within one version fields may be
 * added, so readers pass over what they do not know.
 */
export function outputJsonSchema(): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A line of `tracebloc … --json`",
    description: "Standard output holds one such object a line and nothing else. The last line is the result.",
    oneOf: Object.keys(lines).map((type) => ({ $ref: `#/$defs/${type}` })),
    $defs: { ...lines, Action: action, Finding: finding, Directory: directory },
  };
}

const finding = object<Finding>(
  {
    reason: { enum: Object.keys(reasons), description: "a stable name; INSTALL.md lists them" },
    room,
    says: text,
    remedies: list({ type: "object", required: ["says"], properties: { says: text, command: text } }),
    details: { ...list(text), description: "what a tool or a log said" },
  },
  ["details"],
);

const action = {
  type: "object",
  required: ["do", "because"],
  properties: { do: text, because: { ...text, description: "what was seen, as the reason" } },
  description: "one change; it carries further fields, by its kind",
};

const directory = object<DirectoryResult>(
  {
    volume: { enum: ["data", "logs"] },
    path: { ...text, description: "in the node" },
    result: { enum: ["ready", "writable by proof", "blocked", "unknown"] },
    mode: { type: "string", pattern: "^[0-7]{4}$", description: "as seen" },
    owner: { type: "string", pattern: "^\\d+:\\d+$", description: "uid and gid, as seen" },
    fileSystem: text,
    note: text,
    cause: text,
    obstacle: text,
    said: text,
  },
  ["mode", "owner", "fileSystem", "note", "cause", "obstacle"],
);

const findings = list(ref("Finding"));

const lines: Lines = {
  fact: line<"fact">({
    type: { const: "fact" },
    room,
    about: text,
    state: { enum: ["known", "unknown"] },
    says: text,
    ms: milliseconds,
  }),
  plan: line<"plan">({
    type: { const: "plan" },
    stage: count,
    actions: list(ref("Action")),
    then: { ...list(text), description: "what is decided later" },
  }),
  action: line<"action">(
    {
      type: { const: "action" },
      phase: { enum: ["begin", "end", "failed"] },
      room,
      action: ref("Action"),
      says: { ...text, description: "what is being done; at the end, what was then seen" },
      holds: { ...flag, description: "whether it is now as it should be; missing where that could not be told" },
      ms: milliseconds,
    },
    ["holds"],
  ),
  wait: line<"wait">({
    type: { const: "wait" },
    room,
    waitingFor: text,
    sinceMs: milliseconds,
    limitMs: milliseconds,
  }),
  warning: line<"warning">({ type: { const: "warning" }, finding: ref("Finding") }),
  note: line<"note">({ type: { const: "note" }, room, says: text }),
  result: line<"result">(
    {
      type: { const: "result" },
      command: text,
      ok: { ...flag, description: "the exit code is 0" },
      exit: { enum: Object.values(exitCodes) },
      state: {
        enum: [
          "healthy",
          "unproven",
          "degraded",
          "planned",
          "refused",
          "failed",
          "interrupted",
          "removed",
          "not installed",
          "unknown",
          "done",
        ],
      },
      failures: { ...findings, description: "what ended the run, or is in its way" },
      warnings: findings,
      actions: { ...list(ref("Action")), description: "what was done; with plan, what would be" },
      then: { ...list(text), description: "with plan: what is decided later" },
      cluster: object<NonNullable<Result["cluster"]>>({ name: text, node: text, state: text }),
      release: object<NonNullable<Result["release"]>>({
        name: text,
        namespace: text,
        revision: count,
        status: text,
        chart: text,
      }),
      workloads: list(
        object<NonNullable<Result["workloads"]>[number]>({
          name: text,
          state: { enum: ["ready", "waiting", "stopped", "missing"] },
          says: text,
        }),
      ),
      storage: list(ref("Directory")),
      log: { ...text, description: "path of this run's log" },
      path: { ...text, description: "kubeconfig, config init: the file" },
      settings: list({
        type: "object",
        required: ["key", "value", "secret", "origin"],
        properties: {
          key: text,
          value: { type: ["string", "number", "null"] },
          secret: flag,
          origin: {
            type: "object",
            required: ["from", "name"],
            properties: { from: { enum: ["flag", "environment", "file", "prompt", "default"] }, name: text },
          },
        },
      }),
      schema: { type: "object", description: "config schema" },
      images: object<ImageList>(
        {
          clientEnv: { ...text, description: "tag of the training images" },
          mirror: text,
          counts: { type: "object", additionalProperties: count },
          list: list(
            object<Listed>(
              {
                group: { enum: [...groups] },
                image: { ...text, description: "with a mirror: what is copied" },
                target: { ...text, description: "to where" },
                by: { ...list(text), description: "what needs it" },
              },
              ["target"],
            ),
          ),
        },
        ["mirror"],
      ),
      seconds: { type: "number", minimum: 0 },
    },
    ["cluster", "release", "workloads", "storage", "log", "path", "settings", "schema", "images"],
  ),
};

/** The schema of the lines of one type: all carry the version of the output. */
function line<Type extends Line["type"]>(
  fields: Fields<Extract<Line, { type: Type }>>,
  optional: readonly string[] = [],
): Schema {
  return object<{ v: number }>({ v: { const: outputVersion }, ...fields }, optional);
}

function object<T>(fields: Fields<T>, optional: readonly (keyof T | string)[] = []): Schema {
  return {
    type: "object",
    required: Object.keys(fields).filter((field) => !optional.includes(field)),
    properties: fields,
  };
}

function list(items: Schema): Schema {
  return { type: "array", items };
}

function ref(name: string): Schema {
  return { $ref: `#/$defs/${name}` };
}
