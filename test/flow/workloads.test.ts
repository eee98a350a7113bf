import { describe, expect, test } from "vitest";

import type { Api, ApiAnswer } from "../../src/cluster/api.ts";
import type { Finding } from "../../src/engine/finding.ts";
import { awaitWorkloads } from "../../src/release/readiness.ts";
import type { KubernetesEvent, Pod } from "../../src/release/trouble.ts";
import { machine, scripted } from "../unit/cluster/stand-in.ts";
import { readOf } from "./answers.ts";

// What keeps workloads from becoming ready, in a cluster whose clock jumps: the API's lists are those that were recorded
// while a client was installed, with one thing wrong in them.

type List<T> = { items: T[] };
type Wrong = {
  pods?: (pods: Pod[]) => Pod[];
  events?: readonly (KubernetesEvent & { metadata: { name: string } })[];
  log?: string;
  readyAfterMs?: number;
};

function clusterWith({ pods = (all) => all, events = [], log = "", readyAfterMs = Infinity }: Wrong) {
  const on = machine(scripted());
  const list = <T>(name: string) => structuredClone(readOf(name).body) as List<T>;
  const answer = (json: unknown): ApiAnswer => ({ outcome: "answered", status: 200, text: JSON.stringify(json), json });
  const api: Api = {
    get: (path) => {
      const isReady = on.now() >= readyAfterMs;
      if (path.includes("/log?")) {
        return Promise.resolve({ outcome: "answered", status: 200, text: log, json: undefined });
      }
      if (path.endsWith("/deployments")) {
        return Promise.resolve(answer(list(isReady ? "deployments" : "deployments, first")));
      }
      if (path.endsWith("/pods")) return Promise.resolve(answer({ items: pods(list<Pod>("pods, first").items) }));
      return Promise.resolve(answer({ items: events }));
    },
  };
  const wait = () => awaitWorkloads({ release: "tracebloc", namespace: "tracebloc" }, api, on);
  return { on, wait };
}

/** Puts a container's waiting state in the place of what each pod of a workload waits for. */
const waiting = (workload: string, reason: string, message: string) => (pods: Pod[]) =>
  pods.map((pod) => {
    if (!pod.metadata.name.startsWith(workload)) return pod;
    const container = { name: "app", ready: false, restartCount: 5, state: { waiting: { reason, message } } };
    const lastState = { terminated: { reason: "OOMKilled", exitCode: 137 } };
    return {
      ...pod,
      status: { ...pod.status, containerStatuses: [{ ...container, lastState }], initContainerStatuses: [] },
    };
  });

const about = (findings: readonly Finding[], workload: string) =>
  findings.find(({ says }) => says.startsWith(workload));

test("workloads that become ready leave nothing to say, however long that took", async () => {
  const { wait, on } = clusterWith({ readyAfterMs: 240_000 });
  expect(await wait()).toEqual([]);
  expect(on.now()).toBe(240_000);
});

test("B10: a wait that ends names each workload, its pod and a command that shows more", async () => {
  const { wait, on } = clusterWith({});
  const findings = await wait();
  expect(findings.map(({ reason }) => reason)).toEqual([
    "WORKLOAD_NOT_READY",
    "WORKLOAD_NOT_READY",
    "WORKLOAD_NOT_READY",
  ]);
  expect(findings.map(({ says }) => says.split(":")[0])).toEqual([
    "mysql-client",
    "tracebloc-jobs-manager",
    "tracebloc-requests-proxy",
  ]);
  expect(on.now()).toBeLessThanOrEqual(600_000);
  expect(on.events.filter(({ type }) => type === "wait")).not.toEqual([]);
});

describe("an image that cannot be pulled", () => {
  test.each([
    [
      "B06: x509 in the node",
      'failed to do request: Head "https://registry.example.com/v2/manager/manifests/1": tls: failed to verify certificate: x509: certificate signed by unknown authority',
      "IMAGE_PULL_TLS",
    ],
    [
      "B43: the pull limit",
      "unexpected status from HEAD request to https://registry-1.docker.io/v2/…: 429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit.",
      "IMAGE_PULL_LIMIT",
    ],
    ["no login", "authorization failed: no basic auth credentials", "IMAGE_PULL_DENIED"],
    ["another login", "unexpected status from HEAD request to https://…: 401 Unauthorized", "IMAGE_PULL_DENIED"],
    ["no such image", "manifest unknown", "IMAGE_PULL_FAILED"],
  ] as const)("%s: is told by the words of the pull itself", async (_, why, reason) => {
    const name = "tracebloc-jobs-manager";
    const { wait } = clusterWith({
      pods: waiting(name, "ImagePullBackOff", `Back-off pulling image "manager:1": ${why}`),
      // B10: older complaints of other pods must not win.
      events: [
        {
          metadata: { name: "other-5d8f7c9b4-abcde.18a0" },
          involvedObject: { kind: "Pod", name: "other-5d8f7c9b4-abcde" },
          reason: "Failed",
          message: "Failed to pull image: x509: certificate signed by unknown authority",
          lastTimestamp: "2026-11-30T09:00:00Z",
        },
      ],
    });
    const finding = about(await wait(), name);
    expect([finding?.reason, finding?.says]).toEqual([reason, `${name}: ImagePullBackOff`]);
    expect(finding?.details?.join("\n")).toContain(why);
  });
});

test.each([
  ["goes on where the last refusal is older: the password may be another one since", "2026-11-30T09:00:00Z", 600_000],
  ["ends early where it was refused just now", "2126-11-30T09:00:00Z", 60_000],
])("a wait for images that a registry refuses %s", async (_, lastTimestamp, atMost) => {
  const message = "Failed to pull image: unexpected status: 401 Unauthorized";
  const denied = (pods: Pod[]) => waiting("", "ImagePullBackOff", "Back-off")(pods);
  const refusals = (readOf("pods, first").body as List<Pod>).items.map(({ metadata: { name } }) => ({
    metadata: { name: `${name}.18a0` },
    involvedObject: { kind: "Pod", name },
    reason: "Failed",
    message,
    lastTimestamp,
  }));
  const { wait, on } = clusterWith({ pods: denied, events: refusals });
  const [finding] = await wait();
  expect(finding?.reason).toBe("IMAGE_PULL_DENIED");
  expect(on.now()).toBeLessThanOrEqual(atMost);
  expect(on.now()).toBeGreaterThan(atMost - 60_000);
});

test("B10: a container that crashes is told with its exit code and its own last words", async () => {
  const { wait } = clusterWith({
    pods: waiting("mysql-client", "CrashLoopBackOff", "back-off 40s"),
    log: "InnoDB: cannot allocate memory\n",
  });
  const finding = about(await wait(), "mysql-client");
  expect(finding?.says).toBe("mysql-client: CrashLoopBackOff");
  expect(finding?.details).toEqual([
    "container app: OOMKilled, exit code 137, restarted 5 times",
    "InnoDB: cannot allocate memory",
  ]);
});

test("B37: without any pod the ReplicaSet's refusal is told, and is not waited out", async () => {
  const message =
    'pods "tracebloc-jobs-manager-5d8f7c9b4-" is forbidden: unable to validate against any security context constraint: [provider "anyuid": Forbidden: not usable by user or serviceaccount]';
  const forbidden = (workload: string) => ({
    metadata: { name: `${workload}-5d8f7c9b4.18a0`, namespace: "tracebloc" },
    involvedObject: { kind: "ReplicaSet", name: `${workload}-5d8f7c9b4` },
    reason: "FailedCreate",
    message,
    lastTimestamp: "2026-11-30T10:00:00Z",
  });
  const { wait, on } = clusterWith({
    pods: () => [],
    events: ["mysql-client", "tracebloc-jobs-manager", "tracebloc-requests-proxy"].map(forbidden),
  });
  const findings = await wait();
  expect(findings.map(({ says }) => says.split(": ")[1])).toEqual(["FailedCreate", "FailedCreate", "FailedCreate"]);
  expect(findings[0]?.details).toEqual([message]);
  expect(on.now()).toBeLessThan(60_000);
});

test("B19: a node that is tainted for disk pressure ends the wait early", async () => {
  const message = "0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }.";
  const { wait, on } = clusterWith({
    pods: (pods) =>
      pods.map((pod) => ({
        ...pod,
        status: {
          phase: "Pending",
          conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
        },
      })),
  });
  const findings = await wait();
  expect(findings[0]?.says).toMatch(/: Unschedulable$/);
  expect(findings[0]?.details).toEqual([message]);
  expect(on.now()).toBeLessThan(60_000);
});

test("an API that no longer answers is told as that, and not as workloads that are late", async () => {
  const on = machine(scripted());
  const api: Api = { get: () => Promise.resolve({ outcome: "timed-out", why: "did not answer within 5 s" }) };
  const findings = await awaitWorkloads({ release: "tracebloc", namespace: "tracebloc" }, api, on);
  expect(findings.map(({ says }) => says)).toEqual([
    "whether the workloads are ready could not be told: the Kubernetes API did not answer within 5 s",
  ]);
});
