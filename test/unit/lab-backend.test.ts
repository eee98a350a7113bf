import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

import { execa } from "execa";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("../../scripts/lab/backend.mjs", import.meta.url));
const port = 6588;

test("the stand-in backend says in one line that its port is taken, and by whom that can be seen", async () => {
  const other = createServer();
  // Whoever has it already will do as well.
  await new Promise<void>((resolve) => other.once("error", () => resolve()).listen(port, "127.0.0.1", resolve));
  try {
    const { exitCode, stdout, stderr } = await execa(process.execPath, [script], { reject: false, timeout: 20_000 });
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      `port ${port} of 127.0.0.1 is in use, perhaps by a stand-in that runs already; see by what: ss -ltnp 'sport = :${port}'`,
    );
  } finally {
    other.close();
  }
});
