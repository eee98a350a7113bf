// What a killed dockerd leaves behind: its containers and their shims still run, mounts stay, and its run-time state (which would
// lie on /run and end with a reboot) makes the next dockerd wait for a containerd that is gone.

import { readFileSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

import { inCache } from "./cache.mjs";
import { searchPath } from "./debian.mjs";
import { run, succeeds } from "./processes.mjs";

/** The namespace of the lab's containers in containerd, which is also the name of runc's folder for them. */
export const containerdNamespace = "tracebloc-lab";

const execRoot = () => inCache("engine", "exec");

/** Ends and removes all that is left of the lab's own engine. Only when its dockerd is gone. */
export async function sweepLeftovers() {
  const runtime = join(execRoot(), "runtime-runc", containerdNamespace);
  for (const container of entries(runtime)) {
    await succeeds("runc", ["--root", runtime, "delete", "--force", container], { env: { PATH: searchPath() } });
  }
  for (const pid of enginePids()) kill(pid);
  // The innermost first. Nobody but the lab's engine mounts anything here.
  const mounts = mountsBelow(inCache("engine")).sort().reverse();
  for (const mount of mounts) await run("umount", ["--lazy", mount]);
  rmSync(execRoot(), { recursive: true, force: true });
}

/** Mount points below a directory. */
export function mountsBelow(directory) {
  const table = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  return table.map((line) => line.split(" ")[4]).filter((mount) => mount?.startsWith(`${directory}/`));
}

/** containerd and its shims are told from those of other engines by the path of the run-time state on their command line. */
function enginePids() {
  return entries("/proc").filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    const words = commandLine(entry);
    return basename(words[0]).startsWith("containerd") && words.some((word) => word.startsWith(`${execRoot()}/`));
  });
}

function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [""];
  }
}

function kill(pid) {
  try {
    process.kill(Number(pid), "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}

function entries(directory) {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
