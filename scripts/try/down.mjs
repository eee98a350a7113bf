// Takes away what `npm run try` made, and nothing else.

import { existsSync, rmSync } from "node:fs";

import { docker, dockerSucceeds } from "../lab/docker.mjs";
import { recordedEngine, stopEngine } from "../lab/engine.mjs";
import { withLock } from "../lab/lock.mjs";
import { stopBackend } from "./backend.mjs";
import { cacheDirectory } from "../lab/cache.mjs";
import { cluster, isWritten, place, show } from "./product.mjs";
import { say, shortened, Trouble, typed } from "./screen.mjs";

const lines = (text) => text.split("\n").filter(Boolean);

export async function down() {
  if (!existsSync(cacheDirectory())) return say("there is nothing to remove");
  const answers = recordedEngine() !== null && (await dockerSucceeds(["version"]));
  if (answers) await removeCluster();
  say((await stopBackend()) ? "stand-in backend: ended" : "stand-in backend: did not run");
  rmSync(place(), { recursive: true, force: true });
  say(`state and data: removed ${shortened(place())}`);
  await withLock(() => leaveEngine(answers));
  say("", `What was built is kept in ${shortened(cacheDirectory())}: the next time is quick. To remove that too:`);
  typed("npm run lab -- down --purge");
}

/** By the product, as a person would do it; what it cannot remove any more goes by its label. */
async function removeCluster() {
  const mine = ["--all", "--quiet", "--filter", `label=k3d.cluster=${cluster}`];
  if (isWritten() && lines(await docker(["ps", ...mine])).length > 0) {
    const args = ["uninstall", "--delete-data", "--yes"];
    typed(`npm run try -- ${args.join(" ")}`);
    await show(args);
  }
  const left = lines(await docker(["ps", ...mine]));
  if (left.length > 0) await docker(["rm", "--force", "--volumes", ...left]);
  await dockerSucceeds(["network", "rm", `k3d-${cluster}`]);
  await dockerSucceeds(["volume", "rm", `k3d-${cluster}-images`]);
  const still = lines(await docker(["ps", ...mine]));
  if (still.length > 0) {
    throw new Trouble(`containers of cluster ${cluster} are still there: ${still.join(", ")}`, "npm run try -- --down");
  }
  say(`cluster ${cluster}: gone`);
}

/** An engine that the lab started goes when nothing is left in it: its other containers may be somebody's work. */
async function leaveEngine(answers) {
  const engine = recordedEngine();
  if (!engine?.own) return say("container engine: this machine's own, left as it is");
  const others = answers ? lines(await docker(["ps", "--format", "{{.Names}}"])) : [];
  if (others.length > 0) {
    return say(
      `container engine: the lab's own, left running for ${others.join(", ")}`,
      "To stop it with all that is in it:   npm run lab -- down",
    );
  }
  return say(`container engine: the lab's own, ${await stopEngine(() => {})}`);
}
