import { expect, test, vi } from "vitest";

import { flow } from "./command.ts";

vi.mock(import("../../src/status.ts"), async (original) => ({
  ...(await original()),
  healthOf: () => {
    throw new TypeError("health is not a function");
  },
}));

test("a defect of ours ends like everything else: one sentence, where it came from, exit 1, and a result", async () => {
  const { tracebloc } = await flow("linux");
  const told = await tracebloc("status");
  expect(told.exit).toBe(1);
  expect(told.stderr).toMatch(/health is not a function {3}DEFECT\n(.*│ at .*\n)+.*please report these lines/);
  const ran = await tracebloc("status", "--json");
  expect(ran.result()).toMatchObject({ ok: false, exit: 1, state: "failed", failures: [{ reason: "DEFECT" }] });
});
