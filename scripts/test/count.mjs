// A reporter of vitest that writes down each result as it comes, a line for each: so that they can be counted when the run
// did not come to its end, too.

import { appendFileSync } from "node:fs";

import { results } from "./folder.mjs";

const file = results();
const note = (result) => appendFileSync(file, `${result}\n`);

export default class Count {
  onTestCaseResult(test) {
    note(test.result().state);
  }

  /** A file that does not load, and a hook that fails, fail without a test of theirs. */
  onTestModuleEnd(module) {
    const failed = [...module.children.allTests("failed")];
    if (module.state() === "failed" && failed.length === 0) note("failed");
  }
}
