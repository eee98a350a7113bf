// In place of `@sindresorhus/merge-streams` and `npm-run-path` in execa: several sources for one stream (`all`, `pipe`), and
// programs of a project's own (`preferLocal`). Nothing here asks for either; whatever came to ask would be told at once.
export default function mergeStreams() {
  throw new Error("streams cannot be merged: scripts/build.mjs leaves it out");
}
export { mergeStreams as npmRunPathEnv };
