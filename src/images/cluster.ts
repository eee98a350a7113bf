import { mirrorOf, rehome } from "../config/image-reference.ts";
import * as pins from "../config/pins.ts";
import { wasAsked, type Wishes } from "../config/wishes.ts";
import type { Found } from "./rendered.ts";

/**
 * What k3s starts by itself, from its list of images for this version; each version has another. Those of traefik and of
 * its load balancer are left out: `install` switches both off. `local-storage` is on where data lies in the node.
 */
const bundles: Readonly<Record<string, readonly (readonly [component: string, image: string])[]>> = {
  "v1.35.5-k3s1": [
    ["node", "docker.io/rancher/mirrored-pause:3.6"],
    ["coredns", "docker.io/rancher/mirrored-coredns-coredns:1.14.3"],
    ["metrics-server", "docker.io/rancher/mirrored-metrics-server:v0.8.1"],
    ["local-storage", "docker.io/rancher/local-path-provisioner:v0.0.36"],
    ["local-storage", "docker.io/rancher/mirrored-library-busybox:1.37.0"],
  ],
};

/** The version of k3s that an image is, by its tag; undefined where it has none of k3s's form. */
export function k3sVersionOf(image: string): string | undefined {
  return /:(v\d+\.\d+\.\d+-k3s\d+)(?:-|@|$)/.exec(image)?.[1];
}

type ClusterImageWishes = Pick<Wishes, "k3sImage" | "k3dToolsImage" | "storageMode" | "imageRegistry">;

/** The same wishes as if no mirror were set: what is to be copied is what is at its source. */
export function atSource(wishes: ClusterImageWishes): ClusterImageWishes {
  const { k3sImage, k3dToolsImage, imageRegistry } = wishes;
  return {
    ...wishes,
    k3sImage: wasAsked(k3sImage) ? k3sImage : { ...k3sImage, value: pins.k3sImage },
    k3dToolsImage: wasAsked(k3dToolsImage) ? k3dToolsImage : { ...k3dToolsImage, value: pins.k3dToolsImage },
    imageRegistry: { ...imageRegistry, value: undefined },
  };
}

/**
 * The images of a cluster that `install` makes: the node, what k3s starts in it, and k3d's helper. Components that are
 * switched off pull nothing. `why` where it is not known what this k3s brings. Pure.
 */
export function clusterImages({
  k3sImage,
  k3dToolsImage,
  storageMode,
  imageRegistry,
}: ClusterImageWishes): Found[] | { why: string; version: string | undefined } {
  const version = k3sVersionOf(k3sImage.value);
  const bundle = version === undefined ? undefined : bundles[version];
  if (bundle === undefined) return { why: `what ${k3sImage.value} starts by itself is not known`, version };
  const mirror = mirrorOf(imageRegistry.value ?? "");
  const isOn = (component: string) => component !== "local-storage" || storageMode.value === "node-local";
  return [
    { image: k3sImage.value, by: "node" },
    { image: k3dToolsImage.value, by: "k3d" },
    ...bundle
      .filter(([component]) => isOn(component))
      .map(([component, image]) => ({
        image: mirror === undefined ? image : rehome(image, mirror),
        by: `k3s ${component}`,
      })),
  ];
}
