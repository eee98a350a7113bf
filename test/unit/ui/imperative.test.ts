import { describe, expect, test } from "vitest";

import { clusterPerformers } from "../../../src/cluster/performers.ts";
import type { Performer } from "../../../src/engine/plan.ts";
import type { InstallAction } from "../../../src/install.ts";
import { releasePerformers } from "../../../src/release/actions.ts";
import type { ReleaseWishes } from "../../../src/release/wanted.ts";
import { removePerformer } from "../../../src/release/remove.ts";
import { storagePerformers } from "../../../src/storage/actions.ts";
import { deletePerformer } from "../../../src/storage/delete.ts";
import { toolPerformers } from "../../../src/tools/actions.ts";
import { imperative } from "../../../src/ui/imperative.ts";
import type { UninstallAction } from "../../../src/uninstall.ts";
import { defaults } from "../cluster/stand-in.ts";

type AnyAction = InstallAction | UninstallAction;

const never = (): never => {
  throw new Error("nothing is done here");
};

const asked: ReleaseWishes = {
  wishes: defaults,
  file: {},
  force: false,
  shape: { storageMode: "hostpath", datasetPath: undefined },
};

const performers: { readonly [Kind in AnyAction["do"]]: Performer<never> } = {
  ...toolPerformers,
  ...clusterPerformers(never),
  ...storagePerformers(),
  ...releasePerformers({ cluster: "lab", asked: () => asked, api: never, access: never }),
  "release.remove": removePerformer({ api: never, access: never }),
  "storage.delete": deletePerformer,
};

/** All fields that a sentence about an action may name. */
const sample = {
  because: "",
  cluster: "lab",
  release: "lab",
  namespace: "lab",
  backend: "https://api.example.com",
  isNew: true,
  tools: [{ tool: "k3d", version: "5.9.0" }],
  holders: ["/srv/tb"],
  directories: [{ volume: "data" }, { volume: "logs" }],
};

describe("a plan says in the imperative what a run says while it is at it", () => {
  test.each(Object.keys(performers) as AnyAction["do"][])("%s", (kind) => {
    const says = performers[kind].says({ ...sample, do: kind } as never);
    const [first = ""] = says.split(" ");
    expect(first).toMatch(/ing$/);
    expect(imperative(says)).not.toMatch(/^\w+ing /);
    expect(imperative(says).slice(imperative(says).indexOf(" "))).toBe(says.slice(first.length));
  });

  test("upgrading, too", () => {
    expect(imperative(performers["release.apply"].says({ ...sample, isNew: false } as never))).toBe("upgrade lab");
  });

  test("what begins with no such word stays as it is", () => {
    expect(imperative("look at the client")).toBe("look at the client");
  });
});
