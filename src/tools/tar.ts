import { promisify } from "node:util";
import { gunzip } from "node:zlib";

const unzip = promisify(gunzip);
const block = 512;

/**
 * The bytes of one regular file out of a .tar.gz, by its exact name. Nothing is written, so no name, link or device in
 * the archive can do harm. Throws, in a clause, where the archive is damaged, lacks the file, or unpacks to more than `limit` bytes.
 */
export async function tarMember(archive: Uint8Array, name: string, limit: number): Promise<Uint8Array> {
  const tar = await unzip(archive, { maxOutputLength: limit }).catch((error: unknown) => {
    throw new Error(`it does not unpack (${error instanceof Error ? error.message : String(error)})`, { cause: error });
  });
  let at = 0;
  while (at + block <= tar.length && tar[at] !== 0) {
    const header = tar.subarray(at, at + block);
    const size = sizeIn(header);
    const start = at + block;
    if (start + size > tar.length) throw new Error("it is cut off");
    if (nameIn(header) === name) {
      if (!isRegular(header)) throw new Error(`${name} in it is no regular file`);
      return tar.subarray(start, start + size);
    }
    at = start + Math.ceil(size / block) * block;
  }
  throw new Error(`it holds no ${name}`);
}

function nameIn(header: Buffer): string {
  const prefix = header.toString("latin1", 257, 262) === "ustar" ? textIn(header, 345, 155) : "";
  const name = textIn(header, 0, 100);
  return prefix === "" ? name : `${prefix}/${name}`;
}

function isRegular(header: Buffer): boolean {
  const kind = header[156];
  return kind === 0 || kind === "0".charCodeAt(0);
}

/** Octal digits. The checksum is looked at first: without it any bytes would be a size. */
function sizeIn(header: Buffer): number {
  const blank = header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);
  const digits = textIn(header, 124, 12).trim();
  if (Number.parseInt(textIn(header, 148, 8).trim(), 8) !== blank || !/^[0-7]+$/.test(digits)) {
    throw new Error("it is damaged");
  }
  return Number.parseInt(digits, 8);
}

function textIn(header: Buffer, start: number, length: number): string {
  const text = header.toString("utf8", start, start + length);
  const end = text.indexOf("\0");
  return end === -1 ? text : text.slice(0, end);
}
