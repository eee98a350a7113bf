import { describe, expect, test } from "vitest";
import type { ReleaseRecord } from "../../../src/release/helm-records.ts";
import { chooseTarget, type Wanted } from "../../../src/release/identity.ts";

const id = "5f0c6f0a-0000-4000-8000-00000000aaaa";
const otherId = "5f0c6f0a-0000-4000-8000-00000000bbbb";

function record(over: Partial<ReleaseRecord> & { clientId?: string } = {}): ReleaseRecord {
  const { clientId = id, ...rest } = over;
  return {
    name: "tracebloc",
    namespace: "tracebloc",
    revision: 1,
    status: "deployed",
    labels: {},
    secret: "sh.helm.release.v1.tracebloc.v3",
    lastDeployed: 0,
    content: { chart: "client", chartVersion: "2.0.0", values: { clientId } },
    ...rest,
  };
}

const wanted: Wanted = { namespace: "tracebloc", namespaceAsked: false, clientId: undefined };
const anotherChart = { chart: "nginx", chartVersion: "1.0.0", values: {} };

describe("which release a run is about", () => {
  test.each<[string, ReleaseRecord[], Partial<Wanted>, string]>([
    ["an empty cluster gives the place of a new one", [], {}, "new tracebloc/tracebloc"],
    ["the one client is taken", [record()], {}, "tracebloc/tracebloc"],
    ["the one client is taken where it is", [record({ name: "edge", namespace: "edge" })], {}, "edge/edge"],
    [
      "the wished id is taken in whatever namespace it is",
      [record({ name: "a", namespace: "b" })],
      { clientId: id, namespaceAsked: true },
      "b/a",
    ],
    [
      "a client of another id is refused",
      [record({ clientId: otherId })],
      { clientId: id },
      "RELEASE_OF_ANOTHER_CLIENT",
    ],
    [
      "a client elsewhere is refused where the namespace was asked for",
      [record({ namespace: "edge" })],
      { namespaceAsked: true },
      "RELEASE_OF_ANOTHER_CLIENT",
    ],
    [
      "two clients are refused",
      [record(), record({ namespace: "edge" })],
      { clientId: id },
      "RELEASE_OF_ANOTHER_CLIENT",
    ],
    [
      "an unreadable release is refused, whatever it is",
      [record({ name: "x", content: { unreadable: "damaged" } })],
      {},
      "RELEASE_UNREADABLE",
    ],
    [
      "an unreadable one is refused even beside the right client",
      [record(), record({ name: "x", content: { unreadable: "damaged" } })],
      { clientId: id },
      "RELEASE_UNREADABLE",
    ],
    ["a client without an id is refused", [record({ clientId: "" })], {}, "RELEASE_UNREADABLE"],
    ["another chart under our name is refused", [record({ content: anotherChart })], {}, "RELEASE_NOT_OURS"],
    [
      "another chart elsewhere is none of our business",
      [record({ name: "web", namespace: "web", content: anotherChart })],
      {},
      "new tracebloc/tracebloc",
    ],
    [
      "an uninstalled release leaves its place free",
      [record({ status: "uninstalled" })],
      {},
      "new tracebloc/tracebloc",
    ],
    [
      "a wedged client of another id is still seen",
      [record({ status: "pending-install", clientId: otherId })],
      { clientId: id },
      "RELEASE_OF_ANOTHER_CLIENT",
    ],
  ])("%s", (_, records, over, expected) => {
    const target = chooseTarget(records, { ...wanted, ...over });
    const said =
      "refusal" in target
        ? target.refusal.reason
        : `${target.record === undefined ? "new " : ""}${target.namespace}/${target.name}`;
    expect(said).toBe(expected);
  });

  test("an id that is none cannot become a command of its own", () => {
    const evil = "$(touch x); 'rm";
    const target = chooseTarget([record({ clientId: evil })], { ...wanted, clientId: otherId });
    expect("refusal" in target && target.refusal.remedies[0]?.command).toBe(
      "tracebloc install --client-id '$(touch x); '\\''rm' --namespace tracebloc",
    );
  });

  test("a refusal shows the end of an id in its sentence and a command that can be pasted", () => {
    const target = chooseTarget([record()], { ...wanted, clientId: otherId });
    expect("refusal" in target && target.refusal).toMatchObject({
      says: "namespace tracebloc holds a client with another id (…aaaa)",
      remedies: [
        { command: `tracebloc install --client-id ${id} --namespace tracebloc` },
        { command: "tracebloc uninstall --namespace tracebloc" },
      ],
    });
  });
});
