import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { DownloadTrouble } from "../../../src/tools/download-trouble.ts";
import { download, type Download, type DownloadOptions } from "../../../src/tools/download.ts";
import { selfSigned } from "./certificate.ts";
import { cutAfter, file, inTurn, proxyTo, serve, status } from "./servers.ts";

const bytes = randomBytes(300_000);
const sha256 = (data: Buffer) => createHash("sha256").update(data).digest("hex");

function wanted(url: string, changes: Partial<Download> = {}): Download {
  const folder = mkdtempSync(join(tmpdir(), "download-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return {
    url: new URL(url),
    sha256: sha256(bytes),
    atLeastBytes: 1_000,
    to: join(folder, "tools", "k3d.part"),
    ...changes,
  };
}

type Run = { trouble: DownloadTrouble | undefined; pauses: number[]; progress: [number, number | undefined][] };

async function run(what: Download, changes: Partial<DownloadOptions> = {}): Promise<Run> {
  const pauses: number[] = [];
  const progress: Run["progress"] = [];
  const options: DownloadOptions = {
    environment: {},
    userAgent: "tracebloc/test",
    signal: new AbortController().signal,
    stallMs: 5_000,
    pause: async (ms) => void pauses.push(ms),
    onProgress: (received, total) => progress.push([received, total]),
    ...changes,
  };
  const trouble = await download(what, options).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof DownloadTrouble) return error;
      throw error;
    },
  );
  return { trouble, pauses, progress };
}

describe("a download that works", () => {
  test("is the file, private until it is in its place, with its progress told", async () => {
    const { url, requests } = await serve(file(bytes));
    const what = wanted(`${url}/k3d-linux-amd64`);
    const { trouble, pauses, progress } = await run(what);
    expect(trouble).toBeUndefined();
    expect(readFileSync(what.to).equals(bytes)).toBe(true);
    expect(statSync(what.to).mode & 0o077).toBe(0);
    expect(pauses).toEqual([]);
    expect(progress.at(-1)).toEqual([bytes.length, bytes.length]);
    expect(requests[0]?.headers).toMatchObject({ "user-agent": "tracebloc/test", "accept-encoding": "identity" });
    expect(requests[0]?.headers.range).toBeUndefined();
  });

  test("follows redirects, to another server as well", async () => {
    const target = await serve(file(bytes));
    const { url } = await serve(
      inTurn(status(302, { location: "/there" }), status(307, { location: `${target.url}/file` })),
    );
    expect((await run(wanted(`${url}/here`))).trouble).toBeUndefined();
    expect(target.requests[0]?.url).toBe("/file");
  });

  test("does without the server where the whole file lies there already", async () => {
    const { url, requests } = await serve(status(500));
    const what = wanted(`${url}/x`);
    await run(what);
    writeFileSync(what.to, bytes);
    expect((await run(what)).trouble).toBeUndefined();
    expect(requests).toHaveLength(3);
  });
});

describe("a connection that breaks", () => {
  test("is gone on with where it broke, if the file is still the same", async () => {
    const { url, requests } = await serve(inTurn(cutAfter(bytes, 100_000), file(bytes)));
    const what = wanted(`${url}/x`);
    const { trouble, pauses } = await run(what);
    expect(trouble).toBeUndefined();
    expect(readFileSync(what.to).equals(bytes)).toBe(true);
    expect(pauses).toEqual([2_000]);
    const from = Number(/^bytes=(\d+)-$/.exec(requests[1]?.headers.range ?? "")?.[1]);
    expect(from).toBeGreaterThan(0);
    expect(from).toBeLessThanOrEqual(100_000);
    expect(requests[1]?.headers["if-range"]).toBe('"one"');
  });

  test("is begun anew where the server has another file by now", async () => {
    const { url, requests } = await serve(inTurn(cutAfter(bytes, 100_000, { etag: '"old"' }), file(bytes, '"new"')));
    const what = wanted(`${url}/x`);
    expect((await run(what)).trouble).toBeUndefined();
    expect(readFileSync(what.to).equals(bytes)).toBe(true);
    expect(requests).toHaveLength(2);
  });

  test("is begun anew by a server that cannot go on", async () => {
    const whole: Parameters<typeof serve>[0] = (_, response) =>
      void response.writeHead(200, { "content-length": bytes.length }).end(bytes);
    const { url } = await serve(inTurn(cutAfter(bytes, 100_000), whole));
    const what = wanted(`${url}/x`);
    expect((await run(what)).trouble).toBeUndefined();
    expect(readFileSync(what.to).equals(bytes)).toBe(true);
  });

  test("is begun anew where the server goes on at another place than asked", async () => {
    const elsewhere: Parameters<typeof serve>[0] = (_, response) => {
      const range = `bytes 5-${bytes.length - 1}/${bytes.length}`;
      response.writeHead(206, { "content-range": range, "content-length": bytes.length - 5 }).end(bytes.subarray(5));
    };
    const { url, requests } = await serve(inTurn(cutAfter(bytes, 100_000), elsewhere, file(bytes)));
    expect((await run(wanted(`${url}/x`))).trouble).toBeUndefined();
    expect(requests[2]?.headers.range).toBeUndefined();
  });

  test("three times in a row is a failure, and the next run goes on from there", async () => {
    const { url, requests } = await serve(inTurn(...[1, 2, 3].map(() => cutAfter(bytes, 50_000, {})), file(bytes)));
    const what = wanted(`${url}/x`);
    const { trouble, pauses } = await run(what);
    expect(trouble?.message).toMatch(/^127\.0\.0\.1:\d+ could not be read: the connection was cut$/);
    expect(pauses).toEqual([2_000, 4_000]);
    expect(existsSync(what.to)).toBe(true);

    expect((await run(what)).trouble).toBeUndefined();
    expect(requests).toHaveLength(4);
    expect(requests[3]?.headers.range).toMatch(/^bytes=\d+-$/);
  });

  test("what an earlier run left, and is longer than the file, is thrown away", async () => {
    const { url } = await serve(file(bytes));
    const what = wanted(`${url}/x`);
    await run(wanted(`${url}/x`, { to: what.to }));
    writeFileSync(what.to, randomBytes(bytes.length + 10));
    expect((await run(what)).trouble).toBeUndefined();
    expect(readFileSync(what.to).equals(bytes)).toBe(true);
  });

  test("a server that refuses connections", async () => {
    const { trouble, pauses } = await run(wanted("http://127.0.0.1:1/x"));
    expect(trouble?.message).toBe("127.0.0.1:1 could not be read: it refuses connections");
    expect(pauses).toHaveLength(2);
  });

  test("a server that accepts and says nothing is given up after the stall bound, not never", async () => {
    const { url, requests } = await serve(() => {});
    const { trouble } = await run(wanted(`${url}/x`), { stallMs: 100 });
    expect(trouble?.message).toMatch(/sends next to nothing/);
    expect(requests).toHaveLength(3);
  });

  test("a server that trickles is stalled too; one that is slow and steady is not", async () => {
    let timer: NodeJS.Timeout | undefined;
    onTestFinished(() => clearInterval(timer));
    const steady = (chunk: number) =>
      serve((_, response) => {
        let at = 0;
        response.writeHead(200, { "content-length": bytes.length });
        timer = setInterval(() => {
          response.write(bytes.subarray(at, (at += chunk)));
          if (at >= bytes.length) response.end(() => clearInterval(timer));
        }, 20);
      });
    const trickle = await steady(2);
    expect((await run(wanted(`${trickle.url}/x`), { stallMs: 200 })).trouble?.message).toMatch(/sends next to nothing/);
    clearInterval(timer);
    const slow = await steady(10_000);
    expect((await run(wanted(`${slow.url}/x`), { stallMs: 200 })).trouble).toBeUndefined();
  });

  test("our own end is no failure of the download", async () => {
    const stop = new AbortController();
    const { url } = await serve((_, response) => {
      response
        .writeHead(200, { "content-length": bytes.length })
        .write(bytes.subarray(0, 10_000), () => stop.abort(new Error("Ctrl-C")));
    });
    await expect(run(wanted(`${url}/x`), { signal: stop.signal })).rejects.toThrow("Ctrl-C");
  });
});

describe("what is not the file", () => {
  test("another file is refused after three tries, with what was expected and what was found, and does not stay", async () => {
    const other = randomBytes(5_000);
    const { url, requests } = await serve(file(other));
    const what = wanted(`${url}/x`);
    const { trouble } = await run(what);
    expect(trouble?.kind).toBe("mismatch");
    expect(trouble?.message).toContain(`expected sha256 ${sha256(bytes)}, found ${sha256(other)}`);
    expect(existsSync(what.to)).toBe(false);
    expect(requests).toHaveLength(3);
    expect(requests.every(({ headers }) => headers.range === undefined)).toBe(true);
  });

  test("#609: bytes that were damaged on the way are fetched again", async () => {
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8((damaged.readUInt8(7) + 1) % 256, 7);
    const { url } = await serve(inTurn(file(damaged), file(bytes)));
    expect((await run(wanted(`${url}/x`))).trouble).toBeUndefined();
  });

  test("#607: too few bytes are a cut transfer, not an attack", async () => {
    const { url } = await serve(file(Buffer.from("proxy error")));
    const { trouble } = await run(wanted(`${url}/x`));
    expect(trouble?.kind).toBe("transfer");
    expect(trouble?.message).toMatch(/sent 11 bytes only/);
  });

  test.each([
    ["by its type", status(200, { "content-type": "text/html; charset=utf-8" }, `<p>${"sign in ".repeat(500)}</p>`)],
    [
      "by what it says, whatever its type",
      status(200, { "content-type": "application/octet-stream" }, `\n<!DOCTYPE html>${"x".repeat(5_000)}`),
    ],
  ])("#611: a sign-in page is told apart %s", async (_, answer) => {
    const { url, requests } = await serve(answer);
    const what = wanted(`${url}/x`);
    const { trouble } = await run(what);
    expect(trouble?.message).toMatch(/a web page came from 127\.0\.0\.1:\d+ in place of the file/);
    expect(trouble?.hint).toContain("sign in");
    expect(requests).toHaveLength(1);
    expect(existsSync(what.to)).toBe(false);
  });

  test.each([
    [404, 1],
    [403, 1],
    [500, 3],
    [503, 3],
    [429, 3],
  ])("status %i is asked %i times", async (code, times) => {
    const { url, requests } = await serve(status(code));
    const { trouble } = await run(wanted(`${url}/k3d-linux-amd64`));
    expect(trouble?.message).toMatch(new RegExp(`^127\\.0\\.0\\.1:\\d+ answers ${code} for /k3d-linux-amd64$`));
    expect(requests).toHaveLength(times);
  });

  test("redirects in a circle end", async () => {
    const { url, requests } = await serve(status(302, { location: "/again" }));
    expect((await run(wanted(`${url}/x`))).trouble?.message).toContain("redirects more than 5 times");
    expect(requests).toHaveLength(6);
  });
});

describe("TLS and proxies", () => {
  const tls = selfSigned("tools.example.com");
  const pair = `Basic ${Buffer.from("ann:p@ss:w%rd").toString("base64")}`;

  test("a certificate that nobody vouches for is refused at once, with what to do", async () => {
    const { port, requests } = await serve(file(bytes), tls);
    const { trouble, pauses } = await run(wanted(`https://127.0.0.1:${port}/x`));
    expect(trouble?.message).toMatch(
      /the certificate of 127\.0\.0\.1:\d+ is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    );
    expect(trouble?.hint).toContain("NODE_EXTRA_CA_CERTS");
    expect(pauses).toEqual([]);
    expect(requests).toEqual([]);
  });

  test("https goes through a tunnel of the proxy, with its user and password", async () => {
    const { port } = await serve(file(bytes), tls);
    const proxy = await proxyTo(port, pair);
    const environment = { HTTPS_PROXY: proxy.url.replace("//", "//ann:p%40ss:w%25rd@") };
    const { trouble } = await run(wanted("https://tools.example.com/k3d"), { environment, ca: [tls.cert] });
    expect(trouble).toBeUndefined();
    expect(proxy.connects).toEqual([{ to: "tools.example.com:443", authorization: pair }]);
  });

  test("a certificate for another name is refused behind a proxy too", async () => {
    const { port } = await serve(file(bytes), tls);
    const proxy = await proxyTo(port);
    const { trouble } = await run(wanted("https://other.example.com/k3d"), {
      environment: { https_proxy: proxy.url },
      ca: [tls.cert],
    });
    expect(trouble?.message).toContain("ERR_TLS_CERT_ALTNAME_INVALID");
  });

  test("a proxy that wants a user is named, and the password that was wrong is not", async () => {
    const { port } = await serve(file(bytes), tls);
    const proxy = await proxyTo(port, pair);
    const environment = { HTTPS_PROXY: proxy.url.replace("//", "//ann:hunter2@") };
    const { trouble } = await run(wanted("https://tools.example.com/k3d"), { environment, ca: [tls.cert] });
    expect(trouble?.message).toBe(`the proxy ${new URL(proxy.url).host} wants a user and a password`);
    expect(JSON.stringify([trouble?.message, trouble?.hint, trouble?.stack])).not.toContain("hunter2");
    expect(proxy.connects).toHaveLength(1);
  });

  test("plain http is asked of the proxy as a whole address: CONNECT is for 443", async () => {
    const { port } = await serve(file(bytes));
    const proxy = await proxyTo(port, pair);
    const environment = { HTTP_PROXY: proxy.url.replace("//", "//ann:p%40ss:w%25rd@") };
    expect((await run(wanted("http://mirror.example.com:8080/k3d"), { environment })).trouble).toBeUndefined();
    expect(proxy.requests[0]?.url).toBe("http://mirror.example.com:8080/k3d");
    expect(proxy.requests[0]?.headers.host).toBe("mirror.example.com:8080");
    expect(proxy.connects).toEqual([]);
  });

  test("a proxy that cannot be one is said to be", async () => {
    const { trouble, pauses } = await run(wanted("https://tools.example.com/k3d"), {
      environment: { HTTPS_PROXY: "socks5://ann:hunter2@proxy:1080" },
    });
    expect(pauses).toEqual([]);
    expect(trouble?.message).toContain("HTTPS_PROXY does not name a proxy");
    expect(trouble?.message).not.toContain("hunter2");
  });

  test("https is not led to plain http", async () => {
    const { port } = await serve(status(302, { location: "http://tools.example.com/k3d" }), tls);
    const proxy = await proxyTo(port);
    const { trouble } = await run(wanted("https://tools.example.com/k3d"), {
      environment: { https_proxy: proxy.url, http_proxy: proxy.url },
      ca: [tls.cert],
    });
    expect(trouble?.message).toContain("redirects to plain http");
    expect(proxy.requests).toEqual([]);
  });
});
