// The programs built from the Go module proxy. Each has a module in go/ that pins it and all it depends on.

import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { artefactPath, buildArtefact, inCache, keyOf } from "./cache.mjs";
import { hasProgram } from "./debian.mjs";
import { LabError } from "./errors.mjs";
import { run } from "./processes.mjs";
import { versions } from "./versions.mjs";

/** Kubernetes takes 4 minutes on two idle cores, and many times that on busy ones. */
const BUILD_SECONDS = 3600;

const kubernetesFlags = [
  `k8s.io/component-base/version.gitVersion=${versions.kubernetes}`,
  "k8s.io/component-base/version.gitMajor=1",
  `k8s.io/component-base/version.gitMinor=${versions.kubernetes.split(".")[1]}`,
  `k8s.io/client-go/pkg/version.gitVersion=${versions.kubernetes}`,
];

// `stamp`: what each project's own build sets by ldflags. Unstamped, helm calls itself "v4.2", which is no version.
const programs = {
  "capped-runc": {},
  registries: {},
  workload: {},
  kubernetes: { stamp: kubernetesFlags },
  coredns: {},
  "local-path": { package: "github.com/rancher/local-path-provisioner" },
  k3d: { package: "github.com/k3d-io/k3d/v5", stamp: [`github.com/k3d-io/k3d/v5/version.Version=${versions.k3d}`] },
  helm: { package: "helm.sh/helm/v4/cmd/helm", stamp: [`helm.sh/helm/v4/internal/version.version=${versions.helm}`] },
};

/** Throws a LabError where one of the programs has to be built and there is nothing to build it with. */
export function demandGo(names) {
  if (names.every((name) => existsSync(goPath(name))) || hasProgram("go")) return;
  throw new LabError("Go is missing", { next: "install Go 1.26 or later and put it on PATH" });
}

/** Builds a program, static, unless it is there. Returns `{ path, cached }`. `signal` ends the build. */
export function buildGo(name, now, { signal } = {}) {
  const { folder, target, ldflags } = recipe(name);
  return buildArtefact(name, goKey(name), async (output) => {
    demandGo([name]);
    now("downloading and compiling");
    await run("go", ["build", "-v", "-trimpath", "-ldflags", ldflags, "-o", output, target], {
      cwd: folder,
      env: { CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=readonly -buildvcs=false" },
      log: inCache("logs", `${name}.log`),
      onLine: now,
      signal,
      seconds: BUILD_SECONDS,
      next: "if the Go module proxy did not answer (go env GOPROXY), run the same command again",
    });
  });
}

export function goKey(name) {
  const { folder, target, ldflags } = recipe(name);
  return keyOf({ folder }, target, ldflags);
}

/** Where a program lies once it is built. */
export function goPath(name) {
  return artefactPath(name, goKey(name));
}

function recipe(name) {
  const { package: target = ".", stamp = [] } = programs[name];
  return {
    folder: join(import.meta.dirname, "go", name),
    target,
    ldflags: ["-s -w", ...stamp.map((each) => `-X ${each}`)].join(" "),
  };
}

/** Puts a built program into the lab's bin under a name that people use; returns that path, which outlives a rebuild. */
export function expose(path, name) {
  mkdirSync(inCache("bin"), { recursive: true });
  const link = inCache("bin", name);
  rmSync(`${link}.new`, { force: true });
  symlinkSync(path, `${link}.new`);
  renameSync(`${link}.new`, link);
  return link;
}
