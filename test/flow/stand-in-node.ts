import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Command } from "../../src/process/runner.ts";
import { candidatesOf, dataBaseOf, directoriesOf } from "../../src/storage/layout.ts";
import { removeScript, writeScript } from "../../src/storage/probe.ts";
import { inspectScript, prepareScript } from "../../src/storage/script.ts";
import { sharingScript } from "../../src/storage/sharing.ts";
import onDisk from "../unit/storage/docker-exec.json" with { type: "json" };
import { recorded, type Answer } from "./answers.ts";
import type { Scripted } from "./scripted-runner.ts";
import { node, release, type World } from "./world.ts";

/** What scripts get that are run in the node. A script is told by making the product's own again: another byte, another script. */
export function inNode({ stdin, args }: Command, world: World): Scripted {
  const script = String(stdin);
  const base = dataBaseOf(mountsOf(world));
  if (args.join(" ") === `exec --interactive ${node} sh`) {
    if (script === inspectScript(candidatesOf(release))) return at(base, recorded(looks[world.directories]));
    if (script === prepareScript(directoriesOf(release, base))) {
      if (world.ignoresModes) return fromDisk("prepared: mode ignored");
      world.directories = "prepared";
      return at(base, recorded("install: docker exec prepared"));
    }
    return shared(script, world);
  }
  return probed(script, args, world);
}

const looks = {
  missing: "install: docker exec seen",
  spoiled: "repair: docker exec seen",
  prepared: "healthy: docker exec seen",
} as const;

/** An answer that the storage room recorded, with the version of the node's tools beside it. */
export function fromDisk(name: keyof typeof onDisk.answers): Answer {
  const { exitCode, stdout, stderr } = onDisk.answers[name];
  return { exitCode, stdout, stderr };
}

function mountsOf({ cluster }: World): { type: string; destination: string }[] {
  return (cluster?.folders ?? []).map(([, destination]) => ({ type: "bind", destination }));
}

/** Where datasets have a mount of their own, what was seen of data was seen there. */
function at(base: string, answer: Answer): Answer {
  if (base === "/tracebloc") return answer;
  const lines = answer.stdout.split("\n").filter((line) => !line.startsWith(`seen ${base}/`));
  const [data = "", logs = "", ...rest] = lines.map((line, index) =>
    index === 0 ? line.replace("/tracebloc/", `${base}/`) : line,
  );
  const nowhere = `seen /tracebloc/${release}/data 1 3 - - - ls: /tracebloc/${release}/data: No such file or directory`;
  const inOrder = data.startsWith("seen") ? [nowhere, logs, data] : [data, logs];
  const mounts = rest.flatMap((line) =>
    line.startsWith("mount ") ? [line, line.replace("/tracebloc", base)] : [line],
  );
  return { ...answer, stdout: [...inOrder, ...mounts].join("\n") };
}

/** The node reads the token that lies in the folder of this machine, and answers beside it: through the mount, as it were. */
function shared(script: string, { cluster }: World): Scripted {
  for (const [folder, base] of cluster?.folders ?? []) {
    for (const file of readdirSync(folder).filter((one) => one.startsWith(".tracebloc-shared-"))) {
      const token = readFileSync(join(folder, file), "utf8").trim();
      if (script !== sharingScript(base, file, token)) continue;
      writeFileSync(join(folder, `${file}.answer`), `${token}\n`);
      const answer = recorded("install: docker exec shared");
      return { ...answer, stdout: answer.stdout.replace(/[0-9a-f]{24}/, token) };
    }
  }
  return undefined;
}

/** A trial of one workload's write and another one's removal, where the mode does not tell. */
function probed(script: string, args: readonly string[], { ignoresModes }: World): Scripted {
  const name = /\.tracebloc-probe-[0-9a-f]{12}/.exec(script)?.[0];
  if (name === undefined || ignoresModes === undefined) return undefined;
  const uid = /--user (\d+):\1 /.exec(args.join(" "))?.[1];
  if (script === writeScript(name) && uid === "65534") {
    return fromDisk(ignoresModes === "open to all" ? "wrote: done" : "wrote: refused");
  }
  return script === removeScript(name) ? fromDisk("removed: done") : undefined;
}
