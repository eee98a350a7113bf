import { describe, expect, test } from "vitest";

import { k3sImage } from "../../../src/config/pins.ts";
import { clusterImages, k3sVersionOf } from "../../../src/images/cluster.ts";
import { groups, listImages, type Material } from "../../../src/images/list.ts";
import { readManifests } from "../../../src/images/manifests.ts";
import { readQuestion } from "../../../src/images/question.ts";
import { listText, plainText } from "../../../src/images/text.ts";
import { categoryNames } from "../../../src/ingest/categories.ts";
import { createCluster } from "../../../src/cluster/k3d.ts";
import { defaults, platform } from "../cluster/stand-in.ts";

const material: Material = {
  rendered: [
    { image: "docker.io/library/busybox:1.35", by: "Job a" },
    { image: "docker.io/library/busybox:1.35", by: "Job b" },
  ],
  submission: [
    { image: "docker.io/library/busybox:1.35", by: "Job submit" },
    { image: "docker.io/curlimages/curl:8", by: "Job submit" },
  ],
  later: {
    host: "docker.io/",
    clientEnv: "dev",
    ingestor: { repository: "ghcr.io/tracebloc/ingestor", image: "ghcr.io/tracebloc/ingestor:dev" },
  },
  categories: ["seq2seq"],
  cluster: [{ image: "docker.io/rancher/k3s:v1.35.5-k3s1", by: "node" }],
  only: groups,
  mirror: undefined,
};

describe("the list", () => {
  test("has each image once, in the first group that needs it, and says by what", () => {
    const { counts, list } = listImages(material);
    expect(counts).toEqual({ rendered: 1, ingestor: 2, training: 2, cluster: 1, total: 6 });
    expect(list[0]).toEqual({
      group: "rendered",
      image: "docker.io/library/busybox:1.35",
      by: ["Job a", "Job b", "Job submit"],
    });
    expect(list.filter(({ group }) => group === "training").map(({ image }) => image)).toEqual([
      "docker.io/tracebloc/client-seq2seq-cpu:dev",
      "docker.io/tracebloc/client-seq2seq-gpu:dev",
    ]);
  });

  test("has 32 training images where nobody chose", () => {
    expect(listImages({ ...material, categories: categoryNames }).counts.training).toBe(32);
  });

  test("keeps to the groups asked for; an image of two is then in the one that is left", () => {
    const { counts, list } = listImages({ ...material, only: ["ingestor"] });
    expect(counts).toEqual({ rendered: 0, ingestor: 3, training: 0, cluster: 0, total: 3 });
    expect(list.map(({ image }) => image)).toContain("docker.io/library/busybox:1.35");
  });

  test("has targets on a mirror, but for an ingestor from a repository of the values' own, which charts leave alone", () => {
    const mirror = "mirror.example.com:5000";
    const targets = (given: Material) => listImages(given).list.map(({ target }) => target);
    expect(targets({ ...material, mirror })).toContain(`${mirror}/tracebloc/ingestor:dev`);
    const own = { repository: "registry.example.com/own", image: "registry.example.com/own:1" };
    const later = { ...material.later, ingestor: own };
    expect(targets({ ...material, mirror, later })).toContain(own.image);
  });

  test("is printed with its counts in the first line, and images alone on lines that are no comment", () => {
    const list = listImages(material);
    const [header = "", ...lines] = listText(list).split("\n");
    expect(header).toBe("# 6 images: rendered 1, ingestor 2, training 2, cluster 1");
    const plain = lines.filter((line) => line !== "" && !line.startsWith("#"));
    expect(plain).toEqual(list.list.map(({ image }) => image));
    expect(plainText(list)).toBe(`${plain.join("\n")}\n`);
  });

  test("is printed as pairs with a mirror: for a person with an arrow, for a program with a tab", () => {
    const list = listImages({ ...material, mirror: "m.example.com", only: ["cluster"] });
    expect(listText(list)).toContain("docker.io/rancher/k3s:v1.35.5-k3s1 → m.example.com/rancher/k3s:v1.35.5-k3s1");
    expect(plainText(list)).toBe("docker.io/rancher/k3s:v1.35.5-k3s1\tm.example.com/rancher/k3s:v1.35.5-k3s1\n");
  });
});

describe("a cluster's images", () => {
  const named = (wishes: Partial<typeof defaults> = {}) => clusterImages({ ...defaults, ...wishes });
  const wish = <T>(value: T) => ({ value, origin: { from: "default" as const, name: "default" } });

  test("are known for the k3s that is pinned, and hold it and k3d's helper", () => {
    expect(k3sVersionOf(k3sImage)).toMatch(/^v[\d.]+-k3s\d+$/);
    const seen = named({ k3sImage: wish(k3sImage) });
    const images = "why" in seen ? [] : seen.map(({ image }) => image);
    expect(images).toEqual([
      k3sImage,
      defaults.k3dToolsImage.value,
      expect.stringContaining("/rancher/mirrored-pause:"),
      expect.stringContaining("/rancher/mirrored-coredns-coredns:"),
      expect.stringContaining("/rancher/mirrored-metrics-server:"),
    ]);
  });

  test.each([
    ["/srv/data", ["local-storage"]],
    [undefined, []],
  ])("lack what a cluster with data in %s has switched off, and nothing else", (dataDir, alsoOff) => {
    const shape = { cluster: "a", image: k3sImage, toolsImage: "t", port: 6550, anyPort: false };
    const { args } = createCluster("k3d", { ...shape, dataDir, datasetDir: undefined }, "id", platform());
    const off = args.flatMap((word) => /^--disable=(.*)@/.exec(word)?.[1] ?? []);
    expect(off).toEqual(["traefik", "servicelb", ...alsoOff]);
  });

  test("hold k3s's own storage where data lies in the node", () => {
    const seen = named({ k3sImage: wish(k3sImage), storageMode: wish("node-local" as const) });
    expect(JSON.stringify(seen)).toMatch(/local-path-provisioner.*mirrored-library-busybox/);
  });

  test("are the same from a mirror, and unknown for another k3s or one without a version", () => {
    expect(named({ k3sImage: wish("mirror.example.com:5000/rancher/k3s:v1.35.5-k3s1") })).toBeInstanceOf(Array);
    expect(named({ k3sImage: wish("docker.io/rancher/k3s:v1.29.4-k3s1") })).toMatchObject({ version: "v1.29.4-k3s1" });
    expect(named({ k3sImage: wish(`k3s@sha256:${"ab".repeat(32)}`) })).toMatchObject({ version: undefined });
  });
});

describe("the question", () => {
  const ask = (flags: Record<string, unknown>, ...helmArgs: string[]) =>
    readQuestion({ flags, helmArgs, categories: categoryNames });

  test("is for everything where nothing is said", () => {
    expect(ask({})).toEqual({
      clientEnv: undefined,
      categories: categoryNames,
      only: groups,
      mirror: undefined,
      ownCluster: false,
      helmArgs: [],
    });
  });

  test("takes names one by one and with commas, aliases of an environment, a mirror as it is pasted", () => {
    const flags = { category: ["seq2seq,embeddings", "text_classification"], only: ["training"], env: "staging" };
    expect(ask({ ...flags, mirror: "https://m.example.com/" }, "--set", "a=b")).toEqual({
      clientEnv: "stg",
      categories: ["text_classification", "seq2seq", "embeddings"],
      only: ["training"],
      mirror: "m.example.com",
      ownCluster: false,
      helmArgs: ["--set", "a=b"],
    });
  });

  test("leaves k3s out for a cluster of the site's own, and does not ask for nothing", () => {
    expect(ask({ ownCluster: true })).toMatchObject({ only: ["rendered", "ingestor", "training"] });
    expect(ask({ ownCluster: true, only: ["cluster"] })).toMatchObject({ findings: [{ reason: "CONFIG_INVALID" }] });
  });

  test("is refused with all that is wrong at once", () => {
    const flags = { category: ["images", "seq2seq"], only: ["all"], env: "live", mirror: "" };
    const wrong = ask(flags, "values.yaml");
    expect("findings" in wrong && wrong.findings.map(({ reason }) => reason)).toEqual([
      ...Array.from({ length: 4 }, () => "CONFIG_INVALID"),
      "USAGE",
    ]);
  });

  test.each([["--show-only", "x"], ["--show-only=x"], ["-s", "x"], ["--set", "a=b", "--output-dir=x"]])(
    "is refused with %j, after which Helm prints no whole release",
    (...args) => {
      expect(ask({}, ...args)).toMatchObject({ findings: [{ reason: "USAGE" }] });
    },
  );
});

describe("manifests", () => {
  test("are read but for those that say nothing of images, whatever stands in texts and comments", () => {
    const text = [
      "---\n# Source: a\nkind: Pod\nspec: { containers: [{ image: 'a/b:1' }] }",
      "kind: ConfigMap\ndata:\n  text: |\n    ---\n    image: c\n",
      "kind: Service\n",
      "# image: none\n",
      "",
    ].join("\n---\n");
    expect(readManifests(text)).toMatchObject({ objects: [{ kind: "Pod" }, { kind: "ConfigMap" }, null] });
  });

  test.each(["image: [", "image: a\nimage: b", "image: *none"])(
    "that are broken are told without their text: %j",
    (text) => {
      const seen = readManifests(`---\npassword: hidden\n${text}\n`);
      expect(seen).toHaveProperty("why");
      expect(JSON.stringify(seen)).not.toContain("hidden");
    },
  );
});
