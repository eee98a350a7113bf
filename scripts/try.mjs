// `npm run try`: the product's main job on a real cluster, shown as a person sees it. Works on what is there when it is run
// again. `npm run try -- --down` removes all of it; `npm run try -- status` (or any other command) asks the product itself.

import { join } from "node:path";

import { ensureDependencies } from "./dependencies.mjs";
import { inCache } from "./lab/cache.mjs";
import { docker } from "./lab/docker.mjs";
import { engineEnvironment, recordedEngine } from "./lab/engine.mjs";
import { LabError } from "./lab/errors.mjs";
import { run } from "./lab/processes.mjs";
import { ensureBackend } from "./try/backend.mjs";
import { remove, remover, write, writer } from "./try/dataset.mjs";
import { down } from "./try/down.mjs";
import {
  ask,
  cluster,
  dataDirectory,
  isWritten,
  namespace,
  node,
  place,
  root,
  show,
  start,
  writeProgram,
} from "./try/product.mjs";
import { chapter, say, sayTrouble, summary, Trouble, typed } from "./try/screen.mjs";

const args = process.argv.slice(2);
const directory = `/tracebloc/${namespace}/data`;
let interrupted = false;

// The terminal sends Ctrl-C to the program at work as well: it ends in its own order, and is waited for.
process.on("SIGINT", () => {
  if (interrupted) process.exit(130);
  interrupted = true;
});

try {
  if (args[0] === "--down") await down();
  else if (args.length > 0) await passOn();
  else await story();
} catch (error) {
  process.exitCode = interrupted ? 130 : 1;
  if (interrupted) sayTrouble({ message: "Interrupted.", next: ["npm run try", "npm run try -- --down"] });
  else if (error instanceof Trouble || error instanceof LabError) sayTrouble(error);
  else sayTrouble({ message: `a defect of scripts/try.mjs: ${error.stack}` });
}

async function passOn() {
  if (!isWritten()) throw new Trouble("there is nothing to ask yet", "npm run try");
  const exit = await show(args);
  process.exitCode = typeof exit === "number" ? exit : 1;
}

async function story() {
  chapter("Set up what is missing");
  await setUp();

  chapter("Install");
  say("The lab's images stand in for the pinned ones, which PIN_CHANGED says;", "all else is as on any machine.", "");
  await install();

  chapter("A dataset comes and goes, by pods of two users");
  await demand(write, "write", writer);
  await demand(remove, "remove", remover);

  chapter("Something breaks the data directory behind the product's back");
  await breakDirectory();

  chapter("Install again: it finds out, and repairs");
  await install();
  await demand(write, "write", writer);
  await demand(remove, "remove", remover);

  chapter("And once more: all is well");
  await install();
  await tellWhatStands();
}

async function setUp() {
  say(`dependencies: ${await ensureDependencies()}`);
  await run(process.execPath, ["scripts/build.mjs"], { cwd: root, title: "the build", next: "npm run build" });
  say("program: built");
  await labUp();
  const backend = await ensureBackend();
  say(`stand-in backend: ${backend}`);
  writeProgram(backend);
}

/** The first time this takes minutes, which the lab tells step by step; what is there already is not worth a line. */
async function labUp() {
  const exit = await start(process.execPath, ["scripts/lab/lab.mjs", "up"], (line) => !/: cached \(/.test(line));
  if (interrupted || exit !== 0) throw new Trouble("the lab is not up; what is missing is said above", "npm run try");
}

/** The product's own output, and nothing of ours in between. */
async function install() {
  typed("npm run try -- install");
  const exit = await show(["install"]);
  if (interrupted || exit !== 0) {
    throw new Trouble(`the product ended with ${exit}; what it says above is what to do`, "npm run try");
  }
}

/** What a pod did, in its own words; it must have succeeded. */
async function demand(pod, role, uid) {
  const { exit, log } = await pod();
  say(`pod as uid ${uid}, ${role}:`, ...log.map((line) => `  | ${line}`));
  if (interrupted) throw new Trouble("interrupted");
  if (exit !== 0) throw new Trouble(`the pod ended with ${exit}`, "npm run try -- doctor", "npm run try");
}

async function breakDirectory() {
  const commands = [`chown 0:0 ${directory}`, `chmod 0755 ${directory}`];
  for (const command of commands) {
    typed(`docker exec ${node} ${command}`);
    await docker(["exec", node, ...command.split(" ")]);
  }
  const { exit, log } = await write();
  say(`pod as uid ${writer}, write:`, ...log.map((line) => `  | ${line}`));
  if (exit === 0) throw new Trouble("the pod could write all the same, so there is nothing to repair", "npm run try");
}

async function tellWhatStands() {
  const kubeconfig = await ask(["kubeconfig"]);
  const { own } = recordedEngine();
  const engine = own ? "the lab's own container engine" : "this machine's container engine";
  const dockerHere = own ? `DOCKER_HOST=${engineEnvironment().DOCKER_HOST} docker` : "docker";
  summary([
    [
      "What stands now",
      [
        `cluster ${cluster} with release ${namespace}, on ${engine}`,
        `datasets and logs: ${join(dataDirectory(), namespace)}`,
        `the product's own state: ${place("state")}`,
      ],
    ],
    [
      "Look at it",
      [
        "npm run try -- status",
        "npm run try -- doctor",
        `${inCache("bin", "kubectl")} --kubeconfig ${kubeconfig} get pods --all-namespaces`,
        `${dockerHere} ps`,
      ],
    ],
    ["Break something else, then repair it", [`${dockerHere} stop ${node}`, "npm run try -- install"]],
    ["Remove all of it", ["npm run try -- --down"]],
  ]);
}
