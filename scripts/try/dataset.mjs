// A dataset by real pods: written as one user, removed as another, as the product's ingestion and deletion do.

import { writeFileSync } from "node:fs";

import { podImages } from "../lab/versions.mjs";
import { kubectl, namespace, place } from "./product.mjs";
import { Trouble } from "./screen.mjs";

/** Who ingestion runs as, and who deletes: neither is root, and they have no group in common. */
export const writer = 65534;
export const remover = 65532;

const dataset = "/data/shared/cats";

export const write = () => runPod("try-writer", writer, ["write", dataset]);
export const remove = () => runPod("try-remover", remover, ["remove", dataset]);

/** Runs a pod with the release's data volume to its end. Gives its exit code and what it printed. */
async function runPod(name, uid, args) {
  await kubectl(["delete", "pod", name, "--ignore-not-found", "--wait=true", "--timeout=60s"]);
  const file = place(`${name}.json`);
  writeFileSync(file, JSON.stringify(manifest(name, uid, args), null, 2));
  await kubectl(["apply", "--filename", file]);
  const ended = "{.status.containerStatuses[0].state.terminated}";
  try {
    await kubectl(["wait", `--for=jsonpath=${ended}`, `pod/${name}`, "--timeout=90s"]);
  } catch (error) {
    throw new Trouble(`pod ${name} did not end: ${error.message}`, "npm run try -- status", "npm run try");
  }
  const exit = Number(await kubectl(["get", `pod/${name}`, `--output=jsonpath=${ended.replace("}", ".exitCode}")}`]));
  const log = (await kubectl(["logs", `pod/${name}`])).trim().split("\n");
  await kubectl(["delete", "pod", name, "--wait=false"]);
  return { exit, log };
}

function manifest(name, uid, args) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace },
    spec: {
      restartPolicy: "Never",
      securityContext: { runAsUser: uid, runAsGroup: uid, runAsNonRoot: true },
      containers: [
        {
          name: "workload",
          image: podImages.workload,
          imagePullPolicy: "IfNotPresent",
          args,
          volumeMounts: [{ name: "data", mountPath: "/data/shared" }],
        },
      ],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "client-pvc" } }],
    },
  };
}
