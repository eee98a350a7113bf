import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import type { Reason } from "../../src/engine/reasons.ts";
import { statePaths } from "../../src/files/state.ts";
import { takeLock } from "../../src/files/lock.ts";
import { processes } from "../../src/process/processes.ts";
import { engineSays, k3dFails, reportedFailure } from "./answers.ts";
import { flow, type Flow, type Ran } from "./command.ts";
import { scriptedRunner, words, type Script } from "./scripted-runner.ts";
import { failing } from "./stand-in.ts";
import type { Cluster } from "./world.ts";

const changing = ({ calls }: Ran) => calls.filter(({ mutates }) => mutates === true).map(words);
const reasonsOf = (ran: Ran) => ran.result().failures.map(({ reason }) => reason);
const untouched = ({ person }: Flow) => [existsSync(person.data), existsSync(join(person.state, "installation.json"))];

/** docker and k3d as they answer where the engine is in this state. */
function engineIs(situation: string): Script {
  return ({ file, args }) => {
    if (file === "k3d" && args[0] === "cluster") return engineSays(situation, "k3d cluster list");
    if (file !== "docker" || args[0] === "context") return undefined;
    if (args[0] === "version" || args[0] === "info") return engineSays(situation, `docker ${args[0]}`);
    const { exitCode, stderr } = engineSays(situation, "docker container inspect");
    return { exitCode, stdout: "", stderr };
  };
}

test.each(["ann", "root"])("a remedy of %s's works when pasted: sudo is for those who are not root", async (name) => {
  const machine = await flow("linux");
  machine.set({ USER: name });
  machine.world.faults.push(engineIs("no socket at the default place"));
  for (const command of ["install", "status", "doctor"]) {
    const told = await machine.tracebloc(command);
    const asData = (await machine.tracebloc(command, "--json")).result().failures;
    const start = `${name === "root" ? "" : "sudo "}systemctl start docker`;
    expect(`${told.stdout}${told.stderr}`).toContain(`start it:   ${start}\n`);
    expect(asData.flatMap(({ remedies }) => remedies.map(({ command: one }) => one))).toContain(start);
  }
});

describe("an engine that cannot be used is refused before anything is made", () => {
  test.each<[string, Script, Reason, number]>([
    ["B08: not running", engineIs("no socket at the default place"), "ENGINE_NOT_RUNNING", 3],
    ["B26: the socket belongs to others", engineIs("the socket belongs to others"), "ENGINE_NO_PERMISSION", 3],
    ["B45: Docker Desktop is paused", engineIs("Docker Desktop is paused"), "ENGINE_NOT_RUNNING", 3],
    ["it hangs up", engineIs("the engine closes the connection"), "ENGINE_NOT_ANSWERING", 7],
    [
      "B08: it answers nothing",
      ({ file }) => (file === "docker" ? { outcome: "timed-out" } : undefined),
      "ENGINE_NOT_ANSWERING",
      7,
    ],
    [
      "no docker on PATH",
      failing("docker", { outcome: "not-started", notStarted: "missing", why: "" }),
      "ENGINE_NOT_INSTALLED",
      3,
    ],
    [
      "B04: k3d is older than the engine",
      failing("k3d cluster list", reportedFailure("B04: k3d older than the engine")),
      "TOOL_UNUSABLE",
      3,
    ],
    [
      "B22: k3d prints no list",
      failing("k3d cluster list", { exitCode: 0, stdout: "failed to marshal\n", stderr: "" }),
      "CLUSTER_UNKNOWN",
      4,
    ],
    [
      "B22: k3d knows a cluster that docker does not",
      failing("k3d cluster list", { exitCode: 0, stdout: '[{"name":"tracebloc"}]\n', stderr: "" }),
      "CLUSTER_UNKNOWN",
      4,
    ],
    ["B22: k3d fails", failing("k3d cluster list", k3dFails("start of nothing")), "CLUSTER_UNKNOWN", 4],
    [
      "a look that fails is no absence",
      failing("docker container ls", { exitCode: 1, stdout: "", stderr: "unexpected EOF\n" }),
      "CLUSTER_UNKNOWN",
      4,
    ],
  ])("%s", async (_, fault, reason, exit) => {
    const machine = await flow("linux");
    machine.world.faults.push(fault);
    const ran = await machine.tracebloc("install", "--json");
    expect([reasonsOf(ran), ran.exit]).toEqual([[reason], exit]);
    expect(ran.result()).toMatchObject({ state: "refused", actions: [] });
    expect(ran.result().failures[0]?.remedies).not.toEqual([]);
    expect([changing(ran), untouched(machine)]).toEqual([[], [false, false]]);
  });

  test("B17: an engine on another machine, whatever it answers", async () => {
    const machine = await flow("linux");
    machine.set({ DOCKER_HOST: "ssh://mia@192.0.2.7" });
    const ran = await machine.tracebloc("install", "--json");
    expect([reasonsOf(ran), ran.exit, changing(ran)]).toEqual([["ENGINE_WRONG_CONTEXT"], 3, []]);
  });

  test("B17: a context of Colima is taken as it is, and nothing has to be exported for k3d", async () => {
    const { tracebloc, world } = await flow("macos");
    world.faults.push(
      failing("docker context inspect", engineSays("the configuration chooses a context", "docker context")),
    );
    const ran = await tracebloc("install", "--json");
    expect(ran.exit).toBe(0);
    for (const { env } of ran.calls) expect(Object.keys(env ?? {})).not.toContain("DOCKER_HOST");
  });
});

describe("two things in the way", () => {
  const small: Script = (command) => {
    if (words(command) !== "docker info --format {{json .}}") return undefined;
    const answer = engineSays("ready", "docker info");
    return { ...answer, stdout: answer.stdout.replace(/"MemTotal":\d+/, `"MemTotal":${2 * 2 ** 30}`) };
  };

  test("are told at once, each with what to do, and nothing was changed", async () => {
    const machine = await flow("linux");
    machine.world.faults.push(small);
    machine.set({ TRACEBLOC_CLIENT_ID: undefined });
    const told = await machine.tracebloc("install");
    expect(told.stderr).toContain("MEMORY_TOO_SMALL");
    expect(told.stderr).toContain("CREDENTIALS_MISSING");
    expect(told.stderr).toMatch(
      /^Nothing was changed\. Two things to mend, then run the same command again\. +exit 3$/m,
    );
    const ran = await machine.tracebloc("install", "--json");
    expect(reasonsOf(ran)).toEqual(["MEMORY_TOO_SMALL", "CREDENTIALS_MISSING"]);
    expect([changing(ran), untouched(machine)]).toEqual([[], [false, false]]);
  });

  test("B20: what the engine has counts, not the machine; a cluster that is there is repaired all the same", async () => {
    const { tracebloc, world } = await flow("linux");
    await tracebloc("install");
    world.faults.push(small);
    if (world.cluster !== undefined) world.cluster = { ...world.cluster, is: "stopped" };
    const ran = await tracebloc("install", "--json");
    expect(ran.exit).toBe(0);
    expect(ran.result().warnings.map(({ reason }) => reason)).toContain("MEMORY_LOW");
  });
});

describe("a cluster that is not as asked for, or not ours", () => {
  const other: Omit<Cluster, "port"> = {
    is: "running",
    installation: "",
    image: "rancher/k3s:v1.29.4-k3s1",
    folders: [["/srv/other", "/tracebloc2"]],
  };

  test.each<[string, Omit<Cluster, "port">, readonly string[], Reason]>([
    ["B12: a mount whose path only begins like ours", other, [], "CLUSTER_NOT_OURS"],
    [
      "B09: one that holds no client and that we did not make",
      { ...other, folders: [["{data}", "/tracebloc"]] },
      [],
      "CLUSTER_NOT_OURS",
    ],
    [
      "B12: one with another data directory than asked for",
      { ...other, folders: [["/srv/other", "/tracebloc"]] },
      ["--data-dir", "{data}"],
      "CLUSTER_DIFFERS",
    ],
    ["B45: paused, and not by us", { ...other, is: "paused", folders: [["{data}", "/tracebloc"]] }, [], "NODE_PAUSED"],
  ])("%s", async (_, cluster, flags, reason) => {
    const machine = await flow("linux");
    const { data } = machine.person;
    const folders = cluster.folders.map(([source, at]) => [source.replace("{data}", data), at] as const);
    mkdirSync(data);
    await machine.have({ ...cluster, folders });
    const ran = await machine.tracebloc("install", "--json", ...flags.map((flag) => flag.replace("{data}", data)));
    expect(reasonsOf(ran)).toContain(reason);
    expect(changing(ran).filter((line) => !line.startsWith("k3d kubeconfig"))).toEqual([]);
    expect(machine.world.cluster).toMatchObject({ is: cluster.is });
  });

  test.each([
    ["linux", "my data", (home: string) => `'${home}/my data'`],
    ["macos", "My Data", (home: string) => `'${home}/My Data'`],
    ["windows", "Mia's Data", () => "'C:\\Users\\mia\\Mia''s Data'"],
    ["wsl2", "it's here", (home: string) => `'${home}/it'\\''s here'`],
  ] as const)("B12: the way back is spelled for the shell of %s", async (name, folder, spelled) => {
    const { tracebloc, person } = await flow(name);
    await tracebloc("install", "--data-dir", person.platform.path.join(person.home, folder));
    const ran = await tracebloc("install", "--json", "--data-dir", person.data);
    const [failure] = ran.result().failures;
    expect([ran.exit, failure?.reason]).toEqual([5, "CLUSTER_DIFFERS"]);
    expect(failure?.remedies[0]?.command).toBe(`tracebloc install --data-dir ${spelled(person.home)}`);
    expect(changing(ran)).toEqual([]);
  });

  test("B45: paused and ours is woken", async () => {
    const { tracebloc, world } = await flow("linux");
    await tracebloc("install");
    if (world.cluster !== undefined) world.cluster = { ...world.cluster, is: "paused" };
    const ran = await tracebloc("install", "--json");
    expect([changing(ran), ran.exit]).toEqual([["docker container unpause k3d-tracebloc-server-0"], 0]);
  });

  test("B12: another image of the node is a hint where one was asked for, and none where only digest or registry differ", async () => {
    const { tracebloc, world, set } = await flow("linux");
    await tracebloc("install");
    set({ TRACEBLOC_K3S_IMAGE: "mirror.example.com/rancher/k3s:v1.35.5-k3s1" });
    const same = await tracebloc("install", "--json");
    set({ TRACEBLOC_K3S_IMAGE: "rancher/k3s:v1.36.0-k3s1" });
    const newer = await tracebloc("install", "--json");
    const told = (ran: Ran) => ran.result().warnings.filter(({ says }) => says.startsWith("cluster tracebloc runs"));
    expect([told(same).length, told(newer).length]).toEqual([0, 1]);
    expect(told(newer)[0]?.remedies.map(({ command }) => command)).toEqual([undefined, "tracebloc uninstall"]);
    expect([same.exit, newer.exit, world.cluster?.is]).toEqual([0, 0, "running"]);
  });
});

describe("B15: noise around what tools answer", () => {
  test("on standard error changes nothing", async () => {
    const { tracebloc, world } = await flow("linux");
    const noise =
      "WARNING: Kubernetes configuration file is group-readable. This is insecure. Location: /tmp/kubeconfig\n";
    let inside = false;
    world.faults.push(async (command) => {
      if (inside || command.file === "/sbin/mount") return undefined;
      inside = true;
      const answer = await world.answer(command);
      inside = false;
      return answer !== undefined && "exitCode" in answer ? { ...answer, stderr: `${noise}${answer.stderr}` } : answer;
    });
    const ran = await tracebloc("install", "--json");
    expect([ran.exit, ran.result().state]).toEqual([0, "healthy"]);
  });

  test("before k3d's list is passed over", async () => {
    const { tracebloc, world } = await flow("linux");
    world.faults.push(
      failing("k3d cluster list", { exitCode: 0, stdout: "A new version of k3d is there!\n[]\n", stderr: "" }),
    );
    expect(await tracebloc("install")).toMatchObject({ exit: 0 });
  });
});

describe("another run", () => {
  test("that holds the lock is named, and exit is 8", async () => {
    const machine = await flow("linux");
    const { state } = machine.person;
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const calls = { made: [], unexpected: [] };
    const runner = scriptedRunner(() => undefined, calls, { redact: (text) => text, log: () => {} });
    const options = {
      command: "tracebloc install",
      processes: processes(runner, "linux"),
      platform: machine.person.platform,
    };
    const lock = await takeLock(statePaths(state).lock, options);
    const ran = await machine.tracebloc("install", "--json");
    expect([ran.exit, reasonsOf(ran)]).toEqual([8, ["RUN_LOCKED"]]);
    expect(ran.result().failures[0]?.says).toMatch(new RegExp(`tracebloc install.*process ${process.pid}`));
    expect(ran.calls).toEqual([]);
    if (lock.state === "ours") lock.release();
    expect(await machine.tracebloc("install")).toMatchObject({ exit: 0 });
  });

  test("does not keep status and plan from looking", async () => {
    const machine = await flow("linux");
    mkdirSync(machine.person.state, { recursive: true, mode: 0o700 });
    writeFileSync(statePaths(machine.person.state).lock, "");
    expect(await machine.tracebloc("status")).toMatchObject({ exit: 3 });
    expect(await machine.tracebloc("plan")).toMatchObject({ exit: 0 });
  });
});
