import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { execa } from "execa";
import { afterAll, describe, expect, test } from "vitest";

const scripts = fileURLToPath(new URL("../../../scripts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tracebloc-children-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Longer than the time in which two signals count as one key press. */
const betweenPresses = 700;

/** A script that waits for a child which says when it runs, and ends with a signal as `trap` says. */
function waiting(trap: string, options: object = {}) {
  const file = join(folder, `${Math.random()}.mjs`.slice(2));
  writeFileSync(
    file,
    `import { interrupted, start, watchInterrupts } from ${JSON.stringify(pathToFileURL(join(scripts, "children.mjs")))};
watchInterrupts(console.log);
const exit = await start("sh", ["-c", ${JSON.stringify(`${trap}; echo runs; while :; do sleep 0.1; done`)}], {
  what: "the child",
  ...${JSON.stringify(options)},
});
console.log("child", exit);
process.exitCode = interrupted();
`,
  );
  const child = execa(process.execPath, [file], { detached: true, reject: false });
  const runs = new Promise<number>((resolve) => {
    child.stdout.once("data", () => resolve(child.pid ?? 0));
  });
  return { child, runs };
}

describe("a script that is asked to end", () => {
  test("by Ctrl-C says at once what it waits for, and waits: npm's second signal is the same key press", async () => {
    const { child, runs } = waiting("trap 'sleep 0.3; exit 7' INT");
    const pid = await runs;
    process.kill(-pid, "SIGINT");
    process.kill(pid, "SIGINT");
    const { stdout, exitCode } = await child;
    expect({ lines: stdout.split("\n"), exitCode }).toEqual({
      lines: ["runs", "Interrupted: waiting for the child; once more ends this at once", "child 7"],
      exitCode: 130,
    });
  });

  test("by a signal to itself alone passes it on, and ends with that signal's code", async () => {
    const { child, runs } = waiting("trap 'exit 3' TERM");
    process.kill(await runs, "SIGTERM");
    const { stdout, exitCode } = await child;
    expect(stdout).toContain("child 3");
    expect(exitCode).toBe(143);
  });

  test("has patience with a child that does not end, and no more than that", async () => {
    const { child, runs } = waiting("trap : INT TERM", { patience: 0.5 });
    process.kill(-(await runs), "SIGINT");
    const { stdout, exitCode } = await child;
    expect(stdout).toContain("child SIGKILL");
    expect(exitCode).toBe(130);
  });

  test("twice ends at once", async () => {
    const { child, runs } = waiting("trap : INT TERM");
    const pid = await runs;
    process.kill(pid, "SIGINT");
    await new Promise((resolve) => void setTimeout(resolve, betweenPresses));
    process.kill(pid, "SIGINT");
    child.once("exit", () => process.kill(-pid, "SIGKILL"));
    const { stdout, exitCode } = await child;
    expect(exitCode).toBe(130);
    expect(stdout).not.toContain("child ");
  });
});
