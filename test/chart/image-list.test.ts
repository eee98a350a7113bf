import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { expect, test } from "vitest";
import { parse } from "yaml";

import { k3sImage } from "../../src/config/pins.ts";
import { collectImages } from "../../src/images/collect.ts";
import type { ImageList, Listed } from "../../src/images/list.ts";
import { categoryNames } from "../../src/ingest/categories.ts";
import { execaRunner } from "../../src/process/execa-runner.ts";
import { asking, machine } from "../unit/cluster/stand-in.ts";
import { load } from "../unit/config/loading.ts";
import { chart, containers, describeChart, helm, hostpath, ingestorChart, nodeLocal, render } from "./helm.ts";

const minimal = "apiVersion: tracebloc.io/v1\nkind: IngestConfig\n";
const presets = ["aks", "bm", "eks", "oc"] as const;

const valuesOf = (preset: string) =>
  parse(readFileSync(join(chart, "ci", `${preset}-values.yaml`), "utf8")) as Record<string, unknown>;

const environment = { ...process.env, PATH: `${dirname(helm ?? "")}:${process.env["PATH"] ?? ""}` };

async function answer(
  file: Record<string, unknown>,
  flags: Record<string, unknown> = {},
  helmArgs: string[] = [],
  wishes = asking({ k3sImage }),
) {
  const runner = execaRunner({ redact: (text) => text, log: () => {}, environment });
  const typed = { flags, helmArgs, categories: categoryNames };
  return collectImages({ wishes, file }, typed, machine(runner));
}

async function list(...args: Parameters<typeof answer>): Promise<ImageList> {
  const given = await answer(...args);
  if ("findings" in given) throw new Error(JSON.stringify(given.findings));
  return given.list;
}

const imagesIn = (group: Listed["group"], { list: all }: ImageList) =>
  all
    .filter((one) => one.group === group)
    .map(({ image }) => image)
    .toSorted();

/** What the containers of the client's chart name, with helm asked directly. */
async function rendered(file: Record<string, unknown>, args: readonly string[] = []): Promise<string[]> {
  const objects = await render(file, { args });
  return [...new Set(containers(objects).map(({ image }) => image))].toSorted();
}

const ownCluster = true;

describeChart("tracebloc images", () => {
  test.each(presets)("%s: lists what the rendered objects name, no more and no less", async (preset) => {
    const file = valuesOf(preset);
    const seen = await list(file, { ownCluster });
    expect(imagesIn("rendered", seen)).toEqual(await rendered(file));
    expect(seen.counts).toMatchObject({ ingestor: 2, training: 32, cluster: 0 });
  });

  test.each(["hostpath", "node-local"] as const)(
    "%s: lists what `install` renders, and what its k3s pulls",
    async (mode) => {
      const given = await answer({}, {}, [], asking({ k3sImage, storageMode: mode }));
      if ("findings" in given) throw new Error(JSON.stringify(given.findings));
      expect(imagesIn("rendered", given.list)).toEqual(await rendered(mode === "hostpath" ? hostpath : nodeLocal));
      expect(given.list.counts.cluster).toBe(mode === "hostpath" ? 5 : 7);
    },
  );

  test("has the image of the hook that submits a dataset, and the ingestor that it starts", async () => {
    const objects = await render({ ingestConfig: minimal }, { chart: ingestorChart });
    const ingestor = imagesIn("ingestor", await list(valuesOf("bm")));
    expect(ingestor).toEqual(expect.arrayContaining(containers(objects).map(({ image }) => image)));
    expect(ingestor.join()).toMatch(/ghcr\.io\/tracebloc\/ingestor@sha256:/);
  });

  test("follows what goes to helm: another component, another image, another channel", async () => {
    const file = valuesOf("bm");
    const args = ["--set", "autoUpgrade.enabled=true,autoUpgrade.repoUrl=https://charts.example.com"];
    args.push("--set", "gpu.devicePlugin.enabled=true,gpu.devicePlugin.vendor=nvidia", "--set", "env.CLIENT_ENV=dev");
    const seen = await list(file, { ownCluster }, args);
    expect(imagesIn("rendered", seen)).toEqual(await rendered(file, args));
    expect(imagesIn("rendered", seen).join()).toMatch(/alpine\/helm:.*nvcr\.io\/nvidia\/k8s-device-plugin:/);
    expect(seen.clientEnv).toBe("dev");
    for (const image of imagesIn("training", seen)) expect(image).toMatch(/:dev$/);
    expect(imagesIn("ingestor", seen)).toContain("ghcr.io/tracebloc/ingestor:dev");
  });

  test("has every image of a site's mirror there, training included, where the values name one", async () => {
    const seen = await list({ ...valuesOf("bm"), global: { imageRegistry: "https://mirror.example.com:5000/team/" } });
    const ofRelease = seen.list.filter(({ group }) => group !== "cluster");
    for (const { image } of ofRelease) expect(image).toMatch(/^mirror\.example\.com:5000\/team\//);
  });

  const mirrors = ["mirror.example.com", "https://mirror.example.com:5000/team/"];
  test.each(mirrors)(
    "--mirror %s: targets are what the charts then pull, sources what they pull now",
    async (mirror) => {
      const file = valuesOf("oc");
      const args = ["--set", "images.podsMonitor.registry=registry.example.com", "--set", "images.busybox.digest="];
      const [now, pairs, then] = await Promise.all([
        list(file, { ownCluster }, args),
        // What the values say of a mirror must not make its copies the sources.
        list({ ...file, global: { imageRegistry: "other.example.com" } }, { mirror, ownCluster }, args),
        list(file, { ownCluster }, [...args, "--set", `global.imageRegistry=${mirror}`]),
      ]);
      const ofRelease = (seen: ImageList) => seen.list.filter(({ group }) => group !== "cluster");
      expect(ofRelease(pairs).map(({ image }) => image)).toEqual(ofRelease(now).map(({ image }) => image));
      expect(ofRelease(pairs).map(({ target }) => target)).toEqual(ofRelease(then).map(({ image }) => image));
    },
  );

  test("a mirror in the settings: what is pulled is what --mirror had copied, the cluster's own images included", async () => {
    const mirror = "mirror.example.com:5000/team";
    const wishesOf = async (variables: Record<string, string>) => {
      const loaded = await load({ environment: variables });
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
      return loaded.wishes;
    };
    const [none, set] = await Promise.all([{}, { TRACEBLOC_IMAGE_REGISTRY: `https://${mirror}/` }].map(wishesOf));
    const [before, pairs, pulled] = await Promise.all([
      list({}, { mirror }, [], none),
      list({}, { mirror }, [], set),
      list({}, {}, [], set),
    ]);
    expect(pairs).toEqual(before);
    expect(pulled.list.map(({ image }) => image)).toEqual(pairs.list.map(({ target }) => target));
  });

  test.each([
    ["the values' own ingestor", ["--set", "images.ingestor.repository=registry.example.com/own"]],
    ["a digest", ["--set", `images.jobsManager.digest=sha256:${"cd".repeat(32)}`]],
  ])("--mirror with %s agrees with the charts as well", async (_, args) => {
    const mirror = "mirror.example.com";
    const pairs = await list(valuesOf("bm"), { mirror, only: ["rendered,ingestor"] }, args);
    const then = await list(valuesOf("bm"), { only: ["rendered,ingestor"] }, [
      ...args,
      "--set",
      `global.imageRegistry=${mirror}`,
    ]);
    expect(pairs.list.map(({ target }) => target)).toEqual(then.list.map(({ image }) => image));
  });

  test.each([
    ["values that the chart refuses", {}, ["--set", "env.CLIENT_ENV=live"], "CHART_INVALID"],
    ["a flag that helm does not know", {}, ["--no-such-flag"], "CHART_INVALID"],
    ["a file that is not there", {}, ["-f", "/nonexistent.yaml"], "CHART_INVALID"],
    ["another --env than the values'", { env: "stg" }, ["--set", "env.CLIENT_ENV=dev"], "CONFIG_CONFLICT"],
  ])("%s: no list", async (_, flags, args, reason) => {
    expect(await answer(valuesOf("bm"), flags, args)).toMatchObject({ findings: [{ reason }] });
  });

  test("an --env that agrees with the values, whatever decides those: a list", async () => {
    expect(await list(valuesOf("bm"), { env: "staging" }, ["--set", "env.CLIENT_ENV=stg"])).toMatchObject({
      clientEnv: "stg",
    });
  });
});
