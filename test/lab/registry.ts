import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { execa } from "execa";

import { installMissing } from "../../scripts/lab/debian.mjs";
import { docker, freePort } from "./lab.ts";

/** Debian's docker-registry. `log` is what it said so far, its accesses among it. */
export type Registry = { host: string; log: () => string; stop: () => Promise<void> };

type Door = {
  /** What it keeps; several doors may open to one store. */
  store: string;
  /** Where its configuration and log go. */
  folder: string;
  user?: { name: string; password: string };
  tls?: { certificate: string; key: string };
};

/** An address of this machine that a node reaches as well. */
export function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flat();
  const found = all.find((one) => one !== undefined && one.family === "IPv4" && !one.internal);
  if (found === undefined) throw new Error("this machine has no address of its own");
  return found.address;
}

/** Starts one at `address` and resolves when it answers. */
export async function startRegistry(address: string, { store, folder, user, tls }: Door): Promise<Registry> {
  await installMissing({ "docker-registry": "docker-registry", htpasswd: "apache2-utils" }, () => {});
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const htpasswd = join(folder, "htpasswd");
  if (user !== undefined) {
    const { stdout } = await execa("htpasswd", ["-niB", user.name], { input: user.password });
    writeFileSync(htpasswd, stdout, { mode: 0o600 });
  }
  const config = {
    version: "0.1",
    storage: { filesystem: { rootdirectory: store } },
    http: { addr: `${address}:${port}`, ...(tls && { tls }) },
    ...(user && { auth: { htpasswd: { realm: "lab", path: htpasswd } } }),
  };
  writeFileSync(join(folder, "config.yml"), JSON.stringify(config));
  const log = join(folder, "log");
  const out = createWriteStream(log);
  const child = spawn("docker-registry", ["serve", join(folder, "config.yml")], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.pipe(out, { end: false });
  child.stderr.pipe(out, { end: false });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const deadline = Date.now() + 20_000;
  while (!(await answers(address, port))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`no registry: ${readFileSync(log, "utf8")}`);
    await pause(50);
  }
  return {
    host: `${address}:${port}`,
    log: () => readFileSync(log, "utf8"),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      out.end();
    },
  };
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => resolve(true)).on("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

/** A CA of the lab's, and a certificate of it for an address. Paths of PEM files in `folder`. */
export async function makeCertificates(folder: string, address: string) {
  mkdirSync(folder, { recursive: true });
  const at = (name: string) => join(folder, name);
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const openssl = (...args: string[]) => execa("openssl", args);
  await openssl("req", "-x509", ...key, "-subj", "/CN=lab CA", "-keyout", at("ca.key"), "-out", at("ca.pem"));
  const issued = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-addext", `subjectAltName=IP:${address}`];
  const leaf = ["-addext", "basicConstraints=critical,CA:FALSE", "-subj", "/CN=registry"];
  await openssl("req", "-x509", ...key, ...issued, ...leaf, "-keyout", at("tls.key"), "-out", at("tls.pem"));
  return { ca: at("ca.pem"), tls: { certificate: at("tls.pem"), key: at("tls.key") } };
}

/** Lays images of the lab's engine into a registry on loopback, which the engine trusts without TLS, below a path. */
export async function pushImages(registry: Registry, path: string, images: readonly string[]): Promise<void> {
  for (const image of images) {
    const target = `${registry.host}/${path}${image.replace(/^docker\.io\//, "")}`;
    await docker("tag", image, target);
    await docker("push", "--quiet", target);
    await docker("image", "rm", target);
  }
}
