import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** More than any file of ours grows to; what is larger is not one of ours. */
const mostBytes = 64 * 1024 * 1024;

/**
 * The text of a file of our own state. Throws as Node does, and with a `code` of its own for what is no regular file
 * (ENOTSUP) or too large for one of ours (EFBIG): reading a pipe would hold the whole program, deaf to Ctrl-C.
 */
export function readStateFile(path: string): string {
  // A pipe without a writer opens at once with it; on Windows there is neither.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const seen = fstatSync(file);
    if (!seen.isFile() && !seen.isDirectory()) throw failure("ENOTSUP", `${path} is no regular file`);
    if (seen.size > mostBytes) throw failure("EFBIG", `${path} is too large`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function failure(code: string, says: string): Error {
  return Object.assign(new Error(`${code}: ${says}`), { code });
}
