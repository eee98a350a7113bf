import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** What loading looks at on the disk; it never writes. Handed in, so that a test needs no files. */
export type ConfigFiles = {
  /** The text of a file. Rejects with a `code`: Node's, or EILSEQ where it is no text and EFBIG where it is huge. */
  readText: (path: string) => Promise<string>;
  /** Where a path really leads: links are followed as far as it exists, the rest is kept. Never rejects. */
  realPath: (path: string) => Promise<string>;
};

/** A dead network share answers never; what is on a disk answers at once. */
const limitMs = 5000;
const largestFile = 16 * 1024 * 1024;

/** The disk itself. */
export const diskFiles: ConfigFiles = {
  readText: async (path) => {
    const found = await soon(stat(path));
    if (found.isDirectory()) throw failure("EISDIR");
    // A pipe gives its text once, and this is not the last time that the file is read.
    if (!found.isFile()) throw failure("ENOTSUP");
    if (found.size > largestFile) throw failure("EFBIG");
    return decodeText(await soon(readFile(path)));
  },
  realPath: async (path) => soon(followLinks(path)).catch(() => path),
};

async function soon<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(failure("ETIMEDOUT")), limitMs);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

async function followLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await followLinks(parent), basename(path));
  }
}

/** Text of a file as editors and shells write it. Windows PowerShell's `>` writes UTF-16 with a mark in front. Throws EILSEQ. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const utf16 =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : undefined;
  let text: string;
  try {
    text = new TextDecoder(utf16 ?? "utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw failure("EILSEQ");
  }
  if (text.includes("\0")) throw failure("EILSEQ");
  return text;
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}
