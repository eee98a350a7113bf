// Brings the lab up: whatever is missing of it, and nothing else.

import { mkdirSync } from "node:fs";

import { cacheDirectory, inCache, writeJson } from "./cache.mjs";
import { removeClusters } from "./clusters.mjs";
import { installMissing } from "./debian.mjs";
import { clearStage, removeImagesExcept } from "./docker.mjs";
import { ensureEngine } from "./engine.mjs";
import { imagesFile } from "./environment.mjs";
import { LabError } from "./errors.mjs";
import { buildGo, expose } from "./go.mjs";
import { withLock } from "./lock.mjs";
import { ensureNodeImage, ensureToolsImage, nodeImageName, toolsImageName } from "./node-image.mjs";
import { buildPodImages } from "./pod-images.mjs";
import { buildRootfs } from "./rootfs.mjs";
import { say, step } from "./screen.mjs";
import { podImages, versions } from "./versions.mjs";

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
    // Debian's part waits for its mirror while Go's part keeps the cores busy.
    await inParallel([prepareDebian(), buildTools()]);
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

async function prepareDebian() {
  await step("packages", (now) => installMissing({ debootstrap: "debootstrap" }, now));
  await step("container engine", async (now) => {
    const { started, outcome } = await ensureEngine(now);
    // One that was killed brings its clusters back, up to date or not, and each takes a third of a core.
    if (started) await removeClusters();
    return outcome;
  });
  await step(`node file system (Debian ${versions.debian})`, async (now) => word(await buildRootfs(now)));
}

async function buildTools() {
  const build = (title, name, as) =>
    step(title, async (now) => {
      const built = await buildGo(name, now);
      if (as) expose(built.path, as);
      return word(built);
    });
  await build(`Kubernetes ${versions.kubernetes} with kubectl`, "kubernetes", "kubectl");
  await build(`k3d ${versions.k3d}`, "k3d", "k3d");
  await build(`helm ${versions.helm}`, "helm", "helm");
  await build(`CoreDNS ${versions.coredns}`, "coredns");
  await build(`local-path-provisioner ${versions.localPath}`, "local-path");
  await build("registries.yaml for containerd", "registries");
  await build("stand-in for the workloads", "workload");
}

/** Waits for all before it fails, so that the first failure does not leave the other half running behind the message. */
async function inParallel(works) {
  const ended = await Promise.allSettled(works);
  const failed = ended.find((each) => each.status === "rejected");
  if (failed) throw failed.reason;
}
