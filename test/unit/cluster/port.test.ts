import { createServer, type AddressInfo, type Server } from "node:net";
import { afterEach, describe, expect, test } from "vitest";

import { choosePort } from "../../../src/cluster/port.ts";

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function listen(host: string, port = 0): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  open.push(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, resolve);
  });
  return (server.address() as AddressInfo).port;
}

describe("B28: a port that someone has is passed over", () => {
  test.each(["127.0.0.1", "0.0.0.0", "::"])("a listener on %s", async (host) => {
    const port = await listen(host);
    const { wished, free } = await choosePort(port);
    expect(wished).toBe(port);
    expect(free).toBeGreaterThan(port);
  });

  test("a free one is left as it is: it can be had afterwards", async () => {
    const { free } = await choosePort(42_000);
    expect(await listen("127.0.0.1", free)).toBe(free);
  });

  test("the ports come to an end", async () => {
    const { free } = await choosePort(65_535);
    expect([65_535, undefined]).toContain(free);
  });
});
