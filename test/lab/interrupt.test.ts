import { describe, expect, test } from "vitest";

import { converges } from "./crash.ts";
import { creatorOf, failuresOf, findingOf, isRunning, noParts, partsOf, until } from "./looks.ts";
import { readLog, useProduct, type Started } from "./product.ts";

/** Longer than the time in which two signals count as one key press: npm passes on what the terminal has sent already. */
const betweenPresses = 300;

/** Signals to the program, as a terminal and an init system send them. The last group also lets two runs meet. */
describe("a run that is asked to end", () => {
  const product = useProduct("lab-interrupt");
  const { cluster, node } = product;

  /** An install whose k3d has started the node and waits for it. */
  async function creating(): Promise<Started> {
    const run = product.start(["install"], { ownGroup: true });
    await until("the node to run", () => isRunning(node));
    return run;
  }

  const endings = [
    { by: "Ctrl-C, to its whole process group,", signal: "SIGINT", whom: "group", exit: 130 },
    { by: "SIGINT to itself alone", signal: "SIGINT", whom: "program", exit: 130 },
    { by: "SIGTERM", signal: "SIGTERM", whom: "program", exit: 143 },
  ] as const;

  test.each(endings)("by $by while k3d makes the cluster leaves nothing of it", async ({ signal, whom, exit }) => {
    const run = await creating();
    run.kill(signal, whom);
    const ran = await run.ended;
    expect(ran.exit, ran.stderr).toBe(exit);
    expect(ran.stderr).toContain("once more forces");
    expect(await partsOf(cluster)).toEqual(noParts);
    expect(await creatorOf(cluster)).toBeUndefined();
    expect(readLog(product.logs().at(-1)).at(-1)).toMatchObject({ is: "end", exit });
  });

  describe("twice", () => {
    test("ends with the grace of a k3d that does not listen, and leaves half a cluster and no k3d", async () => {
      const run = await creating();
      // A k3d that is frozen takes all of its grace; one that ends when asked is gone before the second press.
      process.kill((await creatorOf(cluster)) ?? 0, "SIGSTOP");
      run.kill("SIGINT", "group");
      await run.says(/once more forces/);
      await new Promise((resolve) => void setTimeout(resolve, betweenPresses));
      const at = performance.now();
      run.kill("SIGINT", "group");
      const ran = await run.ended;
      expect(ran.exit, `ended by ${ran.signal}\n${ran.last}`).toBe(130);
      expect(performance.now() - at).toBeLessThan(10_000);
      expect(await creatorOf(cluster)).toBeUndefined();
      expect(await isRunning(node)).toBe(true);
    });

    test("is followed by a run that goes on from there, and by none beside it", async () => {
      const first = product.start(["install", "--json"], { ownGroup: true });
      await first.until((line) => line.type === "action");
      const seen = await product.run(["status", "--json"]);
      expect(findingOf(seen, "RUN_AT_WORK")?.says).toContain(`(process ${first.pid}) is at work`);
      const second = await product.run(["install", "--json"]);
      expect(second.result()).toMatchObject({ exit: 8, state: "refused", actions: [] });
      expect(failuresOf(second)).toEqual(["RUN_LOCKED"]);
      expect(findingOf(second, "RUN_LOCKED")?.says).toMatch(
        new RegExp(
          `^\`tracebloc install\` \\(process ${first.pid}\\) is at work since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC$`,
        ),
      );
      await first.until(
        (line) => line.type === "action" && line.phase === "begin" && line.action.do === "release.await",
      );
      const at = performance.now();
      first.kill("SIGINT", "group");
      expect((await first.ended).result()).toMatchObject({
        exit: 130,
        state: "interrupted",
        failures: [{ reason: "INTERRUPTED" }],
      });
      expect(performance.now() - at).toBeLessThan(5_000);
    });
  });

  test("while the workloads start goes on with them in the next run, which does nothing else", async () => {
    const ran = await converges(product);
    expect(ran.result().actions.map((action) => action.do)).toEqual(["release.await"]);
  });
});
