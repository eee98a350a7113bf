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
    [["help", "nope"], "unknown command 'nope'"],
    [["help", "instal"], "unknown command 'instal'; did you mean install?"],
    [["instal", "--help"], "unknown command 'instal'; did you mean install?"],
    [["--help", "instal"], "unknown command 'instal'; did you mean install?"],
    [["config", "shw", "-h"], "unknown command 'shw'; did you mean show?"],
    [["help", "config", "shw"], "unknown command 'shw'; did you mean show?"],
  ])("%j is told in one line", async (argv, says) => {
    const { exit, stdout, stderr } = await told(...argv);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/Nothing was changed\. {5}exit 2\n$/);
  });

  test.each([
    [["--quiet", "install"], "--quiet goes after the command", "install --quiet"],
    [["--json", "config", "show"], "--json goes after the command", "config show --json"],
    [["--config", "a.yaml", "status", "--quiet"], "--config goes after the command", "status --config a.yaml --quiet"],
    [["--timeout=5m", "--yes", "uninstall"], "--timeout goes after the command", "uninstall --timeout=5m --yes"],
    [["--cluster", "install", "status"], "--cluster goes after the command", "status --cluster install"],
    [["--delete-data", "uninstall"], "--delete-data goes after the command", "uninstall --delete-data"],
    [["--data-dir", "a b", "install"], "--data-dir goes after the command", "install --help"],
    [["--quiet", "install", "--client-password=canary"], "--quiet goes after the command", "install --help"],
    [["--client-password", "canary", "install"], "unknown option '--client-password'", "--help"],
    [["--dry-run", "status"], "unknown option '--dry-run'", "status --help"],
    [["--quiet"], "--quiet goes after the command", "--help"],
    [["--nope", "install"], "unknown option '--nope'", "install --help"],
  ])("%j: flags before the command are told where they go", async (argv, says, remedy) => {
    const { exit, stderr } = await told(...argv);
    expect(exit).toBe(2);
    expect(stderr.split("\n")[0]).toMatch(new RegExp(` ${says} {3}USAGE$`));
    expect(stderr.split("\n")[1]).toMatch(new RegExp(` ${remedy.replace(".", "\\.")}$`));
    expect(stderr).not.toContain("canary");
  });

  test("does not repeat what was to be set: it may be a password", async () => {
    const { exit, stdout, stderr } = await told("install", "--json", "--client-password=canary");
    expect(exit).toBe(2);
    expect(stdout + stderr).not.toContain("canary");
    expect(stderr).toContain("unknown option '--client-password'");
    expect(JSON.parse(stdout)).toMatchObject({ type: "result", exit: 2, failures: [{ reason: "USAGE" }] });
  });
});

test.each([
  [["help", "config", "show"], "Usage: tracebloc config show "],
  [["config", "show", "--help"], "Usage: tracebloc config show "],
  [["help"], "Usage: tracebloc [options] [command]"],
  [["-h"], "Usage: tracebloc [options] [command]"],
  [["install", "--cluster", "x", "--help"], "Usage: tracebloc install "],
])("%j shows the help of just that, exit 0", async (argv, starts) => {
  const { exit, stdout, stderr } = await told(...argv);
  expect([exit, stderr]).toEqual([0, ""]);
  expect(stdout.startsWith(starts)).toBe(true);
});
