// In place of `human-signals` in execa: descriptions that only its error messages show, which nothing here reads.
import { constants } from "node:os";
export const signalsByName = Object.fromEntries(
  Object.keys(constants.signals).map((name) => [name, { description: name }]),
);
