import type { Remedy } from "../../engine/finding.ts";
import type { Engine } from "../engine.ts";
import type { HostFacts } from "../facts.ts";
import { fine, shortage, skipped, warning, type Check } from "./check.ts";
import { readyEngine } from "./ready.ts";

const mebibyte = 2 ** 20;
const gibibyte = 2 ** 30;

/** A virtual machine of 5 GB reports some hundred MB less. */
const graceBytes = 512 * mebibyte;
/** What an engine needs, in GiB: below the floor no cluster is begun, training on this machine wants the last. */
export const memoryNeeds = {
  /** About 2.1 GiB are asked for by pods, 0.8 taken by k3s, 0.7 by the system; the rest is for what they do. */
  floorGb: 5,
  comfortGb: 8,
  /** Advice never goes below it without need. */
  trainingGb: 16,
} as const;
const { floorGb, comfortGb, trainingGb } = memoryNeeds;
/** What a machine keeps for itself beside the engine. */
const reserveGb = 2;

/** Has the engine enough memory? Measured is the engine's, not the machine's: they differ where it runs in a virtual machine (B20). */
export const memoryCheck: Check = {
  about: "Memory",
  check({ facts, before }) {
    const engine = readyEngine(facts);
    if (engine === undefined) return skipped("the engine did not answer");
    if (engine.memoryBytes === undefined) return skipped("the engine did not say how much it has");
    const has = shownGb(engine.memoryBytes);
    if (lacks(engine.memoryBytes, floorGb)) {
      const says = `the container engine has ${has} GB of memory; at least ${floorGb} GB are needed`;
      return shortage(
        before,
        { create: "MEMORY_TOO_SMALL", repair: "MEMORY_LOW" },
        says,
        more(engine, facts, comfortGb),
      );
    }
    if (lacks(engine.memoryBytes, comfortGb)) {
      const says = `the container engine has ${has} GB of memory; ${comfortGb} GB are comfortable, ${trainingGb} GB are for training`;
      return warning("MEMORY_LOW", says, more(engine, facts, trainingGb));
    }
    return fine(`${has} GB`);
  },
};

function lacks(bytes: number, gb: number): boolean {
  return bytes < gb * gibibyte - graceBytes;
}

/** With the same grace as the floors, so that no line contradicts itself. */
function shownGb(bytes: number): number {
  return Math.floor((bytes + graceBytes) / gibibyte);
}

/** How to give the engine more, and never more than the machine can spare: below the floor that is no advice, but a larger machine. */
function more(engine: Engine, facts: HostFacts, wantedGb: number): Remedy[] {
  const machineGb = Math.floor(facts.machine.memoryBytes / gibibyte);
  const { platform } = facts.standpoint;
  const inWindows = platform.name === "windows" || platform.name === "wsl2";
  // Inside WSL2 only the virtual machine is seen, not the computer that it runs on.
  if (platform.name !== "wsl2" && machineGb - reserveGb < floorGb) {
    return [{ says: `this machine has ${machineGb} GB in all: use a larger one` }];
  }
  const gb = platform.name === "wsl2" ? wantedGb : Math.min(wantedGb, Math.max(machineGb - reserveGb, floorGb));
  if (platform.name !== "wsl2" && gb <= shownGb(engine.memoryBytes ?? 0)) return [];
  if (inWindows) {
    return [
      {
        says: `in %UserProfile%\\.wslconfig set memory=${gb}GB below [wsl2], then restart WSL`,
        command: "wsl --shutdown",
      },
    ];
  }
  if (engine.hostname === "colima") {
    return [{ says: "give it more", command: `colima stop && colima start --memory ${gb}` }];
  }
  if (engine.system?.includes("Docker Desktop") === true) {
    return [{ says: `set Memory to ${gb} GB in Docker Desktop's Settings, Resources` }];
  }
  return [{ says: `give its virtual machine, or the group of processes that it runs in, ${gb} GB` }];
}
