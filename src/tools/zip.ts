import { promisify } from "node:util";
import { crc32, inflateRaw } from "node:zlib";

const inflate = promisify(inflateRaw);
const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;
const localEntry = 0x04034b50;

/**
 * The bytes of one file out of a .zip, by its exact name. Nothing is written. Throws, in a clause, where the archive is
 * damaged, encrypted, lacks the file, or the file is larger than `limit` bytes.
 */
export async function zipMember(archive: Uint8Array, name: string, limit: number): Promise<Uint8Array> {
  const zip = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const entry = reading(() => find(zip, name));
  if (entry === undefined) throw new Error(`it holds no ${name}`);
  if ((entry.flags & 1) === 1) throw new Error("it is encrypted");
  if (entry.size > limit) throw new Error(`${name} in it is larger than ${limit} bytes`);

  const packed = reading(() => packedBytes(zip, entry));
  const bytes = entry.method === 0 ? packed : await unpacked(packed, entry);
  if (bytes.length !== entry.size || crc32(bytes) !== entry.crc) throw new Error("it is damaged");
  return bytes;
}

type Entry = { flags: number; method: number; crc: number; packedSize: number; size: number; at: number };

function find(zip: Buffer, name: string): Entry | undefined {
  const end = endRecord(zip);
  let at = zip.readUInt32LE(end + 16);
  for (let count = zip.readUInt16LE(end + 10); count > 0; count--) {
    if (zip.readUInt32LE(at) !== directoryEntry) throw new Error("no entry where one should be");
    const nameLength = zip.readUInt16LE(at + 28);
    if (zip.toString("utf8", at + 46, at + 46 + nameLength) === name) {
      return {
        flags: zip.readUInt16LE(at + 8),
        method: zip.readUInt16LE(at + 10),
        crc: zip.readUInt32LE(at + 16),
        packedSize: zip.readUInt32LE(at + 20),
        size: zip.readUInt32LE(at + 24),
        at: zip.readUInt32LE(at + 42),
      };
    }
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return undefined;
}

/** The record at the end of a zip; behind it may be a comment of at most 65535 bytes. */
function endRecord(zip: Buffer): number {
  for (let at = zip.length - 22; at >= 0 && at >= zip.length - 22 - 0xffff; at--) {
    if (zip.readUInt32LE(at) === endOfDirectory && at + 22 + zip.readUInt16LE(at + 20) === zip.length) return at;
  }
  throw new Error("no end record");
}

function packedBytes(zip: Buffer, entry: Entry): Buffer {
  if (zip.readUInt32LE(entry.at) !== localEntry) throw new Error("no file where one should be");
  const start = entry.at + 30 + zip.readUInt16LE(entry.at + 26) + zip.readUInt16LE(entry.at + 28);
  if (start + entry.packedSize > zip.length) throw new Error("cut off");
  return zip.subarray(start, start + entry.packedSize);
}

async function unpacked(packed: Buffer, entry: Entry): Promise<Buffer> {
  if (entry.method !== 8) throw new Error("it is packed in a way that is not known here");
  return inflate(packed, { maxOutputLength: Math.max(1, entry.size) }).catch((error: unknown) => {
    throw new Error("it is damaged", { cause: error });
  });
}

/** Reading behind the end of a damaged archive throws a RangeError: to a person all of these are one thing. */
function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error("it is damaged", { cause: error });
  }
}
