// What of a recording is kept: one answer for each kind of call in each stage, without what belongs to the machine.

import { gunzipSync } from "node:zlib";

/** What the answers of the engine and k3d say about other clusters and the machine is recorded elsewhere, and cut there. */
const elsewhere = /^docker (version|info|context)|^k3d cluster list/;

/** Names the calls, keeps the first of each name, and replaces what only this machine has. */
export function cutCalls(calls, replace) {
  const named = calls.map((call) => [nameOf(call), call]).filter(([name]) => !elsewhere.test(name.split(": ")[1]));
  const first = new Map(named.toReversed());
  return Object.fromEntries(
    [...first.entries()]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, { args, exitCode, stdout, stderr }]) => [
        name,
        { args: args.map(replace), exitCode, stdout: cutText(name, replace(stdout)), stderr: replace(stderr) },
      ]),
  );
}

function cutText(name, text) {
  // The networks of other clusters that happened to be there.
  if (name.endsWith("docker network ls")) return "k3d-tracebloc\n";
  return text
    .replaceAll(/((?:authority|certificate|key)-data: ).*/g, "$1{base64}")
    .replaceAll(/^(mount \S+ \S+ \S+ )\S+$/gm, "$1rw,relatime");
}

/** `install: docker exec seen`: the stage, the program, its leading words; of a script in the node, the word of its answer. */
function nameOf({ stage, tool, args, stdin, exitCode }) {
  const at = args.findIndex((arg) => arg.startsWith("-"));
  const words = args.slice(0, Math.min(at === -1 ? 2 : at, tool === "helm" ? 1 : 2));
  const script = /'(?:end )?(seen|prepared|shared|wrote|removed)[^\n]*'[^']*$/.exec(stdin)?.[1];
  const failed = exitCode === 0 ? "" : ", failed";
  return `${stage}: ${[tool, ...words, ...(script === undefined ? [] : [script])].join(" ")}${failed}`;
}

const metadata = ({ name, namespace, generation, labels }) => ({ name, namespace, generation, labels });

/** Of an object of the API only what the product reads. */
const cuts = {
  "release records": ({ metadata: meta, type, data }, reencode) => ({
    metadata: metadata(meta),
    type,
    data: { release: reencode(data.release) },
  }),
  deployments: ({ metadata: meta, spec: { replicas, selector }, status }) => ({
    metadata: metadata(meta),
    spec: { replicas, selector },
    status,
  }),
  pods: ({ metadata: meta, status }) => ({
    metadata: metadata(meta),
    status: {
      phase: status.phase,
      conditions: status.conditions,
      initContainerStatuses: status.initContainerStatuses,
      containerStatuses: status.containerStatuses,
    },
  }),
  events: ({ metadata: meta, involvedObject: { kind, name }, reason, message, lastTimestamp }) => ({
    metadata: metadata(meta),
    involvedObject: { kind, name },
    reason,
    message,
    lastTimestamp,
  }),
};

export function cutReads(reads, replace) {
  const cut = (name, { status, body }) => {
    const kind = cuts[name.split(",")[0]];
    if (kind === undefined || body.items === undefined) return { status, body };
    const items = body.items.slice(0, 10).map((item) => kind(item, cutRecord));
    return {
      status,
      body: JSON.parse(replace(JSON.stringify({ kind: body.kind, apiVersion: body.apiVersion, items }))),
    };
  };
  const stages = Object.entries(reads).map(([stage, answers]) => [
    stage,
    Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, cut(name, answer)])),
  ]);
  return Object.fromEntries(stages);
}

/** Helm's record without the chart's files, which are most of it; as JSON, to be read by people. */
function cutRecord(release) {
  const json = JSON.parse(unpack(release));
  const { name, namespace, version, config, info } = json;
  const { images: _, resources: __, ...values } = config;
  return {
    name,
    namespace,
    version,
    config: values,
    info: { ...info, notes: "" },
    chart: { metadata: json.chart.metadata },
  };
}

function unpack(release) {
  const inner = Buffer.from(Buffer.from(release, "base64").toString("latin1"), "base64");
  return gunzipSync(inner).toString();
}
