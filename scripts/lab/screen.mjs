// What a person sees of `up` and `down`: one line per step, and a sign of life while it lasts.

import { LabError } from "./errors.mjs";

/** What takes longer than that is told when it begins to, and again and again from then on. */
const FIRST_SIGN_SECONDS = 2;
const SIGN_OF_LIFE_SECONDS = 15;
const WIDTH = 100;

/** Prints a line of the lab. On stderr, since stdout belongs to whoever asked for JSON. */
export function say(line) {
  process.stderr.write(`lab: ${line}\n`);
}

/**
 * Performs one step and prints a line when it ends. `work` gets `now(text)`, by which it tells what it is at, and returns the
 * word for how it ended, such as "cached" or "built".
 */
export async function step(title, work) {
  const start = Date.now();
  const elapsed = () => `${((Date.now() - start) / 1000).toFixed(1)} s`;
  let doing = "";
  const tell = () => say(`${title}: ${elapsed()} … ${doing}`.slice(0, WIDTH));
  const first = setTimeout(tell, FIRST_SIGN_SECONDS * 1000);
  const timer = setInterval(tell, SIGN_OF_LIFE_SECONDS * 1000);
  try {
    const outcome = await work((text) => (doing = text));
    say(`${title}: ${outcome} (${elapsed()})`);
  } catch (error) {
    say(`${title}: failed after ${elapsed()}: ${error.message.split("\n")[0]}`);
    throw error;
  } finally {
    clearTimeout(first);
    clearInterval(timer);
  }
}

/** Prints a failure so that a person knows what to do next. */
export function sayFailure(error) {
  if (!(error instanceof LabError)) {
    say(`a defect of the lab: ${error.stack}`);
    return;
  }
  for (const line of error.message.split("\n")) say(line);
  if (error.log) say(`log: ${error.log}`);
  if (error.next) say(`next: ${error.next}`);
}
