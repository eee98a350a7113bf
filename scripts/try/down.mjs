// Takes away what `npm run try` made, and nothing else.

import { existsSync, rmSync } from "node:fs";

import { interrupted } from "../children.mjs";
import { docker, dockerSucceeds } from "../lab/docker.mjs";
import { recordedEngine, stopEngine } from "../lab/engine.mjs";
import { withLock } from "../lab/lock.mjs";
import { isRunning } from "../lab/processes.mjs";
import { stopBackend } from "./backend.mjs";
import { cacheDirectory } from "../lab/cache.mjs";
import { cluster, isWritten, place, show } from "./product.mjs";
import { Interruption, say, shortened, Trouble, typed } from "./screen.mjs";

const lines = (text) => text.split("\n").filter(Boolean);

const again = "npm run try -- --down";

/** Tells what went, and nothing of what was not there. */
export async function down() {
  if (!existsSync(cacheDirectory())) return say("there is nothing to remove");
  const engine = await engineNow();
  const went = [engine === "answers" && (await removeCluster()), await endBackend(), removePlace()];
  if (!went.some(Boolean)) say("there is nothing to remove");
  if (engine === "silent") {
    throw new Trouble(
      `the container engine does not answer: cluster ${cluster} may still be in it`,
      "docker version",
      again,
    );
  }
  await withLock(() => leaveEngine(engine));
  say("", `What was built is kept in ${shortened(cacheDirectory())}: the next time is quick. To remove that too:`);
  typed("npm run lab -- down --purge");
}

/** `answers`, `silent`, or `none`: the lab has not used one yet, or its own was stopped, whose clusters go when it starts. */
async function engineNow() {
  const engine = recordedEngine();
  if (engine === null || (engine.own && !isRunning(engine))) return "none";
  return (await dockerSucceeds(["version"])) ? "answers" : "silent";
}

/** By the product, as a person would do it; what it cannot remove any more goes by its label. */
async function removeCluster() {
  const mine = ["--all", "--quiet", "--filter", `label=k3d.cluster=${cluster}`];
  const before = lines(await docker(["ps", ...mine]));
  if (isWritten() && before.length > 0) {
    const args = ["uninstall", "--delete-data", "--yes"];
    typed(`npm run try -- ${args.join(" ")}`);
    // The state goes too, in a moment.
    const exit = await show(args, { without: /^Logs and fetched tools .* stay in / });
    if (interrupted()) throw new Interruption(exit);
  }
  const left = lines(await docker(["ps", ...mine]));
  if (left.length > 0) await docker(["rm", "--force", "--volumes", ...left]);
  const network = await dockerSucceeds(["network", "rm", `k3d-${cluster}`]);
  const volume = await dockerSucceeds(["volume", "rm", `k3d-${cluster}-images`]);
  const still = lines(await docker(["ps", ...mine]));
  if (still.length > 0) {
    throw new Trouble(`containers of cluster ${cluster} are still there: ${still.join(", ")}`, again);
  }
  const was = before.length > 0 || network || volume;
  if (was) say(`cluster ${cluster}: gone`);
  return was;
}

async function endBackend() {
  const did = await stopBackend();
  if (did) say("stand-in backend: ended");
  return did;
}

function removePlace() {
  if (!existsSync(place())) return false;
  rmSync(place(), { recursive: true, force: true });
  say(`state and data: removed ${shortened(place())}`);
  return true;
}

/** An engine that the lab started goes when nothing is left in it: its other containers may be somebody's work. */
async function leaveEngine(now) {
  const engine = recordedEngine();
  if (engine === null) return;
  if (!engine.own) return say("container engine: this machine's own, left as it is");
  const others = now === "answers" ? lines(await docker(["ps", "--format", "{{.Names}}"])) : [];
  if (others.length > 0) {
    return say(
      `container engine: the lab's own, left running for ${others.join(", ")}`,
      "To stop it with all that is in it:   npm run lab -- down",
    );
  }
  return say(`container engine: the lab's own, ${await stopEngine(() => {})}`);
}
