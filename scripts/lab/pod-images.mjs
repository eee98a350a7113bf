// The images that pods use, saved into one archive that the node image carries: no install waits for an import.

import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { artefactPath, buildArtefact, keyOf } from "./cache.mjs";
import { docker, freshFolder, importFolder } from "./docker.mjs";
import { goKey, goPath } from "./go.mjs";
import { run } from "./processes.mjs";
import { rootfsKey, rootfsPath } from "./rootfs.mjs";
import { podImages } from "./versions.mjs";

/**
 * What each image is made of, and what a Dockerfile would say of it. All from one program share its layer.
 * The jobs manager's images name a user as the product's do: the chart says runAsNonRoot and leaves the uid to them.
 */
const recipes = {
  workload: { files: "workload", changes: ['ENTRYPOINT ["/usr/bin/workload"]'] },
  jobsManager: { files: "workload", changes: ['ENTRYPOINT ["/usr/bin/workload","jobs-manager"]', "USER 1001"] },
  podsMonitor: { files: "workload", changes: ['ENTRYPOINT ["/usr/bin/workload","pods-monitor"]', "USER 1001"] },
  mysql: { files: "workload", changes: ['ENTRYPOINT ["/usr/bin/workload","mysql"]'] },
  busybox: { files: "busybox", changes: ['CMD ["sh"]'] },
  pause: { files: "busybox", changes: ['ENTRYPOINT ["/bin/busybox","sleep","2147483647"]'] },
};

export function podImagesKey() {
  const recipe = ["pod-images.mjs", "versions.mjs"].map((file) =>
    readFileSync(join(import.meta.dirname, file), "utf8"),
  );
  return keyOf(...recipe, goKey("workload"), rootfsKey());
}

export function podImagesPath() {
  return artefactPath("pod-images", podImagesKey());
}

export function buildPodImages(now) {
  return buildArtefact("pod-images", podImagesKey(), async (archive) => {
    const folders = { workload: workloadFolder(), busybox: await busyboxFolder() };
    for (const [name, { files, changes }] of Object.entries(recipes)) {
      now(podImages[name]);
      await importFolder(folders[files], podImages[name], changes);
    }
    await docker(["save", "--output", archive, ...Object.keys(recipes).map((name) => podImages[name])]);
  });
}

function workloadFolder() {
  const folder = freshFolder("workload");
  const bin = join(folder, "usr", "bin");
  mkdirSync(bin, { recursive: true });
  copyFileSync(goPath("workload"), join(bin, "workload"));
  // The chart starts or probes the product's images under these names.
  for (const name of ["python", "mysqladmin"]) symlinkSync("workload", join(bin, name));
  for (const directory of ["tmp", "app", "var/lib/mysql"]) mkdirSync(join(folder, directory), { recursive: true });
  return folder;
}

/** Debian's static busybox with all its applets, for init containers and for k3d's helper. */
export async function busyboxFolder() {
  const folder = freshFolder("busybox");
  const busybox = join(rootfsPath(), "bin", "busybox");
  for (const directory of ["bin", "etc", "tmp"]) mkdirSync(join(folder, directory));
  copyFileSync(busybox, join(folder, "bin", "busybox"));
  const applets = (await run(busybox, ["--list"])).split("\n");
  for (const applet of applets.filter((name) => name !== "" && name !== "busybox")) {
    symlinkSync("busybox", join(folder, "bin", applet));
  }
  writeFileSync(join(folder, "etc", "passwd"), "root:x:0:0:root:/:/bin/sh\n");
  return folder;
}
