import { describe, expect, test } from "vitest";

import { reasons } from "../../../src/engine/reasons.ts";
import { toLine } from "../../../src/ui/json.ts";
import { outputJsonSchema } from "../../../src/ui/output-schema.ts";
import { bareResult } from "../../../src/ui/result.ts";
import { faultsOfOutput } from "../../output.ts";

const action = { do: "cluster.start", because: "cluster lab is stopped", cluster: "lab" };
const finding = {
  reason: "DISK_LOW",
  room: "host",
  says: "/srv has 3.0 GB free",
  remedies: [{ says: "free some" }],
} as const;

const lines = [
  { v: 1, type: "fact", room: "cluster", about: "node", state: "known", says: "running", ms: 14.2 },
  { v: 1, type: "plan", stage: 1, actions: [action], then: ["look at the client in it"] },
  { v: 1, type: "action", phase: "begin", room: "cluster", action, says: "starting cluster lab", ms: 0 },
  { v: 1, type: "action", phase: "end", room: "cluster", action, says: "it runs", holds: true, ms: 900 },
  { v: 1, type: "wait", room: "release", waitingFor: "mysql-client: pulling image", sinceMs: 0, limitMs: 600_000 },
  { v: 1, type: "warning", finding },
  { v: 1, type: "note", room: "run", says: "a note" },
  toLine(bareResult("install", 3, "refused", [finding])),
];

describe("the schema of --json", () => {
  test("holds for a line of every type, and describes no other", () => {
    expect(faultsOfOutput(lines)).toEqual([]);
    const { oneOf } = outputJsonSchema() as { oneOf: { $ref: string }[] };
    expect(oneOf.map(({ $ref }) => $ref.replace("#/$defs/", "")).toSorted()).toEqual(
      [...new Set(lines.map(({ type }) => type))].toSorted(),
    );
  });

  test.each([
    ["a type that does not exist", { v: 1, type: "progress" }],
    ["another version", { ...lines[0], v: 2 }],
    ["a field that is missing", { v: 1, type: "note", room: "run" }],
    ["a field that nobody described", { ...lines[6], more: true }],
    ["a reason that is not in the table", { v: 1, type: "warning", finding: { ...finding, reason: "DISK_SMALL" } }],
    ["a room that does not exist", { ...lines[6], room: "attic" }],
    ["an exit code that is not documented", { ...lines[7], exit: 9 }],
    ["a state that is not documented", { ...lines[7], state: "fine" }],
    ["text", "installed"],
  ])("refuses %s", (_, line) => {
    expect(faultsOfOutput([line])).not.toEqual([]);
  });

  test("names every reason", () => {
    const { $defs } = outputJsonSchema() as { $defs: { Finding: { properties: { reason: { enum: string[] } } } } };
    expect($defs.Finding.properties.reason.enum).toEqual(Object.keys(reasons));
  });

  test("is plain data", () => {
    const schema = outputJsonSchema();
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });
});
