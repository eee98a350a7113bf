import { afterEach, describe, expect, test, vi } from "vitest";

import { main } from "../../../src/cli/program.ts";

afterEach(() => vi.restoreAllMocks());

/** What a command line that is wrong prints on both streams, and its exit code. */
async function told(...argv: string[]): Promise<{ exit: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ["", ""];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => Boolean((stdout += String(text))));
  vi.spyOn(process.stderr, "write").mockImplementation((text) => Boolean((stderr += String(text))));
  return { exit: await main(argv), stdout, stderr };
}

describe("a command line that is wrong", () => {
  test.each([
    [["instal"], "unknown command 'instal'; did you mean install?"],
    [["install", "--nmespace", "a"], "unknown option '--nmespace'; did you mean --namespace?"],
    [["status", "now"], "status takes flags and no other words"],
  ])("%j is told in one line", async (argv, says) => {
    const { exit, stdout, stderr } = await told(...argv);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/Nothing was changed\. {5}exit 2\n$/);
  });

  test("does not repeat what was to be set: it may be a password", async () => {
    const { exit, stdout, stderr } = await told("install", "--json", "--client-password=canary");
    expect(exit).toBe(2);
    expect(stdout + stderr).not.toContain("canary");
    expect(stderr).toContain("unknown option '--client-password'");
    expect(JSON.parse(stdout)).toMatchObject({ type: "result", exit: 2, failures: [{ reason: "USAGE" }] });
  });
});
