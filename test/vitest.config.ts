import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A project per folder of test/: `fast` ones are independent of each other, the lab's share one cluster. */
function project(name: string, options: { testTimeout: number; serial?: boolean }) {
  return {
    test: {
      name,
      root,
      include: [`test/${name}/**/*.test.ts`],
      environment: "node" as const,
      testTimeout: options.testTimeout,
      hookTimeout: options.testTimeout,
      ...(options.serial === true && { fileParallelism: false, sequence: { concurrent: false } }),
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      project("unit", { testTimeout: 10_000 }),
      project("flow", { testTimeout: 20_000 }),
      project("shell", { testTimeout: 60_000 }),
      project("chart", { testTimeout: 60_000 }),
      project("package", { testTimeout: 120_000, serial: true }),
      project("lab", { testTimeout: 600_000, serial: true }),
    ],
  },
});
