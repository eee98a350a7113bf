import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parseDuration } from "../../../src/config/written.ts";
import type { RunOptions } from "../../../src/config/wishes.ts";
import { load, refusals } from "./loading.ts";

async function option(key: keyof RunOptions, given: Parameters<typeof load>[0]): Promise<string> {
  const { value, origin } = (await load(given)).options[key];
  return `${String(value)} (${origin.name})`;
}

describe("durations", () => {
  test.each([
    ["600", 600_000],
    ["600s", 600_000],
    ["10m", 600_000],
    ["1h", 3_600_000],
    ["1h30m", 5_400_000],
    ["1H30M5S", 5_405_000],
    ["08m", 480_000],
    ["010", 10_000],
  ])("#442: %s is %i ms, base 10 whatever zeros lead", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(["", "m", "-1", "1.5h", "10 m", "10min", "1m1h", "0x10", "1e3", "ten", "1m2", "9".repeat(20)])(
    "%j is none",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  test("any count of hours, minutes and seconds comes out as their sum", () => {
    const count = fc.integer({ min: 0, max: 99_999 });
    fc.assert(
      fc.property(count, count, count, (hours, minutes, seconds) => {
        expect(parseDuration(`${hours}h${minutes}m${seconds}s`)).toBe((hours * 3600 + minutes * 60 + seconds) * 1000);
      }),
    );
  });

  test.each([
    ["soon", "is no duration"],
    ["0", "is out of range"],
    ["9s", "is out of range"],
    ["25h", "is out of range"],
    ["", "is empty"],
  ])("--timeout %j is refused", async (timeout, why) => {
    const [finding, ...others] = await refusals({ flags: { timeout } });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ reason: "CONFIG_INVALID" });
    expect(finding?.says).toMatch(new RegExp(`^timeout ".*" \\(--timeout\\) ${why}$`));
    expect(finding?.remedies[0]?.says).toContain("10s to 24h");
  });

  test("a flag goes before the variable, and an hour is the default", async () => {
    const environment = { TRACEBLOC_TIMEOUT: "20m" };
    expect(await option("timeoutMs", { flags: { timeout: "5m" }, environment })).toBe("300000 (--timeout)");
    expect(await option("timeoutMs", { environment })).toBe("1200000 (TRACEBLOC_TIMEOUT)");
    expect(await option("timeoutMs", {})).toBe("3600000 (1h)");
  });
});

describe("colour", () => {
  test.each([
    [{ flags: { color: false } }, "false (--no-color)"],
    [{ flags: { color: true } }, "true (as the terminal can)"],
    [{ environment: { NO_COLOR: "1" } }, "false (NO_COLOR)"],
    [{ environment: { NO_COLOR: "0" } }, "false (NO_COLOR)"],
    [{ environment: { NO_COLOR: "" } }, "true (as the terminal can)"],
    [{ environment: { TERM: "dumb" } }, "false (TERM)"],
  ])("%j: %s", async (given, expected) => {
    expect(await option("color", given)).toBe(expected);
  });
});

describe("strictness", () => {
  test.each([
    [{}, "false (off)"],
    [{ environment: { CI: "true" } }, "true (CI)"],
    [{ environment: { CI: "1" } }, "true (CI)"],
    [{ environment: { CI: "false" } }, "false (off)"],
    [{ environment: { CI: "0" } }, "false (off)"],
    [{ environment: { CI: "" } }, "false (off)"],
    [{ flags: { strict: true } }, "true (--strict)"],
    [{ flags: { strict: false }, environment: { CI: "true" } }, "false (--no-strict)"],
  ])("%j: %s", async (given, expected) => {
    expect(await option("strict", given)).toBe(expected);
  });
});

describe("the rest", () => {
  test("flags are on when given and off otherwise", async () => {
    const flags = { json: true, quiet: true, yes: true, force: true, dryRun: true };
    for (const key of ["json", "quiet", "yes", "force", "dryRun"] as const) {
      expect(await option(key, { flags })).toMatch(/^true \(--/);
      expect(await option(key, {})).toBe("false (off)");
    }
  });

  test("--quiet and --verbose exclude each other", async () => {
    const findings = await refusals({ flags: { quiet: true, verbose: true } });
    expect(findings.map(({ reason }) => reason)).toEqual(["CONFIG_CONFLICT"]);
  });

  test("TRACEBLOC_STATE_DIR moves the state, and starts at home where it is relative", async () => {
    expect(await option("stateDir", { environment: { TRACEBLOC_STATE_DIR: "/srv/state/" } })).toBe(
      "/srv/state (TRACEBLOC_STATE_DIR)",
    );
    expect(await option("stateDir", { environment: { TRACEBLOC_STATE_DIR: "state" } })).toBe(
      "/home/mia/state (TRACEBLOC_STATE_DIR)",
    );
  });

  test.each(["/", "~", "/tmp", "/etc/tracebloc", ""])(
    "it becomes private to this user, so %j is refused",
    async (path) => {
      const [finding, ...others] = await refusals({ environment: { TRACEBLOC_STATE_DIR: path } });
      expect(others).toEqual([]);
      expect(finding?.says).toMatch(/^stateDir ".*" \(TRACEBLOC_STATE_DIR\) (is|contains) /);
    },
  );
});
