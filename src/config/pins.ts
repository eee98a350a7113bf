/** A tool to be fetched: exactly this file, or none. */
export type Pin = {
  tool: Tool;
  os: "linux" | "darwin" | "windows";
  arch: "amd64" | "arm64";
  url: string;
  sha256: string;
};

export type Tool = "k3d" | "helm" | "kubectl";

/** The versions that this program is made for. Others on PATH may do; what is fetched is these. */
export const toolVersions: Readonly<Record<Tool, string>> = { k3d: "v5.9.0", helm: "v4.2.3", kubectl: "v1.35.5" };

/** By digest of the multi-architecture index, so that a registry cannot hand out another node under the same tag. */
export const k3sImage =
  "docker.io/rancher/k3s:v1.35.5-k3s1@sha256:2074403abe1bded11ef3dde09d457e13be8e0b64c218b1c4f8269b4565cfbc65";

/** By tag alone: published digests of this image contradict each other, and a wrong pin is worse than none. */
export const k3dToolsImage = "ghcr.io/k3d-io/k3d-tools:5.9.0";

/** System, processor, the end of the address, SHA-256. Every digest stands in at least two sources that agree. */
type Row = readonly [os: Pin["os"], arch: Pin["arch"], file: string, sha256: string];

// None for Windows on ARM: not released.
const k3d: readonly Row[] = [
  ["linux", "amd64", "linux-amd64", "06d8f25bc3a971c4eb29e0ff08429b180402db0f4dec838c9eac427e296800a0"],
  ["linux", "arm64", "linux-arm64", "03cde5cf23e6e8e67de5a039ecf26e5b85aca82fba3e5d13dadf904cd218a250"],
  ["darwin", "amd64", "darwin-amd64", "b4aabc37534f95b9c764e7823f2df923f50d57600837aa60a06266cce47db732"],
  ["darwin", "arm64", "darwin-arm64", "fe106541d5d0a3f18debcd4d432a16f8c0ce3e6ddc06f8fbb6f696a122313e00"],
  ["windows", "amd64", "windows-amd64.exe", "49d0b9c796f5b8ba6f58a1dd5469e8b7b34bf9b6ce9078633eedb2789680a034"],
];

const helm: readonly Row[] = [
  ["linux", "amd64", "linux-amd64.tar.gz", "e9b88b4ee95b18c706839c28d3a0220e5bc470e9cd9262410c90793c45ff8b7c"],
  ["linux", "arm64", "linux-arm64.tar.gz", "21abd9354d39b2cd79a8d76be6912cd137a983cbf997193503fb8a6a6e2f2785"],
  ["darwin", "amd64", "darwin-amd64.tar.gz", "ff3ac86755a45f3422473bc1200776aac0fe04c5766abe6ca66699f7b564b23b"],
  ["darwin", "arm64", "darwin-arm64.tar.gz", "048ecf5ad3160f83d918f9fe945238d2132b079640f7b106175331c25f242c64"],
  ["windows", "amd64", "windows-amd64.zip", "5ca7de684c92d48b93d5c34a029fdda57b38e1eac04bc8541bdf1eb249388679"],
  ["windows", "arm64", "windows-arm64.zip", "5f444ed097688ed3abaf1d8801e21110d9bddeb6ed13939afcac302888527ab5"],
];

// None for macOS (a single source for each digest) and for Windows (no source at all). A cluster of ours needs no kubectl.
const kubectl: readonly Row[] = [
  ["linux", "amd64", "linux/amd64/kubectl", "90f75ea6ecc9ea5633262e1c0b83a40560003b30fc94a04cb099404fcef0c224"],
  ["linux", "arm64", "linux/arm64/kubectl", "ac69e06fd6860d69786692f5af1c3a1208ed54f8366a4d97ab15c172e99765ee"],
];

/** All that may be fetched. */
export const pins: readonly Pin[] = [
  ...pinned("k3d", k3d, `https://github.com/k3d-io/k3d/releases/download/${toolVersions.k3d}/k3d-`),
  ...pinned("helm", helm, `https://get.helm.sh/helm-${toolVersions.helm}-`),
  ...pinned("kubectl", kubectl, `https://dl.k8s.io/release/${toolVersions.kubectl}/bin/`),
];

function pinned(tool: Tool, rows: readonly Row[], base: string): Pin[] {
  return rows.map(([os, arch, file, sha256]) => ({ tool, os, arch, url: `${base}${file}`, sha256 }));
}

/** What to fetch for a platform, or undefined where nothing is pinned for it. Windows on ARM runs what is built for x64. */
export function pinFor(tool: Tool, os: Pin["os"], arch: Pin["arch"] | undefined): Pin | undefined {
  const find = (wanted: Pin["arch"] | undefined) =>
    pins.find((pin) => pin.tool === tool && pin.os === os && pin.arch === wanted);
  return find(arch) ?? (os === "windows" && arch === "arm64" ? find("amd64") : undefined);
}
