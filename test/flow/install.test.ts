import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { labPassword } from "../../scripts/lab/backend.mjs";
import { k3dToolsImage, k3sImage } from "../../src/config/pins.ts";
import { bundledChartFolder } from "../../src/release/chart.ts";
import { directoriesOf } from "../../src/storage/layout.ts";
import { prepareScript } from "../../src/storage/script.ts";
import { pem } from "./answers.ts";
import { flow, type Flow, type Ran } from "./command.ts";
import { words } from "./scripted-runner.ts";

const personalities = ["linux", "macos", "windows", "wsl2"] as const;

const changing = ({ calls }: Ran) => calls.filter(({ mutates }) => mutates === true);
const actions = (ran: Ran) => ran.result().actions.map((action) => action.do);

/** `k3d cluster create`, word for word. */
function createArgs({ person, world }: Flow): string[] {
  const { port = 0, installation = "" } = world.cluster ?? {};
  const off = ["traefik", "servicelb", "local-storage"].flatMap((part) => ["--k3s-arg", `--disable=${part}@server:*`]);
  const server = ["--servers", "1", "--agents", "0", "--no-lb", "--api-port", `127.0.0.1:${port}`, "--image", k3sImage];
  const conduct = ["--wait", "--timeout", "900s", "--no-rollback", "--kubeconfig-update-default=false"];
  const ours = ["--runtime-label", `tracebloc.installation=${installation}@server:0`];
  const volume = ["--volume", `${person.data}:/tracebloc@all`];
  return ["cluster", "create", "tracebloc", ...server, ...conduct, ...off, ...volume, ...ours];
}

/** `helm upgrade`, word for word. */
function helmArgs({ person, world }: Flow): string[] {
  const place = join(person.state, "cluster-tracebloc");
  const hash = world.release?.labels["tracebloc.io/wishes"] ?? "";
  const release = [
    "upgrade",
    "--install",
    "tracebloc",
    bundledChartFolder(),
    "--create-namespace",
    "--cleanup-on-fail",
  ];
  const made = ["--values", join(place, "values-tracebloc.yaml"), "--labels", `tracebloc.io/wishes=${hash}`];
  const road = ["--kubeconfig", join(place, "kubeconfig.yaml"), "--kube-context", "k3d-tracebloc"];
  return [...release, ...made, "--timeout", "600s", "--namespace", "tracebloc", ...road];
}

/** Every file below a folder, by its content. */
function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** One fresh install for a group of tests, which only look at what came of it. */
function useFreshInstall(name: (typeof personalities)[number]): () => { machine: Flow; ran: Ran } {
  const cleaning: (() => void | Promise<void>)[] = [];
  let made: { machine: Flow; ran: Ran } | undefined;
  beforeAll(async () => {
    const machine = await flow(name, (clean) => void cleaning.push(clean));
    machine.set({
      KUBECONFIG: "/elsewhere/config",
      HELM_NAMESPACE: "other",
      HELM_DRIVER: "configmap",
      K3D_CONFIG: "/elsewhere/k3d.yaml",
    });
    made = { machine, ran: await machine.tracebloc("install", "--json", "--verbose") };
  });
  afterAll(async () => {
    for (const clean of cleaning.toReversed()) await clean();
  });
  return () => {
    if (made === undefined) throw new Error("nothing was installed");
    return made;
  };
}

describe.each(personalities)("on %s, a fresh install", (name) => {
  const fresh = useFreshInstall(name);

  test("makes the cluster, prepares the directories and runs Helm, each with exactly these arguments", () => {
    const { machine, ran } = fresh();
    expect(ran.exit, ran.stdout).toBe(0);
    expect(changing(ran).map(({ file, args }) => [file, ...args])).toEqual([
      ["k3d", ...createArgs(machine)],
      ["docker", "exec", "--interactive", "k3d-tracebloc-server-0", "sh"],
      ["helm", ...helmArgs(machine)],
    ]);
    expect(machine.world.cluster?.installation).toMatch(/^[0-9a-f-]{36}$/);
    expect(machine.world.release?.values).toMatchObject({ clientId: "lab-client", clientPassword: labPassword });
  });

  test("does so in order: credentials, folders, cluster, directories, Helm, workloads", () => {
    const { machine, ran } = fresh();
    expect(actions(ran)).toEqual([
      "release.credentials",
      "storage.folders",
      "cluster.create",
      "storage.prepare",
      "release.apply",
      "release.await",
    ]);
    expect(machine.backend).toEqual([{ path: "/api-token-auth/", username: "lab-client", status: 200 }]);
    expect(ran.result()).toMatchObject({ ok: true, exit: 0, state: "healthy", failures: [] });
    expect(ran.result().storage?.map(({ volume, result, mode }) => [volume, result, mode])).toEqual([
      ["data", "ready", "2777"],
      ["logs", "ready", "3777"],
    ]);
  });

  test("starts no program of the host but docker, k3d and helm, and never a shell", () => {
    const { ran } = fresh();
    const ofTheSystem = name === "macos" ? ["/sbin/mount"] : [];
    const { calls } = ran;
    const programs = [...new Set(calls.map(({ file }) => file))].toSorted();
    expect(programs).toEqual([...ofTheSystem, "docker", "helm", "k3d"].toSorted());
    expect(calls.every(({ cwd }) => cwd === undefined)).toBe(true);
  });

  test("B31: calls docker exec with standard input and never with a terminal, each within a bound", () => {
    const { ran } = fresh();
    const execs = ran.calls.filter(({ args }) => args[0] === "exec");
    expect(execs.length).toBeGreaterThan(2);
    for (const { args, timeoutMs } of execs) {
      expect(args).toEqual(["exec", "--interactive", "k3d-tracebloc-server-0", "sh"]);
      expect(timeoutMs).toBeLessThanOrEqual(20_000);
    }
  });

  test("sends scripts to the node on standard input, with LF alone and whole", () => {
    const { ran } = fresh();
    const scripts = ran.calls.filter(({ stdin }) => stdin !== undefined);
    expect(scripts.length).toBeGreaterThan(2);
    for (const { stdin } of scripts) expect(String(stdin)).toMatch(/^\{\n[^\r\0]*\n\}$/);
    expect(changing(ran)[1]?.stdin).toBe(prepareScript(directoriesOf("tracebloc", "/tracebloc")));
  });

  test("B07: lets no setting of the shell bend Helm or k3d, and leaves the person's kubeconfig alone", () => {
    const { machine, ran } = fresh();
    const [create, , helm] = changing(ran);
    expect(create?.env).toEqual({ K3D_IMAGE_TOOLS: k3dToolsImage, K3D_CONFIG: undefined });
    expect(helm?.env).toMatchObject({ KUBECONFIG: undefined, HELM_NAMESPACE: undefined, HELM_DRIVER: "secret" });
    expect(Object.keys(helm?.env ?? {})).toContain("KUBECONFIG");
    expect(existsSync(join(machine.person.home, ".kube"))).toBe(false);
  });

  test("B13: reaches the API where the node publishes it, whatever address k3d wrote down", () => {
    const { machine } = fresh();
    const text = readFileSync(join(machine.person.state, "cluster-tracebloc", "kubeconfig.yaml"), "utf8");
    const { clusters } = JSON.parse(text) as { clusters: { cluster: { server: string } }[] };
    expect(clusters[0]?.cluster.server).toBe(`https://127.0.0.1:${machine.world.cluster?.port}`);
  });

  test("keeps the password and the cluster's key in the 0600 files that need them, and says them nowhere", () => {
    const { machine, ran } = fresh();
    const { person } = machine;
    const key = pem("client.key");
    const said = ran.stdout + ran.stderr + ran.calls.map(words).join("\n");
    for (const secret of [labPassword, key.split("\n")[1] ?? "", Buffer.from(key).toString("base64")]) {
      expect(said).not.toContain(secret);
      for (const file of filesBelow(person.folder)) {
        if (!readFileSync(file, "utf8").includes(secret)) continue;
        expect(file).toMatch(/(values-tracebloc|kubeconfig)\.yaml$/);
        expect(statSync(file).mode & 0o777).toBe(0o600);
      }
    }
    const values = readFileSync(join(person.state, "cluster-tracebloc", "values-tracebloc.yaml"), "utf8");
    expect(values).toContain(labPassword);
  });

  test("keeps its state apart from the data, where this system has it", () => {
    const { machine } = fresh();
    const { state, data } = machine.person;
    expect(readdirSync(state).toSorted()).toEqual(["cluster-tracebloc", "installation.json", "runs"]);
    expect(readdirSync(data)).toEqual(["tracebloc"]);
    expect(readdirSync(join(data, "tracebloc")).toSorted()).toEqual(["data", "logs"]);
  });
});

describe.each(personalities)("on %s, in the life of an installation", (name) => {
  const fresh = useFreshInstall(name);
  const reset = ({ world, set }: Flow) => {
    if (world.cluster !== undefined) world.cluster = { ...world.cluster, is: "running" };
    set({ TRACEBLOC_CLIENT_ID: "lab-client", TRACEBLOC_CLIENT_PASSWORD: labPassword });
    world.faults.length = 0;
  };

  test("a second run looks, with three calls where six are the most, and starts neither k3d nor Helm", async () => {
    const { machine } = fresh();
    const ran = await machine.tracebloc("install");
    expect(ran.exit, ran.stderr).toBe(0);
    expect(ran.calls.map(({ file, args }) => [file, ...args.slice(0, 2)].join(" "))).toEqual([
      "docker container ls",
      "docker container inspect",
      "docker exec --interactive",
    ]);
    expect(changing(ran)).toEqual([]);
    expect(ran.stderr).toMatch(/· everything is in place, proven just now \(/);
  });

  test("a run without credentials is enough, since the client has them", async () => {
    const { machine } = fresh();
    machine.set({ TRACEBLOC_CLIENT_ID: undefined, TRACEBLOC_CLIENT_PASSWORD: undefined });
    const ran = await machine.tracebloc("install");
    reset(machine);
    expect(ran.exit, ran.stderr).toBe(0);
  });

  test("directories that were spoiled are repaired, and nothing else", async () => {
    const { machine } = fresh();
    machine.world.directories = "spoiled";
    const ran = await machine.tracebloc("install", "--json");
    expect(ran.exit).toBe(0);
    expect(ran.result().actions).toEqual([
      { do: "storage.prepare", because: "data was 0755 and owned by uid 1000, logs was missing" },
    ]);
    expect(changing(ran).map(({ file, args }) => [file, args[0]])).toEqual([["docker", "exec"]]);
    expect(machine.world.directories).toBe("prepared");
  });

  test("status is 0 where all is well, and tells cluster, release, workloads and directories", async () => {
    const { machine } = fresh();
    const ran = await machine.tracebloc("status", "--json");
    expect([ran.exit, ran.result().state, changing(ran)]).toEqual([0, "healthy", []]);
    expect(ran.result()).toMatchObject({
      cluster: { name: "tracebloc", node: "k3d-tracebloc-server-0", state: "running" },
      release: { name: "tracebloc", namespace: "tracebloc", revision: 1, status: "deployed", chart: "client-2.0.0" },
    });
    expect(ran.result().workloads?.map(({ state }) => state)).toEqual(["ready", "ready", "ready"]);
    const { stdout } = await machine.tracebloc("status");
    expect(stdout.match(/(?<=✓ )\S+/g)).toEqual(["Cluster", "Release", "Workloads", "Directories", "Directories"]);
    expect(stdout).toContain("mysql-client, tracebloc-jobs-manager, tracebloc-requests-proxy ready\n");
  });

  test("B11: a cluster that is stopped makes status 6, and is started by the next run, which finds the client in it", async () => {
    const { machine } = fresh();
    const { world } = machine;
    if (world.cluster !== undefined) world.cluster = { ...world.cluster, is: "stopped" };
    const stopped = await machine.tracebloc("status", "--json");
    expect([stopped.exit, stopped.result().failures.map(({ reason }) => reason)]).toEqual([6, ["CLUSTER_STOPPED"]]);
    expect(changing(stopped)).toEqual([]);
    const ran = await machine.tracebloc("install", "--json");
    expect([ran.exit, actions(ran)]).toEqual([0, ["cluster.start"]]);
    expect(changing(ran).map(({ args }) => args)).toEqual([
      ["cluster", "start", "tracebloc", "--wait", "--timeout", "300s"],
    ]);
  });

  test("an engine that does not answer in time makes status 4: that is no absence", async () => {
    const { machine } = fresh();
    machine.world.faults.push(({ file }) => (file === "docker" ? { outcome: "timed-out" } : undefined));
    const ran = await machine.tracebloc("status", "--json");
    reset(machine);
    expect([ran.exit, ran.result().state]).toEqual([4, "unknown"]);
    expect(ran.result().failures.map(({ reason }) => reason)).toEqual(["ENGINE_NOT_ANSWERING"]);
  });

  test("uninstall takes the cluster, keeps the data and forgets the secrets; then there is nothing to remove", async () => {
    const { machine } = fresh();
    const { world, person } = machine;
    const ran = await machine.tracebloc("uninstall", "--json");
    expect(ran.exit, ran.stderr).toBe(0);
    expect(changing(ran).map(({ file, args }) => [file, ...args])).toEqual([
      ["docker", "container", "rm", "--force", "--volumes", "k3d-tracebloc-server-0"],
      ["docker", "network", "rm", "k3d-tracebloc"],
      ["docker", "volume", "rm", "k3d-tracebloc-images"],
    ]);
    expect(world.cluster).toBeUndefined();
    expect(readdirSync(join(person.data, "tracebloc")).toSorted()).toEqual(["data", "logs"]);
    const left = filesBelow(person.folder).filter((file) => readFileSync(file, "utf8").includes(labPassword));
    expect(left).toEqual([]);
    expect(existsSync(join(person.state, "cluster-tracebloc", "kubeconfig.yaml"))).toBe(false);
    expect(await machine.tracebloc("uninstall")).toMatchObject({ exit: 0 });
    expect(await machine.tracebloc("status")).toMatchObject({ exit: 3 });
  });
});

describe.each(personalities)("on %s, a plan", (name) => {
  test("of a machine without anything says what would be done, and leaves no trace", async () => {
    const { tracebloc, person } = await flow(name);
    const ran = await tracebloc("plan", "--json");
    expect(actions(ran)).toEqual(["release.credentials", "storage.folders", "cluster.create"]);
    expect(ran.result()).toMatchObject({ state: "planned", exit: 0 });
    expect(ran.result().then).toEqual([
      "prepare the directories data and logs, and prove them in the node",
      "install chart client 2.0.0 in namespace tracebloc",
    ]);
    expect(changing(ran)).toEqual([]);
    expect(await tracebloc("status")).toMatchObject({ exit: 3 });
    expect([existsSync(person.state), existsSync(person.data)]).toEqual([false, false]);
  });

  test("is what install --dry-run says, and install then does", async () => {
    const { tracebloc } = await flow(name);
    const dry = await tracebloc("install", "--dry-run", "--json");
    const plan = await tracebloc("plan", "--json");
    expect(dry.result().actions).toEqual(plan.result().actions);
    const done = await tracebloc("install", "--json");
    expect(done.result().actions.slice(0, plan.result().actions.length)).toEqual(plan.result().actions);
  });
});
