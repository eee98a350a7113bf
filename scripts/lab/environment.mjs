// What a program needs in its environment to run the product in the lab.

import { delimiter } from "node:path";

import { backendUrl } from "./backend.mjs";
import { inCache, readJson } from "./cache.mjs";
import { engineEnvironment, recordedEngine } from "./engine.mjs";
import { LabError } from "./errors.mjs";

/** Where `up` notes the names of the images it made. */
export const imagesFile = () => inCache("images.json");

/**
 * The environment for the product, to be laid over the caller's own. All but PATH and DOCKER_HOST are ordinary configuration
 * keys of the product. DOCKER_HOST is there only when the lab runs an engine of its own.
 *
 * `backend` is the URL of a stand-in backend that the caller started; the default is that of `node scripts/lab/backend.mjs`.
 * Throws a LabError before the first `up`.
 */
export function environment({ backend = backendUrl() } = {}) {
  const images = readJson(imagesFile());
  if (!images || !recordedEngine()) throw new LabError("the lab is not up", { next: "node scripts/lab/lab.mjs up" });
  return {
    ...engineEnvironment(),
    PATH: [inCache("bin"), process.env.PATH].join(delimiter),
    TRACEBLOC_K3S_IMAGE: images.node,
    TRACEBLOC_K3D_TOOLS_IMAGE: images.tools,
    TRACEBLOC_BACKEND_URL: backend,
    TRACEBLOC_IMAGE_PULL_POLICY: "IfNotPresent",
  };
}
