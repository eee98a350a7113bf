import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { inCache } from "../../scripts/lab/cache.mjs";
import { podImages } from "../../scripts/lab/versions.mjs";
import { docker } from "./lab.ts";
import { removeCluster } from "./product.ts";

const script = fileURLToPath(new URL("../../scripts/try.mjs", import.meta.url));
// A person may have a try of their own on this machine.
const name = "lab-try";
const cluster = `tracebloc-${name}`;
const neighbour = "lab-try-neighbour";

const tryOut = (...args: string[]) =>
  execa(process.execPath, [script, ...args], {
    all: true,
    reject: false,
    env: { TRACEBLOC_TRY_NAME: name, HOST_DATA_DIR: "/nowhere", CLUSTER_NAME: "somebody-elses" },
  });

const identity = () => docker("inspect", "--format", "{{.Id}} {{.State.StartedAt}} {{.RestartCount}}", neighbour);

describe("npm run try", () => {
  let before: string;
  let typed: string[] = [];

  beforeAll(async () => {
    await docker("rm", "--force", neighbour);
    await docker("run", "--detach", "--name", neighbour, "--network", "none", podImages.busybox, "sleep", "100000");
    before = await identity();
  });
  afterAll(async () => {
    await tryOut("--down");
    await removeCluster(cluster);
    await docker("rm", "--force", neighbour);
  });

  test("installs, shows the dataset and the repair, and ends with what a person can do", async () => {
    // In one place: it may be read from a file.
    const { exitCode, stdout, stderr } = await tryOut();
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stderr: "" });
    const story = [
      "Your client is running",
      "| as uid 65534, gid 65534",
      "| removed /data/shared/cats",
      "permission denied",
      "data was 0755 and owned by root. Repaired: data 2777, proven in the node",
      "repaired 1 thing; everything is in place",
      "everything is in place, proven just now",
      "npm run try -- --down",
    ];
    const places = story.map((line) => stdout.indexOf(line));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places[0]).toBeGreaterThan(0);
    typed = [...stdout.matchAll(/^ +\$ (.*docker exec .*)$/gm)].map(([, command = ""]) => command);
  });

  test("prints commands that work when pasted", async () => {
    expect(typed).toHaveLength(2);
    const { DOCKER_HOST: _, ...shell } = process.env;
    for (const command of typed) await execa("sh", ["-c", command], { extendEnv: false, env: shell });
    expect((await tryOut()).stdout).toContain("Repaired: data 2777");
  });

  test("works on what is there when it is run again, and lets the product be asked", async () => {
    const { exitCode, all } = await tryOut();
    expect({ exitCode, all }).toMatchObject({ exitCode: 0 });
    expect(all).not.toContain("Your client is running");
    expect(await tryOut("status")).toMatchObject({ exitCode: 0 });
  });

  test("--down leaves nothing of it, and every other container as it was", async () => {
    const { exitCode, all } = await tryOut("--down");
    expect({ exitCode, all }).toMatchObject({ exitCode: 0 });
    expect(all).not.toContain("stay in");
    expect(existsSync(inCache(name))).toBe(false);
    const mine = ["--quiet", "--filter", `label=k3d.cluster=${cluster}`];
    expect(await docker("ps", "--all", ...mine)).toBe("");
    expect(await docker("network", "ls", "--quiet", "--filter", `name=k3d-${cluster}`)).toBe("");
    expect(await docker("volume", "ls", "--quiet", "--filter", `name=k3d-${cluster}`)).toBe("");
    expect(await identity()).toBe(before);
    expect(await tryOut("status")).toMatchObject({ exitCode: 1 });
    const again = (await tryOut("--down")).all;
    expect(again).toContain("there is nothing to remove");
    expect(again).not.toMatch(/gone|removed|did not run/);
  });
});
