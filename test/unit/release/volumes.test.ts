import { describe, expect, test } from "vitest";

import type { ApiAnswer } from "../../../src/cluster/api.ts";
import { Failure } from "../../../src/engine/finding.ts";
import { freeVolumes } from "../../../src/release/volumes.ts";
import { machine } from "../engine/support.ts";

const answered = (status: number, json?: unknown): ApiAnswer => ({ outcome: "answered", status, text: "", json });

/** A volume as Kubernetes 1.35 leaves it when its claim is deleted. */
const left = {
  metadata: { name: "site-data-pv", resourceVersion: "4711" },
  spec: {
    claimRef: {
      kind: "PersistentVolumeClaim",
      name: "client-pvc",
      namespace: "site",
      uid: "an-old-uid",
      resourceVersion: "99",
    },
  },
  status: { phase: "Released" },
};

async function free(volume: unknown, patched: ApiAnswer = answered(200)) {
  const patches: { path: string; body: unknown }[] = [];
  const api = {
    get: async (path: string) => (path.endsWith("/site-data-pv") ? answered(200, volume) : answered(404)),
    patch: async (path: string, body: unknown) => {
      patches.push({ path, body });
      return patched;
    },
  };
  const freed = await freeVolumes("site", "site", api, machine().on);
  return { freed, patches };
}

describe("a volume of the release", () => {
  test("that a deleted claim left is freed for the next one, unless it has changed meanwhile", async () => {
    expect(await free(left)).toEqual({
      freed: ["site-data-pv"],
      patches: [
        {
          path: "/api/v1/persistentvolumes/site-data-pv",
          body: { metadata: { resourceVersion: "4711" }, spec: { claimRef: { uid: null, resourceVersion: null } } },
        },
      ],
    });
  });

  test.each([
    ["is bound", { ...left, status: { phase: "Bound" } }],
    [
      "waits for its first claim",
      { ...left, spec: { claimRef: { name: "client-pvc", namespace: "site" } }, status: { phase: "Available" } },
    ],
    ["is another namespace's", { ...left, spec: { claimRef: { ...left.spec.claimRef, namespace: "other" } } }],
    ["is another claim's", { ...left, spec: { claimRef: { ...left.spec.claimRef, name: "mine" } } }],
  ])("that %s is left alone", async (_, volume) => {
    expect(await free(volume)).toEqual({ freed: [], patches: [] });
  });

  test("that may not be changed is named", async () => {
    const refused = free(left, { ...answered(409), text: "the object has been modified" } as ApiAnswer);
    await expect(refused).rejects.toThrow(Failure);
    await expect(refused).rejects.toMatchObject({ finding: { reason: "VOLUME_NOT_FREED" } });
  });
});
