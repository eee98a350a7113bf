import { parseReference, rehome } from "../config/image-reference.ts";
import type { Found, StartedLater } from "./rendered.ts";

/** Where images come from, in the order in which they are listed. */
export const groups = ["rendered", "ingestor", "training", "cluster"] as const;
export type Group = (typeof groups)[number];

const architectures = ["cpu", "gpu"] as const;

/** One image of the list, once: in the first group that has it. */
export type Listed = {
  group: Group;
  /** As it will be pulled; with a mirror, where it is copied from. */
  image: string;
  /** With a mirror: where it has to be. */
  target?: string;
  /** What needs it. */
  by: readonly string[];
};

export type ImageList = {
  /** Tag of the training images. */
  clientEnv: string;
  mirror?: string;
  counts: Readonly<Record<Group | "total", number>>;
  list: readonly Listed[];
};

/** All that a list is made from. */
export type Material = {
  rendered: readonly Found[];
  /** Of the chart that submits a dataset. */
  submission: readonly Found[];
  later: StartedLater;
  categories: readonly string[];
  cluster: readonly Found[];
  only: readonly Group[];
  mirror: string | undefined;
};

/** The one repository of the ingestor that a mirror replaces: one that values name is taken from where they say. */
const ownIngestor = /^ghcr\.io\/tracebloc\/ingestor$/;

/** The images of the groups asked for, each once, with counts. Pure. */
export function listImages(material: Material): ImageList {
  const { later, mirror, only } = material;
  const found: Readonly<Record<Group, readonly Found[]>> = {
    rendered: material.rendered,
    ingestor: [{ image: later.ingestor.image, by: "ingestion" }, ...material.submission],
    training: trainingImages(later, material.categories),
    cluster: material.cluster,
  };
  const listed = new Map<string, { group: Group; by: Set<string> }>();
  for (const group of groups.filter((one) => only.includes(one))) {
    for (const { image, by } of found[group]) {
      const before = listed.get(image) ?? { group, by: new Set<string>() };
      listed.set(image, { ...before, by: before.by.add(by) });
    }
  }
  const stays = (image: string) => image === later.ingestor.image && !ownIngestor.test(later.ingestor.repository);
  const list = [...listed].map(([image, { group, by }]): Listed => {
    const target = mirror === undefined ? {} : { target: stays(image) ? image : rehome(image, mirror) };
    return { group, image, ...target, by: [...by] };
  });
  const count = (group: Group) => list.filter((one) => one.group === group).length;
  return {
    clientEnv: later.clientEnv,
    ...(mirror !== undefined && { mirror }),
    counts: {
      rendered: count("rendered"),
      ingestor: count("ingestor"),
      training: count("training"),
      cluster: count("cluster"),
      total: list.length,
    },
    list,
  };
}

/** What the jobs manager starts to train: one image for each category and architecture. */
function trainingImages({ host, clientEnv }: StartedLater, categories: readonly string[]): Found[] {
  return categories.flatMap((category) =>
    architectures.map((architecture) => ({
      image: `${host}tracebloc/client-${category}-${architecture}:${clientEnv}`,
      by: `${category} on ${architecture}`,
    })),
  );
}

/** The first image that no engine would take for one, or undefined. */
export function oddImage(found: readonly Found[]): Found | undefined {
  return found.find(({ image }) => parseReference(image) === undefined);
}
