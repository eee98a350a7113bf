import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { meaningOf } from "../../../src/cluster/complaints.ts";
import { enginesOn } from "../../../src/platform/engines.ts";
import { commandLine } from "../../../src/platform/shell.ts";
import { spell, spellCommand, type Spelling } from "../../../src/ui/spelling.ts";
import { platformOf } from "../files/support.ts";

const spelling: Spelling = {
  tracebloc: "npx tracebloc",
  helm: "helm --kubeconfig /state/kubeconfig.yaml",
  k3d: "/state/tools/k3d-5.9.0",
  kubectl: "docker exec k3d-lab-server-0 kubectl",
  isRoot: false,
  which: [{ flag: "--cluster", text: "--cluster lab" }],
  wished: [
    { flag: "--cluster", text: "--cluster lab" },
    { flag: "--data-dir", text: "--data-dir '/srv/my data'" },
  ],
};

test.each([
  ["tracebloc status", "npx tracebloc status --cluster lab"],
  // The same command again is the same command: without --data-dir it would make another cluster.
  ["tracebloc install", "npx tracebloc install --cluster lab --data-dir '/srv/my data'"],
  ["tracebloc install --timeout 2h", "npx tracebloc install --timeout 2h --cluster lab --data-dir '/srv/my data'"],
  // A remedy that says what to ask for knows why.
  ["tracebloc install --data-dir /srv/b", "npx tracebloc install --data-dir /srv/b --cluster lab"],
  ["tracebloc install --cluster lab-2", "npx tracebloc install --cluster lab-2 --data-dir '/srv/my data'"],
  ["tracebloc install --cluster=lab-2", "npx tracebloc install --cluster=lab-2 --data-dir '/srv/my data'"],
  // The folder that was to hold the data is to hold datasets: it cannot do both.
  [
    "tracebloc install --dataset-dir '/srv/my data'",
    "npx tracebloc install --dataset-dir '/srv/my data' --cluster lab",
  ],
  // A command is not handed flags that it does not take.
  ["tracebloc config schema", "npx tracebloc config schema"],
  ["tracebloc config show", "npx tracebloc config show --cluster lab"],
  ["tracebloc --help", "npx tracebloc --help"],
  ["tracebloc status --help", "npx tracebloc status --help"],
  ["k3d cluster start lab", "/state/tools/k3d-5.9.0 cluster start lab"],
  ["TB_X=1 tracebloc status", "TB_X=1 npx tracebloc status --cluster lab"],
  ["helm history tracebloc", "helm --kubeconfig /state/kubeconfig.yaml history tracebloc"],
  ["kubectl describe pod/a", "docker exec k3d-lab-server-0 kubectl describe pod/a"],
  ["docker exec node tracebloc status", "docker exec node tracebloc status"],
  ["tracebloc-lab status", "tracebloc-lab status"],
])("`%s` becomes `%s`", (command, spelled) => {
  expect(spellCommand(command, spelling)).toBe(spelled);
});

test("only the commands of a finding change", () => {
  const finding = {
    reason: "NOT_INSTALLED",
    room: "cluster",
    says: "tracebloc status says so",
    remedies: [{ says: "tracebloc install, again" }, { says: "look", command: "tracebloc status" }],
  } as const;
  expect(spell(finding, { ...spelling, which: [] })).toEqual({
    ...finding,
    remedies: [{ says: "tracebloc install, again" }, { says: "look", command: "npx tracebloc status" }],
  });
});

test("datasets in a folder are not asked for beside a cluster that keeps them", () => {
  const wished = [{ flag: "--dataset-dir", text: "--dataset-dir /srv/b" }];
  const command = "tracebloc install --storage-mode node-local";
  expect(spellCommand(command, { ...spelling, wished })).toBe(`npx ${command}`);
});

test("a kubeconfig is a cluster's, not a release's", () => {
  const which = [...spelling.which, { flag: "--namespace", text: "--namespace lab" }];
  expect(spellCommand("tracebloc kubeconfig", { ...spelling, which })).toBe("npx tracebloc kubeconfig --cluster lab");
});

test("what others said is cut to what a person can read", () => {
  const spelled = spell(
    {
      reason: "WORKLOAD_NOT_READY",
      room: "release",
      says: "m".repeat(3_000_000),
      details: ["x".repeat(12_000_000), ...Array.from({ length: 5_000 }, () => "y")],
      remedies: [],
    },
    spelling,
  );
  expect(spelled.says).toHaveLength(1_000);
  expect(spelled.details?.map(({ length }) => length).slice(0, 2)).toEqual([500, 1]);
  expect(spelled.details).toHaveLength(40);
});

describe("root, who needs no sudo and on Debian has none,", () => {
  const root = { ...spelling, isRoot: true };
  const linux = platformOf("linux");
  const complaints = ["failed to find memory cgroup", "x509: certificate signed by unknown authority"];
  const ofK3d = complaints.flatMap((text) => meaningOf(text, linux)?.remedies ?? []);
  const commands = [...enginesOn.linux.map(({ start }) => start), ...ofK3d].flatMap(({ command = "" }) =>
    command.startsWith("sudo ") ? [command] : [],
  );

  test.each(commands)("is not told to type it: %s", (command) => {
    expect(spellCommand(command, root)).toBe(command.replaceAll("sudo ", ""));
    expect(spellCommand(command, spelling)).toBe(command);
  });

  test.each([
    ["printf '%s\\n' a=1 | sudo tee /etc/sysctl.d/60.conf", "printf '%s\\n' a=1 | tee /etc/sysctl.d/60.conf"],
    ["cp a b && sudo rm a", "cp a b && rm a"],
    // Who is asked there is somebody else.
    ["colima ssh -- sudo update-ca-certificates", "colima ssh -- sudo update-ca-certificates"],
    ["sudoers list", "sudoers list"],
  ])("%s becomes %s", (command, spelled) => {
    expect(spellCommand(command, root)).toBe(spelled);
  });

  test("keeps every name as it is, whatever it is made of", () => {
    const name = fc.array(fc.constantFrom("sudo ", "&& sudo ", "| sudo ", "'", "a", " "), { minLength: 1 });
    fc.assert(
      fc.property(name, (parts) => {
        const rest = commandLine(linux, "rm", "-rf", parts.join(""));
        expect(spellCommand(`sudo ${rest}`, root)).toBe(rest);
      }),
    );
  });

  test("has it in no remedy of a finding", () => {
    const remedies = [{ says: "start it", command: "sudo systemctl start docker" }];
    const finding = { reason: "ENGINE_NOT_RUNNING", room: "host", says: "it does not run", remedies } as const;
    expect(spell(finding, root).remedies).toEqual([{ says: "start it", command: "systemctl start docker" }]);
  });
});
