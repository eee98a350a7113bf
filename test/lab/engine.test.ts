import { chownSync, chmodSync, existsSync, mkdirSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Reason } from "../../src/engine/reasons.ts";
import { failuresOf, findingOf, inMounts, until } from "./looks.ts";
import { useProduct, type RunOptions } from "./product.ts";

const nobody = 65534;

/** Machines on which the engine cannot be used: made by taking the road to the lab's own engine away. */
describe("B08, B17, B26: without an engine that answers", () => {
  const product = useProduct("lab-engine");
  const socket = (name: string) => `unix://${join(product.folder, name)}`;

  const machines: readonly { machine: string; reason: Reason; options: () => RunOptions }[] = [
    {
      machine: "whose PATH has no docker",
      reason: "ENGINE_NOT_INSTALLED",
      options: () => ({ env: { PATH: product.folder } }),
    },
    {
      machine: "whose engine does not run",
      reason: "ENGINE_NOT_RUNNING",
      options: () => ({ ...inMounts("mount -t tmpfs none /run"), env: { DOCKER_HOST: undefined } }),
    },
    {
      machine: "whose DOCKER_HOST names a socket that nobody listens on",
      reason: "ENGINE_WRONG_CONTEXT",
      options: () => ({ env: { DOCKER_HOST: socket("nobody.sock") } }),
    },
    {
      machine: "whose DOCKER_HOST names another machine",
      reason: "ENGINE_WRONG_CONTEXT",
      options: () => ({ env: { DOCKER_HOST: "ssh://someone@engine.example.com" } }),
    },
    {
      machine: "whose DOCKER_CONTEXT does not exist",
      reason: "ENGINE_WRONG_CONTEXT",
      options: () => ({ env: { DOCKER_HOST: undefined, DOCKER_CONTEXT: "no-such-context" } }),
    },
    {
      machine: "whose user may not use the engine",
      reason: "ENGINE_NO_PERMISSION",
      options: () => ({
        under: ["setpriv", "--reuid", String(nobody), "--regid", String(nobody), "--clear-groups"],
        env: {
          TRACEBLOC_STATE_DIR: join(product.folder, "theirs", "state"),
          HOST_DATA_DIR: join(product.folder, "theirs", "data"),
          TRACEBLOC_VALUES_FILE: undefined,
        },
      }),
    },
  ];

  beforeAll(() => {
    const theirs = join(product.folder, "theirs");
    mkdirSync(theirs);
    chownSync(theirs, nobody, nobody);
    chmodSync(product.folder, 0o755);
  });

  test.each(machines)("on a machine $machine, install, status and doctor say so", async ({ reason, options }) => {
    const [install, status, doctor] = await Promise.all(
      ["install", "status", "doctor"].map((command) => product.run([command, "--json"], options())),
    );
    expect(install?.result(), install?.stderr).toMatchObject({ exit: 3, state: "refused", actions: [] });
    expect(install && failuresOf(install)).toEqual([reason]);
    expect(status?.result()).toMatchObject({ exit: 4, state: "unknown" });
    expect(doctor?.result()).toMatchObject({ exit: 3, state: "unknown" });
    for (const ran of [status, doctor]) expect(ran && findingOf(ran, reason)?.remedies).not.toHaveLength(0);
    expect(existsSync(join(product.state, "installation.json"))).toBe(false);
    expect(existsSync(product.data)).toBe(false);
  });

  describe("on a machine whose engine accepts calls and never answers", () => {
    let accepted = 0;
    let wedged: Server;
    const options = () => ({ env: { DOCKER_HOST: socket("wedged.sock") } });

    beforeAll(async () => {
      wedged = createServer(() => (accepted += 1));
      await new Promise<void>((resolve) => void wedged.listen(join(product.folder, "wedged.sock"), resolve));
    });
    afterAll(() => void wedged.close());

    test("install, status and doctor end within a minute, and say so once", async () => {
      const [install, status, doctor] = await Promise.all(
        ["install", "status", "doctor"].map((command) => product.run([command, "--json"], options())),
      );
      expect(install?.result()).toMatchObject({ exit: 7, state: "refused", actions: [] });
      expect(status?.result()).toMatchObject({ exit: 4, state: "unknown" });
      expect(doctor?.result()).toMatchObject({ exit: 7, state: "unknown" });
      for (const ran of [install, status, doctor]) {
        expect(ran && failuresOf(ran)).toEqual(["ENGINE_NOT_ANSWERING"]);
        expect(ran?.ms).toBeLessThan(60_000);
      }
    });

    test.each(["install", "status", "doctor"])(
      "Ctrl-C ends %s long before its calls would give up",
      async (command) => {
        const before = accepted;
        const run = product.start([command], { ...options(), ownGroup: true });
        await until("a call", () => accepted > before);
        const at = performance.now();
        run.kill("SIGINT", "group");
        const ran = await run.ended;
        expect(ran.exit, ran.stderr).toBe(130);
        expect(performance.now() - at).toBeLessThan(8_000);
        expect(ran.stderr).toContain("Interrupted");
      },
    );
  });
});
