// A stand-in for the product's backend: the one call by which the installer checks a client's credentials. On loopback alone.
// Run by itself it listens until it is ended: node scripts/lab/backend.mjs

import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

import "../outlive-readers.mjs";

/** The client that the stand-in accepts. */
export const labClient = "lab-client";
export const labPassword = "lab-password";

/** Clients for the other answers, whatever their password. */
export const inactiveClient = "inactive-client"; // 401: known, not activated
export const brokenClient = "broken-client"; // 500
export const silentClient = "silent-client"; // no answer at all

const HOST = "127.0.0.1";
const PORT = 6588;
const BODY_LIMIT = 10_000;

/** Where the stand-in listens when it is run by itself. */
export const backendUrl = (port = PORT) => `http://${HOST}:${port}`;

/**
 * Starts the stand-in on a port of the system's choice, or the given one. Returns its URL, the requests it saw as
 * `{ path, username, status }` (no passwords), and `stop`.
 */
export async function start({ port = 0 } = {}) {
  const seen = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, backendUrl()).pathname;
    const form = new URLSearchParams(await body(request));
    const username = form.get("username");
    const status = judge(request, path, form);
    seen.push({ path, username, status });
    if (status === null) return;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(status === 200 ? { token: "lab-token" } : { detail: `lab: ${status}` }));
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, resolve);
  });
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections(); // the silent client's would keep it open
    });
  return { url: backendUrl(server.address().port), seen, stop };
}

/** The status to answer with; null for none. */
function judge(request, path, form) {
  if (path !== "/api-token-auth/") return 404;
  if (request.method !== "POST") return 405;
  if (!request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded")) return 415;
  const username = form.get("username");
  if (username === silentClient) return null;
  if (username === brokenClient) return 500;
  if (username === inactiveClient) return 401;
  return username === labClient && form.get("password") === labPassword ? 200 : 400;
}

async function body(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    if (text.length < BODY_LIMIT) text += chunk;
  }
  return text;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const backend = await start({ port: PORT });
    process.stdout.write(`${backend.url}\n`);
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => backend.stop());
  } catch (error) {
    const why =
      error.code === "EADDRINUSE"
        ? "is in use, perhaps by a stand-in that runs already"
        : `cannot be used (${error.message})`;
    process.stderr.write(`port ${PORT} of ${HOST} ${why}; see by what: ss -ltnp 'sport = :${PORT}'\n`);
    process.exitCode = 1;
  }
}
