// `npm run try`: the product's main job on a real cluster, shown as a person sees it. Works on what is there when it is run
// again. `npm run try -- --down` removes all of it; `npm run try -- status` (or any other command) asks the product itself.

import { join } from "node:path";

import { givenArguments } from "./arguments.mjs";
import { interrupted, watchInterrupts } from "./children.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import { inCache } from "./lab/cache.mjs";
import { docker } from "./lab/docker.mjs";
import { recordedEngine } from "./lab/engine.mjs";
import { LabError } from "./lab/errors.mjs";
import { run } from "./lab/processes.mjs";
import "./outlive-readers.mjs";
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
  passOn,
  place,
  root,
  show,
  startFiltered,
  typedDocker,
  writeProgram,
} from "./try/product.mjs";
import { chapter, Interruption, say, sayTrouble, summary, Trouble, typed } from "./try/screen.mjs";

const usage = `usage: npm run try [-- COMMAND]

  npm run try               set up what is missing, install, and show a repair: the first time in a quarter of an hour
  npm run try -- COMMAND    a command of the product, on what stands then: status, doctor, plan, install …
  npm run try -- --down     remove all of it
`;

const args = givenArguments("--down");
const directory = `/tracebloc/${namespace}/data`;

watchInterrupts((line) => say("", line));
try {
  await act();
} catch (error) {
  process.exitCode = interrupted() ?? 1;
  if (interrupted()) sayInterrupted(error);
  else if (error instanceof Trouble || error instanceof LabError) sayTrouble(error);
  else sayTrouble({ message: `a defect of scripts/try.mjs: ${error.stack}` });
}

async function act() {
  if (args.length === 0) return story();
  if (args.length === 1 && ["--help", "-h"].includes(args[0])) return void process.stdout.write(usage);
  if (!args.includes("--down")) return question();
  if (args.length === 1) return down();
  process.exitCode = 2;
  const others = args.filter((arg) => arg !== "--down");
  process.stderr.write(`--down removes all of it and takes nothing else: ${others.join(" ")}\n\n${usage}`);
}

/** Once: the product has said it where it was at work, and ended with the code for it. */
function sayInterrupted(error) {
  const told = error instanceof Interruption && error.exit === interrupted();
  sayTrouble({ message: told ? "" : "Interrupted.", next: ["npm run try", "npm run try -- --down"] });
}

async function question() {
  if (!isWritten()) throw new Trouble("there is nothing to ask yet", "npm run try");
  const exit = await passOn(args);
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
  await ensureDependencies(say, "npm run try");
  await run(process.execPath, ["scripts/build.mjs"], { cwd: root, title: "the build", next: "npm run build" });
  say("program: built");
  await labUp();
  const backend = await ensureBackend();
  say(`stand-in backend: ${backend}`);
  writeProgram(backend);
}

/** The first time this takes minutes, which the lab tells step by step; what is there already is not worth a line. */
async function labUp() {
  const exit = await startFiltered(process.execPath, ["scripts/lab/lab.mjs", "up"], {
    worth: (line) => !/: cached \(/.test(line),
    margin: "    ",
    what: "the lab",
  });
  if (interrupted() || exit !== 0) throw new Trouble("the lab is not up; what is missing is said above", "npm run try");
}

/** The product's own output, and nothing of ours in between. */
async function install() {
  typed("npm run try -- install");
  const exit = await show(["install"]);
  if (interrupted()) throw new Interruption(exit);
  if (exit !== 0) {
    throw new Trouble(`the product ended with ${exit}; what it says above is what to do`, "npm run try");
  }
}

/** What a pod did, in its own words; it must have succeeded. */
async function demand(pod, role, uid) {
  const { exit, log } = await pod();
  say(`pod as uid ${uid}, ${role}:`, ...log.map((line) => `  | ${line}`));
  if (interrupted()) throw new Interruption();
  if (exit !== 0) throw new Trouble(`the pod ended with ${exit}`, "npm run try -- doctor", "npm run try");
}

async function breakDirectory() {
  const commands = [`chown 0:0 ${directory}`, `chmod 0755 ${directory}`];
  for (const command of commands) {
    typed(`${typedDocker()} exec ${node} ${command}`);
    await docker(["exec", node, ...command.split(" ")]);
  }
  const { exit, log } = await write();
  say(`pod as uid ${writer}, write:`, ...log.map((line) => `  | ${line}`));
  if (exit === 0) throw new Trouble("the pod could write all the same, so there is nothing to repair", "npm run try");
}

async function tellWhatStands() {
  const kubeconfig = await ask(["kubeconfig"]);
  const engine = recordedEngine().own ? "the lab's own container engine" : "this machine's container engine";
  const dockerHere = typedDocker();
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
