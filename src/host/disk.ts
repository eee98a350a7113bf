import { statfs } from "node:fs/promises";

/** How full a file system is, in bytes and in files, as an ordinary user meets it. */
export type Space = {
  freeBytes: number;
  totalBytes: number;
  /** Undefined where the file system has no fixed number of them (btrfs, NTFS). */
  freeFiles: number | undefined;
  totalFiles: number | undefined;
};

/** Asks the file system that holds `path`, which must exist. */
export async function spaceAt(path: string): Promise<Space> {
  const seen = await statfs(path);
  const counted = seen.files > 0;
  return {
    freeBytes: seen.bavail * seen.bsize,
    totalBytes: seen.blocks * seen.bsize,
    freeFiles: counted ? seen.ffree : undefined,
    totalFiles: counted ? seen.files : undefined,
  };
}

/** The part that is used, as the kubelet counts it: what is not available is used (B19). Between 0 and 1. */
export function usedPart(space: Space): number {
  return space.totalBytes === 0 ? 0 : 1 - space.freeBytes / space.totalBytes;
}
