import { describe, expect, test } from "vitest";

import { converges } from "./crash.ts";
import { holdHelm } from "./held-helm.ts";
import { failuresOf, findingOf, paste, revisionsOf, waitsOf } from "./looks.ts";
import { actionsOf, useProduct, type Ran } from "./product.ts";
import { layValuesOver } from "./values.ts";

/** Releases that somebody else has a hand in: a Helm that was cut off or interrupted, a person with kubectl. */
describe("B05: a Helm that was killed", () => {
  const product = useProduct("lab-release");
  const held = holdHelm(product);
  const upgrade = ["install", "--force", "--chart", held.chart];

  /** Refused, and told with commands; each of them is then run as it stands there. */
  async function isSettledByItsCommands(ran: Ran): Promise<void> {
    expect(ran.result()).toMatchObject({ exit: 5, state: "refused", actions: [] });
    expect(failuresOf(ran)).toEqual(["RELEASE_PENDING"]);
    const status = await product.run(["status", "--json"]);
    expect(status.result()).toMatchObject({ exit: 6, failures: [{ reason: "RELEASE_PENDING" }] });
    const commands = findingOf(ran, "RELEASE_PENDING")?.remedies.map(({ command }) => command) ?? [];
    expect(commands).toHaveLength(3);
    for (const command of commands) await paste(product, command);
  }

  test("in the first installation leaves it pending: refused until the commands that are named were run", async () => {
    const run = product.start(["install", "--chart", held.chart, "--json"]);
    process.kill(await held.waits(), "SIGKILL");
    expect((await run.ended).result()).toMatchObject({ exit: 4, failures: [{ reason: "HELM_FAILED" }] });
    expect(await revisionsOf(product)).toMatchObject([{ revision: 1, status: "pending-install" }]);

    await isSettledByItsCommands(await product.run(["install", "--json"]));
    expect((await converges(product)).result().actions).toEqual([]);
  });

  test("in an upgrade, after the installer itself: the next run waits for Helm, then is refused as long", async () => {
    const run = product.start([...upgrade, "--json"]);
    const helm = await held.waits();
    run.kill("SIGKILL");
    await run.ended;

    const next = product.start(["install", "--json"]);
    const what = `helm upgrade (process ${helm}) of an earlier run to end`;
    await next.until((line) => line.type === "wait" && line.waitingFor === what);
    process.kill(helm, "SIGKILL");
    const ran = await next.ended;
    expect(waitsOf(ran)).toEqual([what]);
    await isSettledByItsCommands(ran);
    expect((await converges(product)).result().actions).toEqual([]);
  });

  describe("Ctrl-C while Helm is at work", () => {
    test("once lets Helm finish, and ends with 130", async () => {
      const run = product.start(upgrade, { ownGroup: true });
      await held.waits();
      run.kill("SIGINT", "group");
      await run.says(/once more forces/);
      expect(await held.waits()).toBeGreaterThan(0);
      await held.letGo();
      const ran = await run.ended;
      expect(ran.exit, ran.stderr).toBe(130);
      expect((await revisionsOf(product)).at(-1)).toMatchObject({ status: "deployed" });
    });

    test("twice asks Helm to end, and leaves a release that the next run repairs", async () => {
      const run = product.start(upgrade, { ownGroup: true });
      await held.waits();
      run.kill("SIGINT", "group");
      await run.says(/once more forces/);
      await new Promise((resolve) => void setTimeout(resolve, 300));
      run.kill("SIGINT", "group");
      expect((await run.ended).exit).toBe(130);
      await held.isGone();
      expect((await revisionsOf(product)).at(-1)?.status).not.toMatch(/^pending/);
      const ran = await product.run(["install", "--json"]);
      expect(ran.result(), ran.stderr).toMatchObject({ exit: 0, state: "healthy" });
    });
  });

  describe("B16: a field that somebody changed with kubectl", () => {
    const [deployment, field] = ["tracebloc-jobs-manager", "memory"];
    const road = ["--namespace", "tracebloc"];
    const limit = () => {
      const path = `jsonpath={.spec.template.spec.containers[0].resources.limits.${field}}`;
      return product.kubectl([...road, "get", "deployment", deployment, "--output", path]);
    };

    test("is theirs: a wish that would change it back is refused, and names object, manager and field", async () => {
      const theirs = ["--limits", "memory=96Mi", "--containers", "api", "--field-manager", "kubectl-edit"];
      await product.kubectl([...road, "set", "resources", "deployment", deployment, ...theirs]);
      const limits = { cpu: "500m", memory: "80Mi" };
      const values = layValuesOver(product, { resources: { jobsManager: { limits } } });

      const env = { TRACEBLOC_VALUES_FILE: values };
      const ran = await product.run(["install", "--json"], { env });
      expect(ran.exit).toBe(5);
      expect(failuresOf(ran)).toEqual(["RELEASE_CONFLICT"]);
      expect(findingOf(ran, "RELEASE_CONFLICT")?.says).toBe(
        `deployment/${deployment} was changed by kubectl-edit: .spec.template.spec.containers[name="api"].resources.limits.memory`,
      );
      expect(await limit()).toBe("96Mi");
      expect(ran.log().some((line) => line.is === "call" && line.args.includes("--force-conflicts"))).toBe(false);

      const [see, takeBack] = findingOf(ran, "RELEASE_CONFLICT")?.remedies ?? [];
      expect(await paste(product, see?.command)).toContain("manager: kubectl-edit");
      await paste(product, takeBack?.command);
      const again = await product.run(["install", "--json"], { env });
      expect(again.result()).toMatchObject({ exit: 0, state: "healthy" });
      expect(actionsOf(again.log())).not.toContain("release.apply");
      expect(await limit()).toBe("80Mi");
    });
  });
});
