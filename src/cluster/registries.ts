import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

import { mirrorOf } from "../config/image-reference.ts";
import type { Wishes } from "../config/wishes.ts";
import { Failure } from "../engine/finding.ts";
import { within, type Machine } from "../engine/machine.ts";
import { writeAtomically } from "../files/atomic.ts";
import { observeSetting } from "../host/docker.ts";
import { succeeded } from "../process/runner.ts";
import { complaintOfPull } from "./complaints.ts";
import { dockerChange, dockerRead } from "./docker.ts";
import type { ClusterShape } from "./k3d.ts";
import { finding } from "./refusals.ts";

/** User and password of the mirror, or of Docker Hub. */
export type RegistryLogin = { username: string; password: string };

/** The login that is wished for; undefined where images are pulled without one. */
export function loginOf({ registryUsername, registryPassword }: Wishes): RegistryLogin | undefined {
  const [username, password] = [registryUsername.value, registryPassword.value];
  return username === undefined || password === undefined ? undefined : { username, password };
}

/** Where the node has the certificates: below the folder that Go reads whole, so that every registry's may be one of them. */
const caInNode = "/etc/ssl/certs/tracebloc-ca.crt";

/** Where k3s looks for it, and k3d writes it. */
export const registriesInNode = "/etc/rancher/k3s/registries.yaml";

/** Docker Hub, as containerd asks it. */
const dockerHub = "registry-1.docker.io";

/**
 * k3s's registries.yaml (JSON, which is YAML too). What k3s starts by itself is named after docker.io and comes from the
 * mirror as well; only k3s can move such a name to a path of the mirror. Undefined where there is nothing to say. Pure.
 */
export function registriesFile(
  { mirror, caBundle }: Pick<ClusterShape, "mirror" | "caBundle">,
  login: RegistryLogin | undefined,
): object | undefined {
  if (mirror === undefined && caBundle === undefined && login === undefined) return undefined;
  const tls = caBundle === undefined ? {} : { tls: { ca_file: caInNode } };
  const auth = login === undefined ? {} : { auth: login };
  if (mirror === undefined) {
    const others = caBundle === undefined ? {} : { "docker.io": tls, "auth.docker.io": tls, "ghcr.io": tls };
    return { configs: { ...others, [dockerHub]: { ...tls, ...auth } } };
  }
  const [host = "", ...path] = (mirrorOf(mirror) ?? mirror).split("/");
  const isPlain = mirror.startsWith("http://");
  const endpoint = [`${isPlain ? "http" : "https"}://${host}`];
  const rewrite = path.length === 0 ? {} : { rewrite: { "^(.*)$": `${path.join("/")}/$1` } };
  return {
    mirrors: { "docker.io": { endpoint, ...rewrite }, ...(isPlain && { [host]: { endpoint } }) },
    configs: { [host]: { ...(isPlain ? {} : tls), ...auth } },
  };
}

/**
 * Writes what k3d takes to the node, 0600, and gives its flags; `clear` takes the files away again. k3d puts variables
 * into `--config`, so that no password goes there, and none into `--registry-config`.
 */
export function layRegistries(
  shape: ClusterShape,
  login: RegistryLogin | undefined,
  on: Machine,
): { args: readonly string[]; clear: () => void } {
  const content = registriesFile(shape, login);
  if (content === undefined) return { args: [], clear: () => {} };
  const registries = on.state.registries(shape.cluster);
  writeAtomically(registries, JSON.stringify(content), 0o600);
  const args = ["--registry-config", registries];
  const files = `${registries}.k3d.yaml`;
  if (shape.caBundle !== undefined) {
    // Copied, not mounted: a file that is moved later would keep the node from starting.
    // A line break at its end even where it is one line: k3d takes what has none for the name of a file.
    const source = `${readFileSync(shape.caBundle.path, "utf8").trim()}\n`;
    const copied = [{ source, destination: caInNode, nodeFilters: ["all"] }];
    writeAtomically(files, JSON.stringify({ apiVersion: "k3d.io/v1alpha5", kind: "Simple", files: copied }), 0o600);
    args.push("--config", files);
  }
  return {
    args,
    clear: () => {
      for (const path of [registries, files]) rmSync(path, { force: true });
    },
  };
}

/** Images of some hundred megabytes over a slow line. */
const pullLimitMs = 15 * 60_000;

/**
 * Lets the engine pull with the login what k3d would pull without one. The login is in a configuration of docker's that
 * is there for this call alone, so that the person's own stays as it is. Throws `Failure` where it cannot be pulled.
 */
export async function pullWith(login: RegistryLogin, shape: ClusterShape, on: Machine): Promise<void> {
  const host = shape.mirror === undefined ? undefined : mirrorOf(shape.mirror)?.split("/")[0];
  const folder = join(dirname(on.state.registries(shape.cluster)), "docker");
  for (const image of [shape.image, shape.toolsImage]) {
    if (host !== undefined && !image.startsWith(`${host}/`)) continue;
    const there = await on.runner.run(
      dockerRead("docker image inspect", "image", "inspect", "--format", "{{.Id}}", image),
    );
    if (succeeded(there)) continue;
    const { endpoint } = await observeSetting(on);
    const auth = Buffer.from(`${login.username}:${login.password}`).toString("base64");
    try {
      const auths = { [host ?? "https://index.docker.io/v1/"]: { auth } };
      writeAtomically(join(folder, "config.json"), JSON.stringify({ auths }), 0o600);
      on.emit({ type: "note", room: "cluster", says: `pulling ${image}` });
      const env = {
        DOCKER_CONFIG: folder,
        DOCKER_CONTEXT: undefined,
        ...(endpoint !== undefined && { DOCKER_HOST: endpoint }),
      };
      const pull = {
        ...dockerChange("docker pull", within(on, pullLimitMs), "pull", "--quiet", image),
        env,
        signal: on.stop,
      };
      const result = await on.runner.run(pull);
      if (succeeded(result)) continue;
      const { reason, says, remedies } = complaintOfPull(image, result.stderr, on.platform);
      throw new Failure(finding(reason, says, remedies, [result.stderr.trim()]));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
