import { describe, expect, test } from "vitest";

import type { ApiAnswer } from "../../../src/cluster/api.ts";
import { awaitMetrics } from "../../../src/release/metrics.ts";
import type { Values } from "../../../src/release/values.ts";
import { machine } from "../engine/support.ts";

const answered = (status: number): ApiAnswer => ({ outcome: "answered", status, text: "", json: undefined });

/** How often the API was asked for the metrics API, and for how long that went on. */
async function looks(values: Values, answers: readonly ApiAnswer[]): Promise<{ asked: number; ms: number }> {
  const { on } = machine();
  let asked = 0;
  const get = async () => {
    asked += 1;
    return answers[Math.min(asked, answers.length) - 1] ?? answered(404);
  };
  await awaitMetrics(values, { get }, on);
  return { asked, ms: on.now() };
}

describe("the metrics API", () => {
  test("client#553: is waited for while the cluster has none, since k3s registers it a moment after it is up", async () => {
    expect((await looks({}, [answered(404), answered(404), answered(200)])).asked).toBe(3);
    expect((await looks({}, [answered(200)])).asked).toBe(1);
  });

  test("is waited for within a bound, and the chart then says what is missing", async () => {
    const { asked, ms } = await looks({}, [answered(404)]);
    expect(asked).toBeGreaterThan(60);
    expect(ms).toBeLessThanOrEqual(120_000);
  });

  test("is not waited for where the answer is of another kind, or nothing needs it", async () => {
    for (const other of [answered(403), answered(500), { outcome: "refused", why: "nothing listens" } as const]) {
      expect((await looks({}, [other])).asked).toBe(1);
    }
    expect((await looks({ resourceMonitor: false }, [answered(404)])).asked).toBe(0);
  });
});
