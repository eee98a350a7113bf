// Times commands against each other on a machine that does other things as well.

import { spawnSync } from "node:child_process";

/**
 * Runs the commands in turn, round after round, so that whatever else slows the machine slows all of them alike.
 * A first round warms the caches and does not count.
 *
 * @param {Record<string, string[]>} commands a program and its arguments under each name
 * @param {number} rounds
 * @param {NodeJS.ProcessEnv} env
 * @returns {Record<string, number[]>} milliseconds of wall time, one for each round
 */
export function interleaved(commands, rounds, env = process.env) {
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, [program, ...args]] of Object.entries(commands)) {
      const began = performance.now();
      const { status, error, stderr } = spawnSync(program, args, { stdio: ["ignore", "ignore", "pipe"], env });
      const took = performance.now() - began;
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${error?.message ?? stderr.toString()}`);
      if (round > 0) times[name].push(took);
    }
  }
  return times;
}

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * How many times as long as the baseline, by medians.
 *
 * @param {number[]} times
 * @param {number[]} baseline
 */
export function ratio(times, baseline) {
  return median(times) / median(baseline);
}
