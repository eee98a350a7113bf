import {
  createServer as createPlain,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createSecure } from "node:https";
import { connect, type AddressInfo } from "node:net";

import { onTestFinished } from "vitest";

export type Served = { port: number; url: string; requests: IncomingMessage[] };

/** A real server on this machine's own address, gone when the test is. */
export async function serve(answer: RequestListener, tls?: { key: string; cert: string }): Promise<Served> {
  const requests: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    answer(request, response);
  };
  const server = tls === undefined ? createPlain(listener) : createSecure(tls, listener);
  const port = await listening(server);
  return { port, url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`, requests };
}

/** One answer after another; the last again and again. */
export function inTurn(...answers: readonly RequestListener[]): RequestListener {
  let turn = 0;
  return (request, response) => answers[Math.min(turn++, answers.length - 1)]?.(request, response);
}

/** Serves a file as a good server does: with a validator, and from where it is asked to go on. */
export function file(bytes: Buffer, etag = '"one"'): RequestListener {
  return (request, response) => {
    const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const same = request.headers["if-range"] === undefined || request.headers["if-range"] === etag;
    if (from === 0 || !same) return end(response.writeHead(200, { etag, "content-length": bytes.length }), bytes);
    if (from >= bytes.length) return end(response.writeHead(416), Buffer.alloc(0));
    const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
    return end(
      response.writeHead(206, { etag, "content-range": range, "content-length": bytes.length - from }),
      bytes.subarray(from),
    );
  };
}

/** Promises the whole and cuts the connection after some of it has left. */
export function cutAfter(
  bytes: Buffer,
  count: number,
  headers: Record<string, string> = { etag: '"one"' },
): RequestListener {
  return (_, response) => {
    response.writeHead(200, { ...headers, "content-length": bytes.length });
    response.write(bytes.subarray(0, count), () => setTimeout(() => response.destroy(), 50));
  };
}

export function status(code: number, headers: Record<string, string> = {}, body = ""): RequestListener {
  return (_, response) => end(response.writeHead(code, headers), Buffer.from(body));
}

function end(response: ServerResponse, body: Buffer): void {
  response.end(body);
}

export type Proxy = {
  url: string;
  connects: { to: string; authorization: string | undefined }[];
  requests: IncomingMessage[];
};

/** A proxy that leads every name to one port of this machine, and wants a user if told so. */
export async function proxyTo(port: number, wants?: string): Promise<Proxy> {
  const connects: Proxy["connects"] = [];
  const requests: IncomingMessage[] = [];
  const server = createPlain((request, response) => {
    requests.push(request);
    if (wants !== undefined && request.headers["proxy-authorization"] !== wants) {
      return void response.writeHead(407).end();
    }
    const upstream = connect(port, "127.0.0.1", () => {
      upstream.write(`GET ${new URL(request.url ?? "").pathname} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      upstream.pipe(response.socket ?? upstream);
    });
    return undefined;
  });
  server.on("connect", (request, client, head) => {
    const authorization = request.headers["proxy-authorization"];
    connects.push({ to: request.url ?? "", authorization });
    if (wants !== undefined && authorization !== wants) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    const upstream = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  });
  const at = await listening(server);
  return { url: `http://127.0.0.1:${at}`, connects, requests };
}

function listening(server: Server): Promise<number> {
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
