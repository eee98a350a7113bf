// The images that k3d uses: the node, and k3d's helper. Their names carry the key of all that they were made from.

import { constants, copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { inCache, keyOf } from "./cache.mjs";
import { ensureImage, freshFolder } from "./docker.mjs";
import { goKey, goPath } from "./go.mjs";
import { busyboxFolder, podImagesKey, podImagesPath } from "./pod-images.mjs";
import { run } from "./processes.mjs";
import { rootfsKey, rootfsPath } from "./rootfs.mjs";
import { nodeImage, podImages, toolsImage, versions } from "./versions.mjs";

const sources = join(import.meta.dirname, "node");
const recipe = () => readFileSync(import.meta.filename, "utf8");
const programs = ["kubernetes", "coredns", "local-path", "registries"];
const components = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kube-proxy",
  "kubelet",
  "kubeadm",
  "kubectl",
];

// Like k3s's own image: k3s is the entry point, `kubectl` and `ctr` work without options. Volumes hold what must outlive a
// restart, and what may not lie on an overlay.
const nodeChanges = [
  'ENTRYPOINT ["/bin/k3s"]',
  'CMD ["server"]',
  "ENV KUBECONFIG=/etc/rancher/k3s/k3s.yaml",
  "ENV CONTAINERD_NAMESPACE=k8s.io",
  'VOLUME ["/var/lib/rancher/k3s","/var/lib/kubelet","/var/lib/cni","/var/log"]',
];

export function nodeImageName() {
  return nodeImage(keyOf(recipe(), { folder: sources }, ...programs.map(goKey), rootfsKey(), podImagesKey()));
}

export function toolsImageName() {
  return toolsImage(keyOf(readFileSync(join(sources, "k3d-tools"), "utf8"), rootfsKey()));
}

export function ensureNodeImage(now) {
  return ensureImage(nodeImageName(), now, nodeFolder, nodeChanges);
}

export function ensureToolsImage(now) {
  return ensureImage(toolsImageName(), now, toolsFolder, ['ENTRYPOINT ["/bin/k3d-tools"]']);
}

/** Debian, and on top of it: k3s's stand-in, the programs from Go, the archive of the pods' images. */
async function nodeFolder() {
  const folder = freshFolder("node");
  // Linked, not copied: all that is added below has new names, so the file system in the store keeps its content.
  await run("cp", ["--archive", "--link", `${rootfsPath()}/.`, folder], { log: inCache("logs", "images.log") });
  const bin = join(folder, "usr", "bin");
  const lib = join(folder, "usr", "lib", "lab");
  const add = (from, to) => copyFileSync(from, to, constants.COPYFILE_EXCL);

  add(join(sources, "k3s"), join(bin, "k3s"));
  cpSync(join(sources, "lib"), lib, { recursive: true });
  writeFileSync(
    join(lib, "versions.sh"),
    `kubernetes_version=${versions.kubernetes}\npause_image=${podImages.pause}\nbusybox_image=${podImages.busybox}\n`,
  );
  for (const name of programs) add(goPath(name), join(bin, name));
  for (const name of components) symlinkSync("kubernetes", join(bin, name));
  mkdirSync(join(folder, "images"));
  add(podImagesPath(), join(folder, "images", "lab.tar"));
  return folder;
}

async function toolsFolder() {
  const folder = await busyboxFolder();
  copyFileSync(join(sources, "k3d-tools"), join(folder, "bin", "k3d-tools"));
  return folder;
}
