import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { imagesOf, startedLater } from "../../../src/images/rendered.ts";
import { digest, images } from "./arbitraries.ts";

/** A pod with images in every place where a pod can name one. */
const pods = fc
  .record({
    containers: fc.array(images, { minLength: 1, maxLength: 3 }),
    initContainers: fc.array(images, { maxLength: 2 }),
    ephemeralContainers: fc.array(images, { maxLength: 1 }),
    volume: fc.option(images, { nil: undefined }),
    later: fc.option(images, { nil: undefined }),
  })
  .map(({ volume, later, ...lists }) => ({
    names: [...Object.values(lists).flat(), ...[volume, later].filter((one) => one !== undefined)],
    spec: {
      ...Object.fromEntries(
        Object.entries(lists).map(([key, list]) => [
          key,
          list.map((image, at) => ({
            name: `${key}-${at}`,
            image,
            env: later === undefined ? [{ name: "PULL", value: "no" }] : [{ name: "HELPER_IMAGE", value: later }],
          })),
        ]),
      ),
      volumes: volume === undefined ? [] : [{ name: "v", image: { reference: volume, pullPolicy: "Always" } }],
    },
  }));

const object = (kind: string, spec: object) => ({ apiVersion: "v1", kind, metadata: { name: "one" }, spec });

const workloads = fc
  .tuple(fc.constantFrom("Pod", "Deployment", "DaemonSet", "Job", "CronJob", "Odd"), pods)
  .map(([kind, { names, spec }]) => {
    const template = { metadata: { annotations: { image: "not/this:1" } }, spec };
    const at: Readonly<Record<string, object>> = {
      Pod: spec,
      CronJob: { jobTemplate: { spec: { template } } },
      Odd: { parts: [{ deeper: { template } }] },
    };
    return { names, object: object(kind, at[kind] ?? { template }) };
  });

describe("images of rendered objects", () => {
  test("are all found, and no others, wherever a pod names them and whatever holds the pod", () => {
    fc.assert(
      fc.property(fc.array(workloads, { maxLength: 4 }), fc.boolean(), (all, isList) => {
        const objects = all.map((one) => one.object);
        const given = isList ? [{ kind: "List", items: objects }] : objects;
        const found = new Set(imagesOf(given).map(({ image }) => image));
        expect(found).toEqual(new Set(all.flatMap(({ names }) => names)));
      }),
    );
  });

  test("are not what a ConfigMap or a Secret holds, nor null, nor a part of a schema", () => {
    const spec = { containers: [{ name: "a", image: null }], image: { pullPolicy: "Always" } };
    const texts = { data: { image: "not/this:1", nested: { image: "not/this:2" } } };
    expect(
      imagesOf([{ kind: "ConfigMap", ...texts }, { kind: "Secret", ...texts }, object("Pod", spec), null]),
    ).toEqual([]);
  });

  test("come with what names them", () => {
    const pod = (name: string) => ({
      kind: "Pod",
      metadata: { name },
      spec: { containers: [{ image: `x/${name}:1` }] },
    });
    expect(imagesOf([{ kind: "List", items: [pod("a")] }, pod("b")])).toEqual([
      { image: "x/a:1", by: "Pod a" },
      { image: "x/b:1", by: "Pod b" },
    ]);
  });
});

describe("what is started later", () => {
  const told = {
    JOB_IMAGE_HOST: "docker.io/",
    CLIENT_ENV: "stg",
    INGESTOR_IMAGE_REPOSITORY: "ghcr.io/tracebloc/ingestor",
    INGESTOR_IMAGE_TAG: "stg",
    INGESTOR_IMAGE_DIGEST: "",
  };
  const manager = (...containers: object[]) => [
    object("Deployment", {
      template: {
        spec: {
          containers: containers.map((variables) => ({
            env: Object.entries(variables).map(([name, value]: [string, unknown]) => ({ name, value })),
          })),
        },
      },
    }),
  ];

  test("is read from the container that starts it: by tag, or by digest where there is one", () => {
    expect(startedLater(manager({ OTHER: "x" }, told))).toEqual({
      host: "docker.io/",
      clientEnv: "stg",
      ingestor: { repository: "ghcr.io/tracebloc/ingestor", image: "ghcr.io/tracebloc/ingestor:stg" },
    });
    expect(startedLater(manager({ ...told, INGESTOR_IMAGE_DIGEST: digest }))).toMatchObject({
      ingestor: { image: `ghcr.io/tracebloc/ingestor@${digest}` },
    });
  });

  test.each(Object.keys(told))("is not known without %s", (name) => {
    const less = Object.fromEntries(Object.entries(told).filter(([key]) => key !== name));
    expect(startedLater(manager(less))).toHaveProperty("why");
  });

  test("is not known where two containers differ, or the tag is empty", () => {
    expect(startedLater(manager(told, { ...told, CLIENT_ENV: "dev" }))).toHaveProperty("why");
    expect(startedLater(manager({ ...told, CLIENT_ENV: "" }))).toHaveProperty("why");
  });
});
