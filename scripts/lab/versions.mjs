// What the lab builds, and what it calls it. The names begin with tracebloc-lab so that nobody takes them for the product's images.

export const versions = {
  kubernetes: "v1.35.4",
  k3d: "v5.9.0",
  helm: "v4.2.3",
  coredns: "v1.12.4",
  localPath: "v0.0.30",
  debian: "bookworm",
};

/** Set on every image of the lab; containers inherit it, which is how `down` knows its own. */
export const label = "tracebloc.lab";

const image = (name, tag = "1") => `docker.io/tracebloc-lab/${name}:${tag}`;

/** Images that pods use. All but pause and busybox are one program, told apart by the role they start in. */
export const podImages = {
  pause: image("pause"),
  busybox: image("busybox"),
  workload: image("workload"),
  jobsManager: image("jobs-manager"),
  podsMonitor: image("pods-monitor"),
  mysql: image("mysql-client"),
};

/** Images that k3d uses. Their tag carries the key of all they were made from. */
export const nodeImage = (key) => image("k3s", `${versions.kubernetes}-${key}`);
export const toolsImage = (key) => image("k3d-tools", key);
