// What the lab takes from Debian for the machine it runs on.

import { constants, accessSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import { inCache } from "./cache.mjs";
import { LabError } from "./errors.mjs";
import { run } from "./processes.mjs";

const log = () => inCache("logs", "packages.log");

// Debian's packages start their services when they are installed. policy-rc.d is Debian's own way to forbid it; one that is
// there already is left alone.
const INSTALL = `
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT
  trap 'exit 1' HUP INT TERM
  printf '#!/bin/sh\\nexit 101\\n' > $policy && chmod 755 $policy
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=300 update
apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"
`;

/** Whether a program is on PATH, or where an administrator's programs lie. */
export function hasProgram(name) {
  return searchPath()
    .split(delimiter)
    .some((directory) => {
      try {
        accessSync(join(directory, name), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** PATH with the directories of administration, which a plain user's PATH lacks on Debian. */
export function searchPath() {
  return [process.env.PATH, "/usr/local/sbin", "/usr/sbin", "/sbin"].join(delimiter);
}

/** The packages whose program is missing. `programs` maps a program to its package. */
function missingPackages(programs) {
  const missing = Object.keys(programs).filter((name) => !hasProgram(name));
  return [...new Set(missing.map((name) => programs[name]))];
}

const byHand = (packages) => `apt-get update && apt-get install ${packages.join(" ")}`;

/** Throws a LabError where programs are missing that cannot be installed. */
export function demandInstallable(programs) {
  const packages = missingPackages(programs);
  if (packages.length === 0) return;
  if (!hasProgram("apt-get")) {
    throw new LabError("the lab is made of Debian's packages, and apt-get is missing", { next: "run it on Debian 12" });
  }
  if (process.getuid() !== 0) {
    throw new LabError(`${packages.join(", ")} must be installed, which needs root`, { next: byHand(packages) });
  }
}

/** Installs the packages whose program is missing; starts no service. */
export async function installMissing(programs, now) {
  const packages = missingPackages(programs);
  if (packages.length === 0) return "cached";
  demandInstallable(programs);
  now(`apt-get install ${packages.join(" ")}`);
  await run("sh", ["-ec", INSTALL, "install", ...packages], {
    title: "apt-get",
    log: log(),
    onLine: now,
    next: byHand(packages),
  });
  return `installed ${packages.join(", ")}`;
}

/** The mirror that this machine's apt uses, so that debootstrap reaches it too. */
export function debianMirror() {
  for (const [file, pattern] of [
    ["/etc/apt/sources.list.d/debian.sources", /^URIs:\s*(\S+)/m],
    ["/etc/apt/sources.list", /^deb\s+(?:\[.*?\]\s+)?(\S+)\s+\S+\s+.*\bmain\b/m],
  ]) {
    try {
      const found = pattern.exec(readFileSync(file, "utf8"));
      if (found) return found[1];
    } catch {
      // The other file, or the default.
    }
  }
  return "http://deb.debian.org/debian";
}
