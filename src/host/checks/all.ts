import type { HostFacts, HostWishes } from "../facts.ts";
import type { Check, Outcome, Purpose } from "./check.ts";
import { confinementCheck } from "./confinement.ts";
import { cpuCheck } from "./cpus.ts";
import { credentialHelperCheck } from "./credential-helper.ts";
import { dataDirCheck, datasetDirCheck } from "./data-dir.ts";
import { dataDiskCheck, engineDiskCheck } from "./disk.ts";
import { engineCheck } from "./engine.ts";
import { fileSystemCheck } from "./file-system.ts";
import { inotifyCheck } from "./inotify.ts";
import { memoryCheck } from "./memory.ts";

/** In the order in which a person should mend things. */
const checks: readonly Check[] = [
  engineCheck,
  memoryCheck,
  cpuCheck,
  engineDiskCheck,
  fileSystemCheck,
  dataDirCheck,
  dataDiskCheck,
  datasetDirCheck,
  confinementCheck,
  inotifyCheck,
  credentialHelperCheck,
];

export type Checked = Outcome & { about: string };

/** Every check of this machine with what came of it, for a plan, for doctor and for the run's log. Pure. */
export function checkHost(facts: HostFacts, wishes: HostWishes, before: Purpose = "create"): readonly Checked[] {
  return checks.map((one) => ({ about: one.about, ...one.check({ facts, wishes, before }) }));
}
