import { connect, createServer } from "node:net";

import type { PortChoice } from "./facts.ts";

/** How many ports are tried, from the wished one on. */
const tries = 50;

/** Finds the first port of 127.0.0.1 from `wished` on that nothing uses. Looks only; between here and k3d another program may take it. */
export async function choosePort(wished: number): Promise<PortChoice> {
  for (let port = wished; port < Math.min(wished + tries, 65_536); port++) {
    if (await isFree(port)) return { wished, free: port };
  }
  return { wished, free: undefined };
}

/**
 * Free is a port that can be listened on (Windows keeps whole ranges to itself) and that nobody answers on. Listening
 * alone does not tell: macOS lets 127.0.0.1 be taken beside a listener on all addresses (B28).
 */
async function isFree(port: number): Promise<boolean> {
  return (await canListen(port)) && !(await answers(port));
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const finish = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(500, () => finish(true));
    socket.once("connect", () => finish(true));
    socket.once("error", () => finish(false));
  });
}
