import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * A project per folder of test/. Groups run one after the other: `package` measures time and wants the machine for
 * itself, and the tests of the lab share one cluster.
 */
function project(name: string, group: number, testTimeout: number, globalSetup: readonly string[] = []) {
  return {
    test: {
      name,
      root,
      globalSetup: [...globalSetup],
      include: [`test/${name}/**/*.test.ts`],
      testTimeout,
      hookTimeout: testTimeout,
      fileParallelism: group === 0,
      // Unit tests keep no state in modules, so that loading each once is enough: half of their time.
      isolate: name !== "unit",
      sequence: { groupOrder: group },
    },
  };
}

export default defineConfig({
  test: {
    // vitest would leave one processor free, which of two is half of them; tests wait more than they compute.
    maxWorkers: availableParallelism(),
    projects: [
      project("unit", 0, 30_000),
      project("flow", 0, 40_000),
      project("shell", 0, 60_000),
      project("chart", 0, 60_000),
      project("package", 1, 120_000),
      project("lab", 2, 600_000, ["test/lab/alone.ts"]),
    ],
  },
});
