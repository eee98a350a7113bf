import { createHash, type Hash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";

import type { Environment } from "../platform/environment.ts";
import { fetchFile } from "./fetch.ts";
import { DownloadTrouble, httpTrouble, networkTrouble } from "./download-trouble.ts";

export type Download = {
  url: URL;
  /** What the bytes must hash to, lower-case hex. */
  sha256: string;
  /** No real file is smaller: what is, was cut off or is an error page (#607). */
  atLeastBytes: number;
  /** Where the bytes are gathered, and lie when they are verified. What a broken attempt left there is gone on with. */
  to: string;
};

export type DownloadOptions = {
  environment: Environment;
  userAgent: string;
  /** Ends the download at once. */
  signal: AbortSignal;
  /** Milliseconds within which at least 1 kB per second has to come; there is no bound on the whole: slow is not broken. */
  stallMs: number;
  /** Waits between two tries. */
  pause: (ms: number) => Promise<void>;
  onProgress: (receivedBytes: number, totalBytes: number | undefined) => void;
  /** Certificates that are trusted besides Node's own, PEM. */
  ca?: readonly string[];
};

const tries = 3;
const pauseMs = 2_000;
const leastBytesPerSecond = 1024;

/**
 * Downloads a file to `to` and verifies it. Three tries; each goes on where the one before was cut off. Rejects with
 * `DownloadTrouble`, or with what `signal` was aborted with.
 */
export async function download(what: Download, options: DownloadOptions): Promise<void> {
  await mkdir(dirname(what.to), { recursive: true, mode: 0o700 });
  if (await isWhole(what)) return;
  let etag: string | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      await attemptOnce(what, options, etag, (seen) => (etag = seen));
      return;
    } catch (error) {
      options.signal.throwIfAborted();
      const trouble = error instanceof DownloadTrouble ? error : networkTrouble(error, what.url);
      if (!trouble.keepsPart) await rm(what.to, { force: true });
      if (!trouble.mayPass || attempt === tries) throw trouble;
      await options.pause(pauseMs * attempt);
      options.signal.throwIfAborted();
    }
  }
}

async function attemptOnce(
  what: Download,
  options: DownloadOptions,
  etag: string | undefined,
  keepEtag: (etag: string | undefined) => void,
): Promise<void> {
  const have = await sizeOf(what.to);
  const hashOfPart = createHash("sha256");
  if (have > 0) await addFile(hashOfPart, what.to);
  const headers = {
    "user-agent": options.userAgent,
    "accept-encoding": "identity",
    ...(have > 0 && { range: `bytes=${have}-`, ...(etag !== undefined && { "if-range": etag }) }),
  };
  const watch = watchProgress(options);
  try {
    const { response, through } = await fetchFile(what.url, { ...options, headers, signal: watch.signal });
    const from = startOf(response, have, what.url, through);
    keepEtag(strongEtag(response));
    const hash = from > 0 ? hashOfPart : createHash("sha256");
    const received = await receive(response, hash, what, from, watch);
    verify(hash.digest("hex"), received, what);
  } catch (error) {
    throw watch.stalled() ? DownloadTrouble.stalled(what.url, options.stallMs) : error;
  } finally {
    watch.end();
  }
}

/** At which byte the response goes on: at the end of what we have, or at the beginning. Throws for anything but the file. */
function startOf(response: IncomingMessage, have: number, url: URL, through: string | undefined): number {
  // A server that goes on at another place than asked is found out by the hash.
  const fits = response.statusCode === 200 || response.statusCode === 206;
  const isPage = /^text\/html|^application\/xhtml/.test(response.headers["content-type"] ?? "");
  if (fits && !isPage) return response.statusCode === 206 ? have : 0;
  response.destroy();
  throw fits ? DownloadTrouble.page(url) : httpTrouble(response.statusCode ?? 0, url, through);
}

/** Writes what comes behind what is there, and hashes it on the way. Returns the size of the whole. */
async function receive(
  response: IncomingMessage,
  hash: Hash,
  what: Download,
  from: number,
  watch: Watch,
): Promise<number> {
  const length = Number(response.headers["content-length"]);
  const total = Number.isFinite(length) ? from + length : undefined;
  let received = from;
  const counted = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      if (received === 0 && looksLikePage(chunk)) throw DownloadTrouble.page(what.url);
      received += chunk.length;
      hash.update(chunk);
      watch.saw(chunk.length, received, total);
      yield chunk;
    }
  };
  await pipeline(response, counted, createWriteStream(what.to, { flags: from > 0 ? "a" : "w", mode: 0o600 }));
  return received;
}

/** Size before hash: a file that was cut off by a proxy is no attack (#607). */
function verify(found: string, received: number, what: Download): void {
  if (found === what.sha256) return;
  if (received < what.atLeastBytes) throw DownloadTrouble.tooSmall(what.url, received);
  throw DownloadTrouble.mismatch(what.url, what.sha256, found);
}

/** A sign-in page may come under any content type. */
function looksLikePage(chunk: Buffer): boolean {
  return /^\s*<(!doctype|html|head|\?xml)/i.test(chunk.toString("latin1", 0, 64));
}

/** A weak one may stand for another file that only looks the same. */
function strongEtag(response: IncomingMessage): string | undefined {
  const { etag } = response.headers;
  return etag?.startsWith("W/") === true ? undefined : etag;
}

async function sizeOf(path: string): Promise<number> {
  const seen = await stat(path).catch(() => undefined);
  return seen?.size ?? 0;
}

/** A run that was ended between the last byte and the next step left a file that needs no network. */
async function isWhole({ to, atLeastBytes, sha256 }: Download): Promise<boolean> {
  if ((await sizeOf(to)) < atLeastBytes) return false;
  const hash = createHash("sha256");
  await addFile(hash, to);
  return hash.digest("hex") === sha256;
}

async function addFile(hash: Hash, path: string): Promise<void> {
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
}

type Watch = ReturnType<typeof watchProgress>;

/** Aborts where too little came in a stretch of time, the time until the first byte included. */
function watchProgress({ signal, stallMs, onProgress }: DownloadOptions) {
  const stall = new AbortController();
  let since = 0;
  const timer = setInterval(() => {
    if (since < (leastBytesPerSecond * stallMs) / 1000) stall.abort();
    since = 0;
  }, stallMs);
  return {
    signal: AbortSignal.any([signal, stall.signal]),
    stalled: () => stall.signal.aborted,
    end: () => clearInterval(timer),
    saw(bytes: number, received: number, total: number | undefined) {
      since += bytes;
      onProgress(received, total);
    },
  };
}
