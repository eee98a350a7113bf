import { readFileSync } from "node:fs";

/** What a tool answered, as recorded. */
export type Answer = { exitCode: number; stdout: string; stderr: string };

type Recording = {
  calls: Record<string, Answer & { args: readonly string[] }>;
  reads: { install: Record<string, { status: number; body: unknown }> };
};

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../fixtures/${path}`, import.meta.url), "utf8"));

const recording = read("flow/answers.json") as Recording;
const ofEngine = read("host/engine-answers.json") as readonly (Answer & { situation: string; command: string })[];
const ofK3d = (read("cluster/k3d-failures.json") as { answers: Record<string, Answer> }).answers;

/** What `record.mjs` saw docker, k3d and helm answer: `install: k3d cluster create`. */
export function recorded(name: string): Answer & { args: readonly string[] } {
  return found(recording.calls[name], name);
}

/** The answer of the Kubernetes API while the client was installed: `deployments, first`. */
export function readOf(name: string): { status: number; body: unknown } {
  return found(recording.reads.install[name], name);
}

/** Answers of the engine in its own states, recorded with the host room. */
export function engineSays(situation: string, command: string): Answer {
  const fits = (one: (typeof ofEngine)[number]) => one.situation === situation && one.command.startsWith(command);
  return found(ofEngine.find(fits), `${command}, ${situation}`);
}

/** Failures of k3d, recorded with the cluster room. */
export function k3dFails(how: string): Answer {
  return found(ofK3d[how], how);
}

const reported = (read("flow/reported.json") as { answers: Record<string, { stderr: string }> }).answers;

/** What was printed on other people's machines and cannot be brought about here; the file names the threads. */
export function reportedFailure(name: string): Answer {
  return { exitCode: 1, stdout: "", stderr: found(reported[name], name).stderr };
}

/** What Helm says where it fails: those that `record.mjs` brought about. */
export function helmFails(how: string): Answer {
  return recorded(`helm: ${how}: helm upgrade, failed`);
}

/** A file of the certificates that stand in for a cluster's own. */
export function pem(name: string): string {
  return readFileSync(new URL(`../fixtures/cluster/tls/${name}`, import.meta.url), "utf8");
}

function found<T>(answer: T | undefined, name: string): T {
  if (answer === undefined) throw new Error(`nothing was recorded for ${name}`);
  return answer;
}
