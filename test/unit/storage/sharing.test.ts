import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { RunResult } from "../../../src/process/runner.ts";
import { notShared, proveShared, readSharing } from "../../../src/storage/sharing.ts";
import { exited, machine, scripted, timedOut } from "../cluster/stand-in.ts";
import { answer } from "./answers.ts";

const token = "00112233445566778899aabb";

describe("what the node says of a token", () => {
  test.each<[string, RunResult, string]>([
    ["it is there, and it may answer", answer("shared"), "both ways"],
    ["it is there, and it may not answer", exited({ stdout: `shared 0 1 ${token}\n` }), "read only"],
    ["B23: nothing is there", answer("shared: not there"), "not shared"],
    ["B23: another token is there", exited({ stdout: "shared 0 0 ffff\n" }), "not shared"],
    ["B02: exit 0 and nothing", exited(), "unknown"],
    ["the right line, then exit code 137", exited({ stdout: `shared 0 0 ${token}\n`, exitCode: 137 }), "unknown"],
    ["its disk did not answer", exited({ stdout: "shared 137 1 \n" }), "unknown"],
    ["it may not be read", exited({ stdout: "shared 1 1 \n" }), "unknown"],
    ["no answer", timedOut, "unknown"],
    ["a carriage return", exited({ stdout: `shared 0 0 ${token}\r\n` }), "both ways"],
  ])("%s", (_, result, sharing) => {
    const seen = readSharing(result, token);
    expect(seen.state === "known" ? seen.value : seen.state).toBe(sharing);
  });
});

describe("a folder that the node must see", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tracebloc-shared-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** A node that answers as `say` does, given the token that it finds in the script. */
  function node(say: (token: string, name: string) => RunResult) {
    return scripted((command) => {
      const script = String(command.stdin);
      const name = /\.tracebloc-shared-[0-9a-f]{8}/.exec(script)?.[0] ?? "";
      return say(/\b[0-9a-f]{24}\b/.exec(script)?.[0] ?? "", name);
    });
  }

  async function prove(runner: ReturnType<typeof node>) {
    const seen = await proveShared({ folder, base: "/tracebloc" }, "node", machine(runner));
    return {
      says: seen.state === "known" ? seen.value : seen.why,
      left: readdirSync(folder),
      calls: runner.calls.length,
    };
  }

  test("is shared where the answer arrives too", async () => {
    const runner = node((secret, name) => {
      writeFileSync(join(folder, `${name}.answer`), `${secret}\n`);
      return exited({ stdout: `shared 0 0 ${secret}\n` });
    });
    expect(await prove(runner)).toEqual({ says: "both ways", left: [], calls: 1 });
  });

  test("B23: is not, where the answer went somewhere else", async () => {
    expect(await prove(node((secret) => exited({ stdout: `shared 0 0 ${secret}\n` })))).toMatchObject({
      says: "not shared",
      left: [],
    });
  });

  test("B23: is not, where the token stays unseen at a second look", async () => {
    expect(await prove(node(() => answer("shared: not there")))).toEqual({ says: "not shared", left: [], calls: 2 });
  });

  test("is, where it was only late to be seen", async () => {
    let looks = 0;
    const late = node((secret) => exited({ stdout: looks++ === 0 ? "shared 3 1 \n" : `shared 0 1 ${secret}\n` }));
    expect(await prove(late)).toEqual({ says: "read only", left: [], calls: 2 });
  });

  test("is unknown, and asked nothing, where this user may not write", async () => {
    const runner = node(() => exited());
    const seen = await proveShared({ folder: join(folder, "gone"), base: "/tracebloc" }, "node", machine(runner));
    expect([seen.state, runner.calls]).toEqual(["unknown", []]);
  });

  test("B23: is refused with what to do", () => {
    const finding = notShared({ folder: "/home/ada/.tracebloc", base: "/tracebloc" }, "k3d-tracebloc-server-0");
    expect(finding).toMatchObject({
      reason: "STORAGE_NOT_SHARED",
      says: "the container engine does not see /home/ada/.tracebloc: /tracebloc in k3d-tracebloc-server-0 is another folder",
    });
  });
});
