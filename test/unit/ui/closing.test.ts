import { describe, expect, test } from "vitest";

import type { Finding } from "../../../src/engine/finding.ts";
import type { Outcome } from "../../../src/engine/outcome.ts";
import { version } from "../../../src/platform/version.ts";
import { closingLines, type Closing } from "../../../src/ui/closing.ts";

const style = { colour: false, width: 120 };

function close(
  state: Outcome["state"],
  asked: Partial<Closing> = {},
  outcome: Partial<Outcome> = {},
  looks = style,
): string[] {
  return closingLines(
    {
      command: "install",
      outcome: { state, exit: 0, failures: [], warnings: [], ...outcome },
      actions: [],
      then: [],
      wasInstalled: true,
      datasets: "/srv/tb/tracebloc/data",
      kept: ["/srv/tb/tracebloc"],
      inCluster: false,
      deletion: "npx tracebloc uninstall --delete-data",
      log: "/state/runs/1.ndjson",
      state: "/state",
      spelled: (command) => `npx ${command}`,
      otherOnPath: undefined,
      quiet: false,
      ms: 230,
      ...asked,
    },
    looks,
  );
}

const did = (kind: string, says = kind, because = "it was not") => ({ do: kind, says, because });
const hint: Finding = { reason: "DISK_LOW", room: "host", says: "/srv has 3.0 GB free", remedies: [] };
const missing: Finding = { reason: "TOOL_MISSING", room: "tools", says: "no helm", remedies: [] };

describe("the last lines of an install", () => {
  test("that had nothing to do", () => {
    expect(close("healthy")).toEqual([`tracebloc ${version} · everything is in place, proven just now (0.2 s)`]);
  });

  test("of a new client say where data goes and what is next", () => {
    const actions = [did("cluster.create"), did("storage.prepare"), did("release.apply"), did("release.await")];
    expect(close("healthy", { wasInstalled: false, actions })).toEqual([
      "",
      "Your client is running (0.2 s). Datasets go to /srv/tb/tracebloc/data",
      "Next: npx tracebloc status · run this command again whenever something is wrong",
    ]);
  });

  test("name the program that a person gets who types our name", () => {
    const asked = { wasInstalled: false, actions: [did("cluster.create")], otherOnPath: "/usr/local/bin/tracebloc" };
    expect(close("healthy", asked).at(-1)).toBe("Plain `tracebloc` is another program here: /usr/local/bin/tracebloc");
  });

  test.each([
    [["storage.prepare"], "repaired 1 thing"],
    [["cluster.start", "storage.prepare", "release.await"], "repaired two things"],
    [["release.apply", "release.await"], "changed the release"],
    [["storage.prepare", "release.apply"], "repaired 1 thing, changed the release"],
    [["release.await"], "waited until it was ready"],
  ])("that did %j", (kinds, said) => {
    expect(close("healthy", { actions: kinds.map((kind) => did(kind)) })).toEqual([
      `tracebloc ${version} · ${said}; everything is in place (0.2 s)`,
    ]);
  });

  test("that was refused count what is to be mended", () => {
    expect(close("refused", {}, { exit: 3, failures: [missing] }).at(-1)).toBe(
      "Nothing was changed. Mend it, then run the same command again.     exit 3",
    );
    expect(close("refused", {}, { exit: 3, failures: [missing, missing] }).at(-1)).toBe(
      "Nothing was changed. Two things to mend, then run the same command again.     exit 3",
    );
  });

  test("that broke off name the log", () => {
    expect(close("failed", {}, { exit: 4, failures: [missing] }).slice(-2)).toEqual([
      "Not finished (0.2 s). The same command goes on from here.     exit 4",
      "What happened is in /state/runs/1.ndjson",
    ]);
  });

  test("--quiet leaves out success and hints, and keeps what is not as it should be", () => {
    const blocked: Finding = { reason: "STORAGE_BLOCKED", room: "storage", says: "data is read-only", remedies: [] };
    expect(close("healthy", { quiet: true }, { warnings: [hint] })).toEqual([]);
    const told = close("degraded", { quiet: true }, { exit: 6, warnings: [hint, blocked] });
    expect(told[0]).toBe("  ✗ Directories    data is read-only   STORAGE_BLOCKED");
    expect(told[1]).toContain("not everything works");
  });
});

describe("the last lines of an uninstall", () => {
  test("say what stays, and how it goes", () => {
    expect(close("healthy", { command: "uninstall", actions: [did("cluster.delete")] })).toEqual([
      `tracebloc ${version} · removed (0.2 s)`,
      "Data stays in /srv/tb/tracebloc. To delete it:   npx tracebloc uninstall --delete-data",
      "Logs and fetched tools of this program stay in /state",
    ]);
  });

  test("claim no data where it was deleted, or where the cluster held it", () => {
    const deleted = [did("cluster.delete"), did("storage.delete")];
    expect(close("healthy", { command: "uninstall", actions: deleted }).join()).not.toContain("Data stays");
    expect(close("healthy", { command: "uninstall", actions: [did("cluster.delete")], kept: [] })).toHaveLength(2);
  });

  test("say that a cluster which keeps the data stays for it", () => {
    const asked = { command: "uninstall", kept: [], inCluster: true };
    const stays = "The cluster keeps the data, and stays. To delete both:   npx tracebloc uninstall --delete-data";
    expect(close("healthy", { ...asked, actions: [did("release.remove")] })[1]).toBe(stays);
    expect(close("healthy", asked)[1]).toBe(stays);
  });

  test("do not call a bare machine healthy", () => {
    expect(close("healthy", { command: "uninstall" })).toEqual([
      `tracebloc ${version} · there is nothing to remove (0.2 s)`,
    ]);
  });
});

describe("a plan", () => {
  const actions = [
    did("cluster.create", "creating cluster lab", "no cluster lab exists"),
    did("release.await", "waiting for the workloads of tracebloc", "mysql-client: 0 of 1 pods are ready"),
  ];

  test("is told in the imperative, with reasons in a column and what is decided later", () => {
    expect(close("planned", { actions, then: ["look at the client in it"] }, { warnings: [hint] })).toEqual([
      "Would do two things (nothing was changed):",
      "   1. create cluster lab                    because no cluster lab exists",
      "   2. wait for the workloads of tracebloc   because mysql-client: 0 of 1 pods are ready",
      "      then look at the client in it",
      "  ! Machine        /srv has 3.0 GB free   DISK_LOW",
    ]);
  });

  test("puts reasons on lines of their own where there is no room beside", () => {
    const lines = closingLines(
      {
        command: "plan",
        outcome: { state: "planned", exit: 0, failures: [], warnings: [] },
        actions: actions.slice(0, 1),
        then: [],
        wasInstalled: false,
        datasets: undefined,
        kept: [],
        inCluster: false,
        deletion: "",
        log: undefined,
        state: "/state",
        spelled: (command) => command,
        otherOnPath: undefined,
        quiet: false,
        ms: 1,
      },
      { colour: false, width: 50 },
    );
    expect(lines.slice(1)).toEqual(["   1. create cluster lab", "        because no cluster lab exists"]);
  });
});

describe.each([100, 80, 60])("at %i columns", (width) => {
  const actions = [
    did(
      "cluster.create",
      "creating cluster lab with a name that is as long as names of clusters can be",
      "there is none",
    ),
    did("release.await", "waiting for the workloads of tracebloc"),
  ];
  const then = ["look at the client in it, and mend what is wrong there, as far as it can be mended"];
  const endings: [Outcome["state"], Partial<Closing>?, Partial<Outcome>?][] = [
    ["healthy"],
    ["healthy", { actions }],
    ["healthy", { actions: [did("cluster.create")], wasInstalled: false, otherOnPath: "/usr/local/bin/tracebloc" }],
    ["healthy", { command: "uninstall", actions }],
    ["healthy", { command: "uninstall", actions, inCluster: true }],
    ["planned", { actions, then }],
    ["planned"],
    ["refused", {}, { exit: 3, failures: [missing] }],
    ["refused", { actions }, { exit: 3, failures: [missing, missing] }],
    ["failed", {}, { exit: 4, failures: [missing] }],
    ["interrupted", {}, { exit: 130 }],
    ["degraded", {}, { exit: 6 }],
    ["unproven", {}, { exit: 6 }],
  ];

  test.each(endings)("no line is wider: %s %j %j", (state, asked, outcome) => {
    const lines = close(state, asked, outcome, { ...style, width });
    expect(lines.filter((line) => line.length > width)).toEqual([]);
    expect(lines.join("\n")).toMatch(/\S/);
  });

  test("what is to be pasted is on one line", () => {
    const spelled = (command: string) => `node /home/ada/tracebloc/dist/bin.cjs ${command}`;
    const deletion = spelled("tracebloc uninstall --delete-data");
    const next = close("healthy", { actions, wasInstalled: false, spelled }, {}, { ...style, width });
    expect(next.join("\n")).toContain(spelled("tracebloc status"));
    const gone = close("healthy", { command: "uninstall", actions, deletion }, {}, { ...style, width });
    expect(gone.join("\n")).toContain(deletion);
  });
});
