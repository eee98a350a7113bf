import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";

import { layerValues, type Values } from "../../src/release/values.ts";
import { createCluster, inLab, type LabCluster } from "./lab.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const release = "hospital";

/** The commands of a document in their order, but for those that need a cloud: one a line, in blocks of `sh`. */
function commandsOf(document: string): string[] {
  const blocks = readFileSync(join(root, document), "utf8").matchAll(/^```sh\n(.*?)^```$/gms);
  return [...blocks].flatMap(([, block = ""]) => block.trim().split("\n"));
}

/** CLUSTERS.md as a person follows it who has a cluster, Helm and kubectl, and values for one machine. */
describe("a site with a cluster of its own", () => {
  let cluster: LabCluster;
  let folder: string;
  const valuesOf = (path: string) => parse(readFileSync(join(root, path), "utf8")) as Values;
  const paste = (command: string) =>
    inLab("sh", ["-c", `cd "$0" && ${command}`, folder], { env: { KUBECONFIG: cluster.kubeconfig } });

  beforeAll(async () => {
    await inLab("k3d", ["cluster", "delete", "lab-clusters"]);
    cluster = await createCluster("lab-clusters");
    folder = await mkdtemp(join(tmpdir(), "lab-clusters-"));
    cpSync(join(root, "charts"), join(folder, "charts"), { recursive: true });
    const values = layerValues(valuesOf("charts/client/ci/bm-values.yaml"), valuesOf("scripts/lab/values.yaml"));
    writeFileSync(join(folder, "my-values.yaml"), stringify(values), { mode: 0o600 });
  });
  afterAll(async () => {
    await cluster.remove();
    await rm(folder, { recursive: true });
  });

  const commands = commandsOf("CLUSTERS.md");
  const removal = commands.findIndex((command) => command.startsWith("helm uninstall"));
  const inNamespace = ["--namespace", release];
  const volumes = async () => {
    const columns = "custom-columns=:.metadata.name,:.spec.volumeName,:.status.phase";
    const claims = ["get", "persistentvolumeclaims", ...inNamespace, "--no-headers", "--output", columns];
    return (await cluster.kubectl(claims)).split("\n").map((line) => line.trim().split(/\s+/).join(" "));
  };
  const bound = ["client-logs-pvc", "client-pvc", "mysql-pvc"].map((claim) => {
    const volume = claim === "mysql-pvc" ? "mysql" : claim === "client-pvc" ? "data" : "logs";
    return `${claim} ${release}-${volume}-pv Bound`;
  });

  test("finds a command for each thing in the document", () => {
    expect(commands.length).toBeGreaterThan(20);
    expect(removal).toBeGreaterThan(15);
  });

  test.each(commands.slice(0, removal))("%s", async (command) => {
    await expect(paste(command)).resolves.toBeTypeOf("string");
  });

  test("has its data on volumes of its own, labels and a way back", async () => {
    expect(await volumes()).toEqual(bound);
    const revisions = JSON.parse(await paste(`helm history ${release} --namespace ${release} --output json`)) as {
      status: string;
    }[];
    expect(revisions.map(({ status }) => status)).toEqual(["superseded", "superseded", "deployed"]);
    await inLab("docker", ["exec", cluster.node, "sh", "-c", `echo kept > /tracebloc/${release}/data/a-dataset`]);
  });

  test.each(commands.slice(removal))("%s", async (command) => {
    await expect(paste(command)).resolves.toBeTypeOf("string");
  });

  test("finds its data again", async () => {
    expect(await volumes()).toEqual(bound);
    const dataset = `/tracebloc/${release}/data/a-dataset`;
    expect(await inLab("docker", ["exec", cluster.node, "cat", dataset])).toBe("kept");
  });
});
