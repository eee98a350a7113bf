// The images: those that pods use, saved into one archive that the node carries; the node itself; k3d's helper.

import { constants, copyFileSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { artefactPath, buildArtefact, inCache, keyOf } from "./cache.mjs";
import { engineEnvironment } from "./engine.mjs";
import { goKey } from "./go.mjs";
import { run, succeeds } from "./processes.mjs";
import { rootfsKey, rootfsPath } from "./rootfs.mjs";
import { label, nodeImage, podImages, toolsImage, versions } from "./versions.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const sources = join(here, "node");
const components = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubelet", "kubeadm", "kubectl"];
const nodePrograms = ["kubernetes", "coredns", "local-path", "registries"];

const program = (name) => artefactPath(name, goKey(name));
const busybox = () => join(rootfsPath(), "bin", "busybox");
const log = () => inCache("logs", "images.log");
const docker = (args) => run("docker", args, { env: engineEnvironment(), log: log() });

/** Images that pods use, as `docker import` takes them: file system, and what to change. */
const pods = {
  workload: ["workload", 'ENTRYPOINT ["/usr/bin/workload"]'],
  jobsManager: ["workload", 'ENTRYPOINT ["/usr/bin/workload","jobs-manager"]'],
  podsMonitor: ["workload", 'ENTRYPOINT ["/usr/bin/workload","pods-monitor"]'],
  mysql: ["workload", 'ENTRYPOINT ["/usr/bin/workload","mysql"]'],
  busybox: ["busybox", 'CMD ["sh"]'],
  pause: ["busybox", 'ENTRYPOINT ["/bin/busybox","sleep","2147483647"]'],
};

const podsKey = () => keyOf(goKey("workload"), rootfsKey(), JSON.stringify([pods, podImages, label]));

/** Makes the images that pods use and saves them as one archive. */
export function buildPodImages(now) {
  return buildArtefact("pod-images", podsKey(), async (archive) => {
    const folder = { workload: workloadFolder(), busybox: busyboxFolder() };
    for (const [name, [base, change]] of Object.entries(pods)) {
      now(podImages[name]);
      await importFolder(folder[base], podImages[name], [change]);
    }
    await docker(["save", "--output", archive, ...Object.keys(pods).map((name) => podImages[name])]);
  });
}

export function nodeImageName() {
  const programs = nodePrograms.map(goKey).join(" ");
  return nodeImage(keyOf({ folder: sources }, programs, rootfsKey(), podsKey(), JSON.stringify([nodeChanges, label])));
}

// Like k3s's own image: k3s is the entry point, `kubectl` and `ctr` work without options, and what must outlive a restart or may
// not lie on an overlay is a volume.
const nodeChanges = [
  'ENTRYPOINT ["/bin/k3s"]',
  'CMD ["server"]',
  "ENV KUBECONFIG=/etc/rancher/k3s/k3s.yaml",
  "ENV CONTAINERD_NAMESPACE=k8s.io",
  'VOLUME ["/var/lib/rancher/k3s","/var/lib/kubelet","/var/lib/cni","/var/log"]',
];

/** Makes the node image unless the engine has it. Returns how it went. */
export async function ensureNodeImage(now) {
  return ensure(nodeImageName(), now, nodeTree, nodeChanges);
}

export function toolsImageName() {
  return toolsImage(keyOf({ folder: sources }, rootfsKey(), label));
}

/** Makes the image of k3d's helper container unless the engine has it. */
export async function ensureToolsImage(now) {
  const tree = () => {
    const folder = busyboxFolder();
    copyFileSync(join(sources, "k3d-tools"), join(folder, "bin", "k3d-tools"));
    return folder;
  };
  return ensure(toolsImageName(), now, tree, ['ENTRYPOINT ["/bin/k3d-tools"]']);
}

async function ensure(name, now, tree, changes) {
  if (await succeeds("docker", ["image", "inspect", name], { env: engineEnvironment() })) return "cached";
  now(`importing ${name}`);
  await importFolder(await tree(), name, changes);
  await removeSuperseded(name);
  return "built";
}

async function importFolder(folder, name, changes) {
  const archive = `${folder}.tar`;
  await run("tar", ["--create", "--file", archive, "--directory", folder, "."], { log: log() });
  const options = [...changes, `LABEL ${label}=1`].flatMap((change) => ["--change", change]);
  await docker(["import", ...options, archive, name]);
  rmSync(archive);
}

/** Removes earlier images of the same repository; the engine keeps those that a container uses. */
async function removeSuperseded(name) {
  const repository = name.slice(0, name.lastIndexOf(":")).replace("docker.io/", "");
  const tags = await docker(["image", "ls", "--filter", `label=${label}`, "--format", "{{.Repository}}:{{.Tag}}", repository]);
  for (const tag of tags.split("\n").filter((each) => each && !name.endsWith(each))) {
    await succeeds("docker", ["image", "rm", tag], { env: engineEnvironment(), log: log() });
  }
}

const stage = () => inCache("stage");

/** Removes the folders that the images were made from. */
export function clearStage() {
  rmSync(stage(), { recursive: true, force: true });
}

function freshFolder(name) {
  const folder = join(stage(), name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

function workloadFolder() {
  const folder = freshFolder("workload");
  const bin = join(folder, "usr", "bin");
  mkdirSync(bin, { recursive: true });
  copyFileSync(program("workload"), join(bin, "workload"));
  // The chart starts or probes the product's images under these names.
  for (const name of ["python", "mysqladmin"]) symlinkSync("workload", join(bin, name));
  for (const directory of ["tmp", "app", "var/lib/mysql"]) mkdirSync(join(folder, directory), { recursive: true });
  return folder;
}

function busyboxFolder() {
  const folder = freshFolder("busybox");
  for (const directory of ["bin", "etc", "tmp"]) mkdirSync(join(folder, directory));
  copyFileSync(busybox(), join(folder, "bin", "busybox"));
  for (const applet of "cat chmod chown cp date echo env grep id kill ln ls mkdir mv nslookup ps rm sed sh sleep stat test timeout touch tr true wc wget".split(" ")) {
    symlinkSync("busybox", join(folder, "bin", applet));
  }
  writeFileSync(join(folder, "etc", "passwd"), "root:x:0:0:root:/:/bin/sh\n");
  return folder;
}

/** Debian, and on top of it: k3s's stand-in, the programs from Go, the archive of the pods' images. */
async function nodeTree() {
  const folder = freshFolder("node");
  // Linked, not copied: what is added below has new names, so that the artefact keeps its content.
  await run("cp", ["--archive", "--link", `${rootfsPath()}/.`, folder], { log: log() });
  const add = (from, ...to) => copyFileSync(from, join(folder, ...to), constants.COPYFILE_EXCL);
  add(join(sources, "k3s"), "usr", "bin", "k3s");
  cpSync(join(sources, "lib"), join(folder, "usr", "lib", "lab"), { recursive: true });
  writeFileSync(
    join(folder, "usr", "lib", "lab", "versions.sh"),
    `kubernetes_version=${versions.kubernetes}\npause_image=${podImages.pause}\nbusybox_image=${podImages.busybox}\n`,
  );
  for (const name of nodePrograms) add(program(name), "usr", "bin", name);
  for (const name of components) symlinkSync("kubernetes", join(folder, "usr", "bin", name));
  mkdirSync(join(folder, "images"));
  add(artefactPath("pod-images", podsKey()), "images", "lab.tar");
  return folder;
}
