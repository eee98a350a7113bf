import { fine, skipped, warning, type Check } from "./check.ts";
import { readyEngine } from "./ready.ts";

/** Below this a word is said. */
export const fewestCpus = 2;

/** Has the engine enough processors? Fewer are slow and run into MySQL's lock timeouts, but do work. */
export const cpuCheck: Check = {
  about: "CPUs",
  check({ facts }) {
    const engine = readyEngine(facts);
    if (engine === undefined) return skipped("the engine did not answer");
    const { cpus } = engine;
    if (cpus === undefined) return skipped("the engine did not say how many it has");
    if (cpus >= fewestCpus) return fine(`${cpus} CPUs`);
    const remedies =
      facts.machine.cpus > cpus
        ? [{ says: `give it ${fewestCpus} or more; this machine has ${facts.machine.cpus}` }]
        : [];
    return warning(
      "CPU_FEW",
      `the container engine has ${cpus} CPU; with fewer than ${fewestCpus} the database may run into timeouts`,
      remedies,
    );
  },
};
