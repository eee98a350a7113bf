// The container engine: the machine's, if one answers; else one of the lab's own.
//
// Its own has its own socket, data, state and configuration, and reaches for nothing that it would share with another dockerd:
// no default bridge (every dockerd wants docker0), no iptables (each start of a dockerd rewrites chains that another may own),
// no ip_forward, namespaces of its own in containerd. k3d brings a network per cluster, and published ports are carried by
// docker-proxy.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";

import { inCache, readJson, writeJson } from "./cache.mjs";
import { demandInstallable, hasProgram, installMissing, searchPath } from "./debian.mjs";
import { LabError } from "./errors.mjs";
import { buildGo, expose } from "./go.mjs";
import { containerdNamespace, sweepLeftovers } from "./leftovers.mjs";
import { identify, isRunning, succeeds, until } from "./processes.mjs";

const CAP_SYS_RESOURCE = 1n << 24n;
const START_SECONDS = 60;
const STOP_SECONDS = 60;

/** What an engine of the lab's own needs, and the Debian package of each. */
const ownPrograms = { dockerd: "docker.io", docker: "docker.io", containerd: "containerd", runc: "runc" };

const recordFile = () => inCache("engine", "engine.json");
const ownHost = () => `unix://${inCache("engine", "docker.sock")}`;
const log = () => inCache("logs", "dockerd.log");

/** Which engine the lab uses: `{ own: true, host, pid, started }` or `{ own: false }`; null before the first `up`. */
export function recordedEngine() {
  return readJson(recordFile());
}

/** What a docker client needs in its environment to reach the lab's engine. */
export function engineEnvironment() {
  const engine = recordedEngine();
  return engine?.own ? { DOCKER_HOST: engine.host } : {};
}

const answers = (env) => succeeds("docker", ["version", "--format", "{{.Server.Version}}"], { env });

/** Finds an engine that answers, or starts one. Returns whether it was started, and how it went in words. */
export async function ensureEngine(now) {
  mkdirSync(inCache("engine"), { recursive: true, mode: 0o700 });
  const recorded = recordedEngine();
  if (recorded?.own && isRunning(recorded)) {
    now("asking the lab's own engine");
    if (await answers({ DOCKER_HOST: recorded.host })) return { started: false, outcome: "the lab's own runs" };
    throw new LabError(`the lab's engine (pid ${recorded.pid}) runs and does not answer`, {
      log: log(),
      next: "node scripts/lab/lab.mjs down && node scripts/lab/lab.mjs up",
    });
  }
  if (await machineAnswers()) {
    writeJson(recordFile(), { own: false });
    return { started: false, outcome: "this machine's own answers and is used" };
  }
  return startOwn(now);
}

/** Throws a LabError where there will be no engine: none answers, and one of the lab's own cannot be started. */
export async function demandEngine() {
  if (isRunning(recordedEngine()) || (await machineAnswers())) return;
  demandRoot();
  demandInstallable(ownPrograms);
}

const machineAnswers = async () => process.env.DOCKER_HOST !== ownHost() && hasProgram("docker") && (await answers({}));

function demandRoot() {
  if (process.getuid() === 0) return;
  throw new LabError("no container engine answers, and starting one needs root", {
    next: "start Docker, or run as root",
  });
}

async function startOwn(now) {
  demandRoot();
  await installMissing(ownPrograms, now);
  const config = inCache("engine", "daemon.json");
  writeJson(config, await configuration(now));
  await sweepLeftovers();
  // A dockerd that was killed leaves its pid file, and the next one refuses to start if that pid is taken by anyone.
  rmSync(inCache("engine", "docker.pid"), { force: true });

  mkdirSync(inCache("logs"), { recursive: true });
  const output = openSync(log(), "a");
  // dockerd reads this name from its command line alone: in the file it knows it by another.
  const daemon = spawn(
    "dockerd",
    ["--config-file", config, "--containerd-plugins-namespace", `${containerdNamespace}-plugins`],
    {
      detached: true,
      stdio: ["ignore", output, output],
      env: engineSurroundings(),
    },
  );
  let failure = null;
  daemon.on("error", (error) => (failure = error.message));
  daemon.on("exit", (code) => (failure = `dockerd exited with ${code}`));
  writeJson(recordFile(), { own: true, host: ownHost(), ...identify(daemon.pid) });
  now("waiting for dockerd to answer");
  const ready = await until(async () => failure || answers({ DOCKER_HOST: ownHost() }), START_SECONDS);
  if (failure || !ready) {
    throw new LabError(failure ?? `dockerd does not answer after ${START_SECONDS} s`, {
      log: log(),
      next: `tail ${log()}`,
    });
  }
  daemon.removeAllListeners();
  daemon.unref();
  return { started: true, outcome: "started one of the lab's own" };
}

/** It outlives who starts it: a temporary folder of theirs may be gone tomorrow. */
function engineSurroundings() {
  const { TMPDIR: _, ...rest } = process.env;
  return { ...rest, PATH: searchPath(), DOCKER_HOST: "" };
}

async function configuration(now) {
  const config = {
    hosts: [ownHost()],
    pidfile: inCache("engine", "docker.pid"),
    "data-root": inCache("engine", "data"),
    "exec-root": inCache("engine", "exec"),
    bridge: "none",
    iptables: false,
    "ip-forward": false,
    "containerd-namespace": containerdNamespace,
    "default-address-pools": [{ base: "172.29.0.0/16", size: 24 }],
  };
  if (machineLacksSysResource()) {
    const { path } = await buildGo("capped-runc", now);
    config["default-runtime"] = "capped";
    config.runtimes = { capped: { path: expose(path, "capped-runc") } };
  }
  return config;
}

/** Without CAP_SYS_RESOURCE in the bounding set no privileged container starts; see go/capped-runc. */
function machineLacksSysResource() {
  const bounding = /^CapBnd:\s*([0-9a-f]+)/m.exec(readFileSync("/proc/self/status", "utf8"));
  return bounding !== null && (BigInt(`0x${bounding[1]}`) & CAP_SYS_RESOURCE) === 0n;
}

/** Stops the lab's own engine; leaves any other alone. */
export async function stopEngine(now) {
  const engine = recordedEngine();
  if (!engine) return "none";
  if (!engine.own) return "this machine's own, left alone";
  if (!isRunning(engine)) {
    await sweepLeftovers();
    return "not running";
  }
  now(`waiting for dockerd (pid ${engine.pid}) to stop its containers`);
  process.kill(engine.pid, "SIGTERM");
  if (!(await until(() => !isRunning(engine), STOP_SECONDS))) {
    throw new LabError(`dockerd (pid ${engine.pid}) did not stop within ${STOP_SECONDS} s`, {
      log: log(),
      next: `kill -KILL ${engine.pid}`,
    });
  }
  if (existsSync(recordFile())) rmSync(recordFile());
  return "stopped";
}
