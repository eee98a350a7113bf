/** Why a directory is not as it should be. Each has its own remedy. */
export type Cause =
  | "read-only"
  | "no space"
  | "quota"
  | "permission"
  | "not supported"
  | "no directory"
  | "symlink"
  | "I/O"
  | "no answer"
  /** The node has no mount where the directory belongs: what is written there is lost with the node. */
  | "not mounted"
  /** chmod succeeds and changes nothing: virtiofs, 9p, DrvFs, CIFS (B03). */
  | "mode ignored";

/** The kernel's words, in the C locale, as musl and glibc both spell them. */
const words: readonly [RegExp, Cause][] = [
  [/Read-only file system/, "read-only"],
  // Also said when only inodes are used up, with bytes free (B18).
  [/No space left on device/, "no space"],
  [/Disk quota exceeded|Quota exceeded/, "quota"],
  [/Operation not permitted|Permission denied/, "permission"],
  [/Operation not supported|Not supported|Function not implemented/, "not supported"],
  [/Not a directory|File exists/, "no directory"],
  [/Too many levels of symbolic links|Symbolic link loop/, "symlink"],
  [
    /(Remote )?I\/O error|Input\/output error|Stale (NFS )?file handle|Structure needs cleaning|Bad message|Transport endpoint is not connected|Socket not connected/,
    "I/O",
  ],
];

/** The cause that a command's words name first: what comes after it is most often its consequence. */
export function causeOf(said: string): Cause | undefined {
  const found = words
    .map(([pattern, cause]) => ({ cause, at: said.search(pattern) }))
    .filter(({ at }) => at !== -1)
    .sort((a, b) => a.at - b.at);
  return found[0]?.cause;
}
