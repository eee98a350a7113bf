// How figures are shown: one row each, with the limit they are held to.

import { median, ratio } from "./measure.mjs";

export function title(text) {
  console.log(`\n${text}`);
}

/** One measured command: median, spread and, against a baseline, the ratio with the limit it is held to. */
export function line(name, times, against) {
  const spread = `${median(times).toFixed(0)} ms (${Math.min(...times).toFixed(0)}–${Math.max(...times).toFixed(0)})`;
  if (against === undefined) return row(name, spread);
  const factor = ratio(times, against.baseline);
  return row(name, `${spread}  ${factor.toFixed(2)} ×`, factor <= against.most, `at most ${against.most.toFixed(2)} ×`);
}

export function row(name, value, ok, limit) {
  console.log(`  ${name.padEnd(24)}${value}${limit === undefined ? "" : `  ${ok ? "ok" : "OVER"}, ${limit}`}`);
}
