import { describe, expect, test } from "vitest";

import { candidatesOnPath, findInvocation, type Start } from "../../../src/platform/invocation.ts";
import { platformOf } from "./personalities.ts";

const linux = platformOf("linux");
const windows = platformOf("windows");
const script = "/usr/lib/node_modules/tracebloc/dist/bin.cjs";
const npxScript = "/home/mia/.npm/_npx/b014a5d0029b2192/node_modules/tracebloc/dist/bin.cjs";
const npxBin = { path: "/home/mia/.npm/_npx/b014a5d0029b2192/node_modules/.bin/tracebloc", leadsTo: npxScript };
const goCli = { path: "/usr/local/bin/tracebloc", leadsTo: "/usr/local/bin/tracebloc" };

function start(changes: Partial<Omit<Start, "lookUp">> & { onPath?: ReturnType<Start["lookUp"]> }): Start {
  const { onPath = [], ...rest } = changes;
  return { platform: linux, environment: {}, script, lookUp: () => onPath, ...rest };
}

// What npm 11 sets for `npx tracebloc`, recorded.
const npxEnvironment = {
  npm_command: "exec",
  npm_lifecycle_event: "npx",
  npm_config_user_agent: "npm/11.19.1 node/v20.20.2 linux x64 workspaces/false",
};

describe("the line that starts this program again", () => {
  test("is npx under npx, though its own folder is first on PATH", () => {
    const given = start({ environment: npxEnvironment, script: npxScript, onPath: [npxBin] });
    expect(findInvocation(given)).toEqual({ command: "npx tracebloc" });
  });

  test("names the package that npx was given", () => {
    const environment = { ...npxEnvironment, npm_config_package: "../pkg/trace bloc.tgz" };
    expect(findInvocation(start({ environment, script: npxScript, onPath: [npxBin] }))).toEqual({
      command: "npx --package '../pkg/trace bloc.tgz' tracebloc",
    });
  });

  test("under npx, another program of that name on the person's PATH is named", () => {
    const given = start({ environment: npxEnvironment, script: npxScript, onPath: [npxBin, goCli] });
    expect(findInvocation(given)).toEqual({ command: "npx tracebloc", otherOnPath: "/usr/local/bin/tracebloc" });
  });

  test("is the plain name where PATH leads to this program", () => {
    const onPath = [{ path: "/usr/bin/tracebloc", leadsTo: script }];
    expect(findInvocation(start({ onPath }))).toEqual({ command: "tracebloc" });
  });

  test("is a line with the script where another program comes first on PATH", () => {
    const onPath = [goCli, { path: "/usr/bin/tracebloc", leadsTo: script }];
    expect(findInvocation(start({ onPath }))).toEqual({
      command: `node ${script}`,
      otherOnPath: "/usr/local/bin/tracebloc",
    });
  });

  test("is a line with the script where PATH has none", () => {
    expect(findInvocation(start({ script: "/home/mia/my work/dist/bin.cjs" }))).toEqual({
      command: "node '/home/mia/my work/dist/bin.cjs'",
    });
  });

  test("on Windows npm's shim beside the package is this program", () => {
    const given = start({
      platform: windows,
      script: "C:\\Users\\mia\\AppData\\Roaming\\npm\\node_modules\\tracebloc\\dist\\bin.cjs",
      onPath: [
        {
          path: "C:\\Users\\mia\\AppData\\Roaming\\npm\\tracebloc.cmd",
          leadsTo: "C:\\Users\\mia\\AppData\\Roaming\\npm\\tracebloc.cmd",
        },
      ],
    });
    expect(findInvocation(given)).toEqual({ command: "tracebloc" });
  });

  test("on Windows the old installer's program is another one", () => {
    const other = "C:\\Users\\mia\\AppData\\Local\\Programs\\tracebloc\\tracebloc.exe";
    const given = start({
      platform: windows,
      script: "C:\\Users\\mia\\AppData\\Roaming\\npm\\node_modules\\tracebloc\\dist\\bin.cjs",
      onPath: [{ path: other, leadsTo: other }],
    });
    expect(findInvocation(given)).toEqual({
      command: "node C:\\Users\\mia\\AppData\\Roaming\\npm\\node_modules\\tracebloc\\dist\\bin.cjs",
      otherOnPath: other,
    });
  });
});

describe("where a program may lie", () => {
  test("on POSIX, each absolute folder of PATH in its order; never the current folder", () => {
    expect(candidatesOnPath("helm", linux, { PATH: "/a::.:b:/c d" })).toEqual(["/a/helm", "/c d/helm"]);
  });

  test("on Windows, with each ending that a shell tries", () => {
    const environment = { PATH: "C:\\a;D:\\b", PATHEXT: ".EXE;.CMD" };
    expect(candidatesOnPath("helm", windows, environment)).toEqual([
      "C:\\a\\helm.exe",
      "C:\\a\\helm.cmd",
      "D:\\b\\helm.exe",
      "D:\\b\\helm.cmd",
    ]);
  });

  test("without PATH there is nowhere", () => {
    expect(candidatesOnPath("helm", linux, {})).toEqual([]);
  });
});
