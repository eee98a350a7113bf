import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:https";
import { createServer as createTcpServer, type AddressInfo, type Server as NetServer } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";

import { isReady, isStale, saysOf, type ChangingApi } from "../../../src/cluster/api.ts";
import { httpsApi } from "../../../src/cluster/https-api.ts";
import { fixture } from "./stand-in.ts";

type Handler = Parameters<typeof createServer>[1];

const open: NetServer[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    (server as Partial<Server>).closeAllConnections?.();
    server.close();
  }
});

async function listening(server: NetServer): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** An API server with a certificate of `tls/`, and our road to it. */
async function serving(certificate: string, handler: Handler, client = "client"): Promise<ChangingApi> {
  const server = createServer(
    {
      cert: fixture(`tls/${certificate}.crt`),
      key: fixture(`tls/${certificate}.key`),
      requestCert: true,
      rejectUnauthorized: false,
    },
    handler,
  );
  return roadTo(await listening(server), client);
}

function roadTo(port: number, client = "client", ca = fixture("tls/ca.crt")): ChangingApi {
  return httpsApi({
    context: "k3d-tracebloc",
    host: "127.0.0.1",
    port,
    ca,
    certificate: fixture(`tls/${client}.crt`),
    key: fixture(`tls/${client}.key`),
  });
}

const limit = { timeoutMs: 5000 };

describe("an API that answers", () => {
  test("gives JSON, text and any status; the client certificate and what was asked for arrive", async () => {
    const seen: unknown[] = [];
    const api = await serving("server", (request, response) => {
      const subject = (request.socket as TLSSocket).getPeerCertificate().subject;
      seen.push([request.method, request.url, request.headers.accept, subject.CN]);
      response
        .writeHead(request.url === "/readyz" ? 500 : 200)
        .end(request.url === "/readyz" ? "[+]ping ok\n[-]etcd failed: reason withheld" : '{"kind":"PodList"}');
    });
    expect(await api.get("/api/v1/pods?limit=1", { ...limit, accept: "application/json;as=Table" })).toEqual({
      outcome: "answered",
      status: 200,
      text: '{"kind":"PodList"}',
      json: { kind: "PodList" },
    });
    const unready = await api.get("/readyz", limit);
    expect(unready).toEqual({
      outcome: "answered",
      status: 500,
      text: "[+]ping ok\n[-]etcd failed: reason withheld",
      json: undefined,
    });
    expect([isReady(unready), isStale(unready), saysOf(unready)]).toEqual([
      false,
      false,
      "answered 500: [-]etcd failed: reason withheld",
    ]);
    expect(seen).toEqual([
      ["GET", "/api/v1/pods?limit=1", "application/json;as=Table", "example-admin"],
      ["GET", "/readyz", "application/json", "example-admin"],
    ]);
  });

  test("is read again over the same connection", async () => {
    const ports = new Set<number | undefined>();
    const api = await serving("server", (request, response) => {
      ports.add(request.socket.remotePort);
      response.end("ok");
    });
    for (let time = 0; time < 3; time++) expect(isReady(await api.get("/readyz", limit))).toBe(true);
    expect(ports.size).toBe(1);
  });

  test("is asked to merge a change into an object", async () => {
    const seen: unknown[] = [];
    const api = await serving("server", (request, response) => {
      request.on("data", (body: Buffer) => {
        seen.push([request.method, request.url, request.headers["content-type"], String(body)]);
        response.writeHead(409).end('{"kind":"Status","message":"the object has been modified"}');
      });
    });
    const change = { spec: { claimRef: { uid: null } } };
    const answer = await api.patch("/api/v1/persistentvolumes/site-data-pv", change, limit);
    expect(answer).toMatchObject({ outcome: "answered", status: 409 });
    expect(seen).toEqual([
      ["PATCH", "/api/v1/persistentvolumes/site-data-pv", "application/merge-patch+json", JSON.stringify(change)],
    ]);
  });

  test("is not believed where its answer is endless", async () => {
    const api = await serving("server", (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1 << 20)));
      };
      response.on("drain", more);
      more();
    });
    expect(await api.get("/api/v1/pods", { timeoutMs: 8000 })).toMatchObject({
      outcome: "broken",
      why: "its answer is longer than 16 MiB",
    });
  });
});

describe("an API that does not answer is told apart", () => {
  test("nothing listens", async () => {
    const server = createTcpServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await roadTo(port).get("/readyz", limit)).toMatchObject({ outcome: "refused" });
  });

  test("it accepts and never speaks", async () => {
    const port = await listening(createTcpServer((socket) => void socket.on("error", () => socket.destroy())));
    expect(await roadTo(port).get("/readyz", { timeoutMs: 200 })).toEqual({
      outcome: "timed-out",
      why: "did not answer within 0.2 s",
    });
  });

  test("it takes the request and never answers, or begins and never ends", async () => {
    const api = await serving("server", (request, response) => void (request.url === "/half" && response.write("{")));
    expect(await api.get("/silent", { timeoutMs: 200 })).toMatchObject({ outcome: "timed-out" });
    expect(await api.get("/half", { timeoutMs: 200 })).toMatchObject({ outcome: "timed-out" });
  });

  test("it breaks off", async () => {
    const api = await serving("server", (request) => request.socket.destroy());
    expect(await api.get("/readyz", limit)).toMatchObject({ outcome: "broken" });
    const port = await listening(createTcpServer((socket) => socket.destroy()));
    expect(await roadTo(port).get("/readyz", limit)).toMatchObject({ outcome: "broken" });
  });

  test("the cluster was made anew: another CA signed its certificate", async () => {
    const answer = await (await serving("stranger", (_, response) => response.end("ok"))).get("/readyz", limit);
    expect(answer).toMatchObject({ outcome: "mismatch" });
    expect(isStale(answer)).toBe(true);
  });

  test("another program has the port, and speaks no TLS", async () => {
    const port = await listening(createHttpServer((_, response) => response.end("hello")));
    expect(await roadTo(port).get("/readyz", limit)).toMatchObject({ outcome: "mismatch" });
  });

  test("B41: the server's certificate is past its time", async () => {
    const answer = await (await serving("expired", (_, response) => response.end("ok"))).get("/readyz", limit);
    expect(answer).toMatchObject({ outcome: "expired" });
  });

  test("B41: ours is: the server only says that it does not know us", async () => {
    const refusing: Handler = (_, response) => response.writeHead(401).end('{"kind":"Status"}');
    expect(await (await serving("server", refusing, "old-client")).get("/readyz", limit)).toMatchObject({
      outcome: "expired",
      why: "no longer takes our certificate, valid until Jan  1 00:00:00 2021 GMT",
    });
    const known = await (await serving("server", refusing)).get("/readyz", limit);
    expect(known).toMatchObject({ outcome: "answered", status: 401 });
    expect(isStale(known)).toBe(true);
  });

  test("a key that cannot be read is told, not thrown", async () => {
    const api = httpsApi({
      context: "c",
      host: "127.0.0.1",
      port: 9,
      ca: "",
      certificate: "-----BEGIN x",
      key: "-----BEGIN canary-key",
    });
    const answer = await api.get("/readyz", limit);
    expect(answer).toMatchObject({ outcome: "broken" });
    expect(JSON.stringify(answer)).not.toContain("canary-key");
  });
});
