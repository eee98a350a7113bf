import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { recorded } from "./answers.ts";
import { say, useProgram, type Rules, type Stubbed } from "./program.ts";

const machine = useProgram();

const variables = {
  JOB_IMAGE_HOST: "docker.io/",
  CLIENT_ENV: "prod",
  INGESTOR_IMAGE_REPOSITORY: "ghcr.io/tracebloc/ingestor",
  INGESTOR_IMAGE_TAG: "0.8",
  INGESTOR_IMAGE_DIGEST: "",
};

const manager = JSON.stringify({
  kind: "Deployment",
  metadata: { name: "jobs-manager" },
  spec: {
    template: {
      spec: {
        containers: [
          {
            image: "docker.io/tracebloc/jobs-manager:prod",
            env: Object.entries(variables).map(([name, value]) => ({ name, value })),
          },
        ],
      },
    },
  },
});
const submission = JSON.stringify({ kind: "Job", metadata: { name: "a" }, spec: { image: "docker.io/x/curl:1" } });

const version: Rules[number] = ["'version '*", say(recorded("install: helm version").stdout)];
const rendering = (client: string): Rules => [
  ["*/charts/ingestor*", say(`---\n${submission}\n`)],
  ["'template '*", client],
  version,
];

function withHelm(rules: Rules = rendering(say(`---\n${manager}\n`))): Stubbed {
  const it = machine();
  it.stub("helm", rules);
  return it;
}

describe("tracebloc images", () => {
  test("prints the list on standard output, asks helm twice and no cluster, and writes nothing", async () => {
    const it = withHelm();
    const ran = await it.run(["images", "--", "--set", "a=b"]);
    expect([ran.exit, ran.stderr]).toEqual([0, ""]);
    expect(ran.stdout.split("\n")[0]).toBe("# 40 images: rendered 1, ingestor 2, training 32, cluster 5");
    expect(it.calls()).toHaveLength(2);
    for (const call of it.calls()) expect(call).toMatch(/^helm template .* --set a=b$/);
  });

  test("--plain and --json say the same as it", async () => {
    const it = withHelm();
    const text = (await it.run(["images"])).stdout.split("\n").filter((line) => /^[^#]/.test(line));
    expect((await it.run(["images", "--plain"])).stdout).toBe(`${text.join("\n")}\n`);
    const { images, ok } = (await it.run(["images", "--json"])).result();
    expect([ok, images?.counts.total, images?.list.map(({ image }) => image)]).toEqual([true, 40, text]);
  });

  test("keeps the client's password to itself", async () => {
    const it = withHelm();
    const values = join(it.folder, "values.yaml");
    writeFileSync(values, "clientPassword: hidden-0815\n", { mode: 0o600 });
    const ran = await it.run(["images", "--verbose", "--values", values]);
    expect(ran.exit).toBe(0);
    expect(ran.stdout + ran.stderr + it.calls().join("\n")).not.toContain("hidden-0815");
  });

  const broken: readonly (readonly [string, readonly string[], Rules | undefined, number, string])[] = [
    ["an unknown category", ["--category", "images"], undefined, 2, "CONFIG_INVALID"],
    ["an unknown group", ["--only", "all"], undefined, 2, "CONFIG_INVALID"],
    ["an unknown environment", ["--env", "live"], undefined, 2, "CONFIG_INVALID"],
    ["an environment that the values do not say", ["--env", "dev"], undefined, 2, "CONFIG_CONFLICT"],
    ["no registry for a mirror", ["--mirror", "a b"], undefined, 2, "CONFIG_INVALID"],
    ["a word that is no flag", ["values.yaml"], undefined, 2, "USAGE"],
    ["a part of the release", ["--", "--show-only", "templates/rbac.yaml"], undefined, 2, "USAGE"],
    ["a failed render", [], rendering("echo 'Error: execution error at (client/x)' >&2; exit 1"), 2, "CHART_INVALID"],
    ["a render that failed after half of it", [], rendering(`${say(`---\n${manager}\n`)}; exit 1`), 2, "CHART_INVALID"],
    ["a chart of somebody else", [], rendering(say("---\nkind: Pod\nspec: {image: a/b:1}\n")), 4, "IMAGES_UNKNOWN"],
    ["manifests that are broken", [], rendering(say("---\nimage: [\n")), 4, "IMAGES_UNKNOWN"],
    ["an image that is none", [], rendering(say(`---\n${manager.replace(":prod", ": prod")}\n`)), 4, "IMAGES_UNKNOWN"],
    [
      "a helm that is too old",
      [],
      [
        ["'version '*", "echo v2.17.0"],
        ["'template '*", "exit 1"],
      ],
      3,
      "TOOL_UNUSABLE",
    ],
  ];
  test.each(broken)("%s: nothing on standard output, and not exit 0", async (_, args, rules, exit, reason) => {
    const ran = await withHelm(rules).run(["images", ...args]);
    expect([ran.exit, ran.stdout]).toEqual([exit, ""]);
    expect(ran.stderr).toContain(reason);
    const json = await withHelm(rules).run(["images", "--json", ...args]);
    expect(json.result()).toMatchObject({ ok: false, exit, failures: [{ reason }] });
    expect(json.result()).not.toHaveProperty("images");
  });

  test("a k3s whose own images are not known: no list, but one without the cluster", async () => {
    const it = withHelm();
    const env = { TRACEBLOC_K3S_IMAGE: "docker.io/rancher/k3s:v1.29.4-k3s1" };
    const ran = await it.run(["images"], { env });
    expect([ran.exit, ran.stdout]).toEqual([4, ""]);
    expect(ran.stderr).toContain("v1.29.4%2Bk3s1/k3s-images.txt");
    expect((await it.run(["images", "--only", "rendered,ingestor,training"], { env })).exit).toBe(0);
  });

  test("no helm anywhere: exit 3", async () => {
    const ran = await machine().run(["images"], { env: { PATH: "/nonexistent" } });
    expect([ran.exit, ran.stdout]).toEqual([3, ""]);
    expect(ran.stderr).toContain("TOOL_MISSING");
  });
});
