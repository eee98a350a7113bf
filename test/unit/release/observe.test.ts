import { describe, expect, test } from "vitest";

import { readList } from "../../../src/release/observe.ts";
import { readWorkloads, type Deployment } from "../../../src/release/workloads.ts";

describe("a Kubernetes list", () => {
  test.each([[null], [{}], [{ items: {} }], [{ items: [null] }], [{ items: [5] }], [{ items: [{}] }]])(
    "of what has no name is not understood, and never taken for an empty one: %j",
    (answer) => {
      expect(() => readList(answer)).toThrow(TypeError);
    },
  );

  test("may leave out what it wants, also as null", () => {
    const metadata = { name: "mysql-client", namespace: "clinic" };
    const [deployment] = readList<Deployment>({ items: [{ metadata, spec: null, status: null }] });
    expect(deployment).toEqual({ metadata });
    expect(readWorkloads(deployment === undefined ? [] : [deployment], "clinic", "clinic")[0]).toMatchObject({
      name: "mysql-client",
      state: "waiting",
    });
  });
});
