import { isWithin } from "../../platform/places.ts";
import { fine, skipped, warning, type Check } from "./check.ts";
import { readyEngine } from "./ready.ts";

/**
 * Does the engine see the data directory at all? Docker from snap sees the home without its hidden folders, and makes
 * private folders of its own for anything else without a word (B23). What it really sees is proven in the node later.
 */
export const confinementCheck: Check = {
  about: "Confinement",
  check({ facts, wishes }) {
    const engine = readyEngine(facts);
    if (engine === undefined) return skipped("the engine did not answer");
    if (engine.rootDir?.startsWith("/var/snap/") !== true) return fine("the engine is not confined");
    const { platform, home } = facts.standpoint;
    const path = wishes.dataDir.value;
    const hidden =
      home === undefined || !isWithin(platform, path, home) || platform.path.relative(home, path).startsWith(".");
    if (!hidden) return fine("the engine is a snap, which sees this folder");
    return warning(
      "ENGINE_CONFINED",
      `Docker is the snap package, which sees only your home without hidden folders, and not ${path}`,
      [
        { says: "use a folder that it sees", command: 'tracebloc install --data-dir "$HOME/tracebloc"' },
        { says: "or install Docker Engine in its place: https://docs.docker.com/engine/install/" },
      ],
    );
  },
};
