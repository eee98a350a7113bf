// Brings the lab up: whatever is missing of it, and nothing else.

import { mkdirSync } from "node:fs";

import { cacheDirectory, inCache, writeJson } from "./cache.mjs";
import { removeClusters } from "./clusters.mjs";
import { demandInstallable, installMissing } from "./debian.mjs";
import { clearStage, removeImagesExcept } from "./docker.mjs";
import { demandEngine, ensureEngine } from "./engine.mjs";
import { imagesFile } from "./environment.mjs";
import { LabError } from "./errors.mjs";
import { buildGo, demandGo, expose } from "./go.mjs";
import { withLock } from "./lock.mjs";
import { ensureNodeImage, ensureToolsImage, nodeImageName, toolsImageName } from "./node-image.mjs";
import { buildPodImages } from "./pod-images.mjs";
import { buildRootfs, demandRootfs } from "./rootfs.mjs";
import { say, step } from "./screen.mjs";
import { podImages, versions } from "./versions.mjs";

/** What the lab builds from the Go module proxy, and the names under which people use it. */
const programs = [
  { title: `Kubernetes ${versions.kubernetes} with kubectl`, name: "kubernetes", as: "kubectl" },
  { title: `k3d ${versions.k3d}`, name: "k3d", as: "k3d" },
  { title: `helm ${versions.helm}`, name: "helm", as: "helm" },
  { title: `CoreDNS ${versions.coredns}`, name: "coredns" },
  { title: `local-path-provisioner ${versions.localPath}`, name: "local-path" },
  { title: "registries.yaml for containerd", name: "registries" },
  { title: "stand-in for the workloads", name: "workload" },
];

const forDebian = { debootstrap: "debootstrap" };

const word = ({ cached }) => (cached ? "cached" : "built");

/**
 * Makes the lab ready: engine, tools and images. Idempotent, safe to run twice at once, a few seconds when all is there.
 * Throws a LabError when a step fails; running it again goes on from there.
 */
export async function up() {
  if (process.platform !== "linux") {
    throw new LabError(`the lab runs on Linux, and this is ${process.platform}`, {
      next: "npm run test:fast needs no lab",
    });
  }
  mkdirSync(inCache("logs"), { recursive: true });
  const start = Date.now();
  await withLock(async () => {
    await foresee();
    // Debian's part waits for its mirror while Go's part keeps the cores busy.
    await inParallel(prepareDebian, buildTools);
    await step("images for pods", async (now) => word(await buildPodImages(now)));
    await step(`node image (Kubernetes ${versions.kubernetes})`, ensureNodeImage);
    await step("k3d's helper image", ensureToolsImage);
    clearStage();

    const images = { node: nodeImageName(), tools: toolsImageName() };
    writeJson(imagesFile(), images);
    await removeImagesExcept([...Object.values(images), ...Object.values(podImages)]);
  });
  say(`ready in ${((Date.now() - start) / 1000).toFixed(1)} s (${cacheDirectory()})`);
}

/** What stands in the way for certain is said at once, and not when Kubernetes has been compiled beside it for minutes. */
async function foresee() {
  demandGo(programs.map(({ name }) => name));
  demandInstallable(forDebian);
  await demandEngine();
  demandRootfs();
}

async function prepareDebian() {
  await step("packages", (now) => installMissing(forDebian, now));
  await step("container engine", async (now) => {
    const { started, outcome } = await ensureEngine(now);
    // One that was killed brings its clusters back, up to date or not, and each takes a third of a core.
    if (started) await removeClusters();
    return outcome;
  });
  await step(`node file system (Debian ${versions.debian})`, async (now) => word(await buildRootfs(now)));
}

async function buildTools(signal) {
  for (const { title, name, as } of programs) {
    await step(title, async (now) => {
      const built = await buildGo(name, now, { signal });
      if (as) expose(built.path, as);
      return word(built);
    });
  }
}

/**
 * Waits for both before it fails, so that the first failure does not leave the other half running behind the message.
 * Compiling can be broken off anywhere, so that it ends at once; debootstrap cannot, which has mounts.
 */
async function inParallel(debian, tools) {
  const stop = new AbortController();
  const failures = [];
  const fail = (error) => {
    failures.push(error);
    stop.abort();
  };
  await Promise.all([debian().catch(fail), tools(stop.signal).catch(fail)]);
  if (failures.length > 0) throw failures[0];
}
