import { engineFinding, remoteEngine } from "../explain.ts";
import { fine, refusal, type Check } from "./check.ts";

/** Is there a container engine on this machine that k3d can use? */
export const engineCheck: Check = {
  about: "Engine",
  check({ facts: { engine, standpoint } }) {
    const remote = remoteEngine(standpoint);
    if (remote !== undefined) return { is: "refusal", says: remote.says, finding: remote };
    if (engine.state === "unknown") {
      const remedies = [{ says: "see what it says", command: "docker info" }];
      return refusal("ENGINE_UNKNOWN", `the container engine's state could not be told: ${engine.why}`, remedies);
    }
    if (engine.value.is === "troubled") {
      const finding = engineFinding(engine.value.trouble, standpoint);
      return { is: "refusal", says: finding.says, finding };
    }
    const { version, rootless, system } = engine.value.engine;
    const where = system?.includes("Docker Desktop") === true ? "Docker Desktop" : rootless ? "rootless" : "rootful";
    return fine(`Docker ${version.replace(/\+.*$/, "")} (${where})`);
  },
};
