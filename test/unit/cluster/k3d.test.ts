import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  createCluster,
  getKubeconfig,
  listClusters,
  parseClusterNames,
  startCluster,
  type ClusterShape,
} from "../../../src/cluster/k3d.ts";
import { exited, listAnswers, platform, recorded } from "./stand-in.ts";

const shape: ClusterShape = {
  cluster: "tracebloc",
  image: "rancher/k3s:v1.35.5-k3s1@sha256:2074",
  toolsImage: "ghcr.io/k3d-io/k3d-tools:5.9.0",
  port: 6550,
  anyPort: false,
  dataDir: "/home/ada/.tracebloc",
  datasetDir: undefined,
};

describe("k3d cluster create", () => {
  test("has exactly the flags that the cluster needs", () => {
    expect(createCluster("/opt/k3d", shape, "id-1", platform())).toStrictEqual({
      file: "/opt/k3d",
      args: [
        "cluster",
        "create",
        "tracebloc",
        "--servers",
        "1",
        "--agents",
        "0",
        "--no-lb",
        "--api-port",
        "127.0.0.1:6550",
        "--image",
        "rancher/k3s:v1.35.5-k3s1@sha256:2074",
        "--wait",
        "--timeout",
        "900s",
        "--no-rollback",
        "--kubeconfig-update-default=false",
        "--k3s-arg",
        "--disable=traefik@server:*",
        "--k3s-arg",
        "--disable=servicelb@server:*",
        "--k3s-arg",
        "--disable=local-storage@server:*",
        "--volume",
        "/home/ada/.tracebloc:/tracebloc@all",
        "--runtime-label",
        "tracebloc.installation=id-1@server:0",
      ],
      about: "k3d cluster create",
      timeoutMs: 1_200_000,
      mutates: true,
      env: { K3D_IMAGE_TOOLS: "ghcr.io/k3d-io/k3d-tools:5.9.0", K3D_CONFIG: undefined },
    });
  });

  test("a dataset directory is mounted beside the data directory", () => {
    const { args } = createCluster("k3d", { ...shape, datasetDir: "/srv/datasets" }, "id-1", platform());
    expect(args.filter((arg) => arg.includes("@all"))).toEqual([
      "/home/ada/.tracebloc:/tracebloc@all",
      "/srv/datasets:/tracebloc-data@all",
    ]);
  });

  test("node-local keeps k3s's local storage, and mounts nothing", () => {
    const { args } = createCluster("k3d", { ...shape, dataDir: undefined }, "id-1", platform());
    expect(args.filter((arg) => arg.startsWith("--disable"))).toEqual([
      "--disable=traefik@server:*",
      "--disable=servicelb@server:*",
    ]);
    expect(args).not.toContain("--volume");
  });

  test("our own deadline is longer than k3d's, so that k3d can say why", () => {
    const limits = [createCluster("k3d", shape, "id", platform()), startCluster("k3d", "tracebloc", "tools")].map(
      ({ args, timeoutMs }) => {
        const limit = Number.parseInt(args[args.indexOf("--timeout") + 1] ?? "", 10) * 1000;
        return timeoutMs - limit;
      },
    );
    expect(Math.min(...limits)).toBeGreaterThanOrEqual(60_000);
  });

  test("B33: an @ in a folder's name is not taken for a filter of nodes", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("@", "a", " ", "é") }), (name) => {
        const { args } = createCluster("k3d", { ...shape, dataDir: `/srv/a${name}` }, "id-1", platform());
        const flag = args[args.indexOf("--volume") + 1] ?? "";
        expect(asK3dSplits(flag)).toEqual([`/srv/a${name}:/tracebloc`, "all"]);
      }),
    );
  });
});

test("start waits, bounded, and needs the tools image as create does", () => {
  const { args, env } = startCluster("k3d", "tracebloc", "mirror.example.com/tools:1");
  expect(args).toEqual(["cluster", "start", "tracebloc", "--wait", "--timeout", "300s"]);
  expect(env).toMatchObject({ K3D_IMAGE_TOOLS: "mirror.example.com/tools:1" });
});

test("a kubeconfig arrives unredacted, and changes nothing", () => {
  expect(getKubeconfig("k3d", "tracebloc")).toMatchObject({ args: ["kubeconfig", "get", "tracebloc"], raw: true });
});

describe("k3d cluster list", () => {
  const names = (stdout: string) => parseClusterNames(exited({ stdout }));

  test("names all clusters, exactly", () => {
    expect(parseClusterNames(exited(recorded(listAnswers, "running")))).toEqual(["tracebloc2", "tracebloc", "lab"]);
    expect(parseClusterNames(exited(recorded(listAnswers, "other clusters only")))).toEqual(["tracebloc2", "lab"]);
  });

  test("B22: keeps nothing of the tokens that it prints", () => {
    const answer = recorded(listAnswers, "running");
    expect(answer.stdout).toContain("canary-token");
    expect(JSON.stringify(parseClusterNames(exited(answer)))).not.toContain("canary");
  });

  test("B22: none is an empty list", () => {
    expect(names("[]\n")).toEqual([]);
  });

  test("B15: a banner may stand before the list", () => {
    expect(names('A new version of k3d is available!\n[{"name":"tracebloc"}]\n')).toEqual(["tracebloc"]);
  });

  test("B15: with brackets of its own", () => {
    expect(names('k3d [beta] says hello\n[{"name":"tracebloc"}]\n')).toEqual(["tracebloc"]);
  });

  test("B22: one of two hundred is found", () => {
    const many = Array.from({ length: 200 }, (_, index) => ({ name: `cluster-${index}` }));
    expect(names(JSON.stringify([...many, { name: "tracebloc" }]))).toContain("tracebloc");
  });

  test.each([
    ["nothing", ""],
    ["null", "null\n"],
    ["an object", '{"name":"tracebloc"}'],
    ["an encoder's complaint", "json: unsupported type: map[interface {}]interface {}\n"],
    ["a table", "NAME        SERVERS   AGENTS   LOADBALANCER\ntracebloc   1/1       0/0      false\n"],
    ["half a list", '[{"name":"tracebloc"'],
    ["two documents", '[]\n[{"name":"tracebloc"}]\n'],
    ["something after the list", '[{"name":"tracebloc"}]\nDone.\n'],
    ["a cluster without a name", '[{"serversRunning":1}]'],
    ["names that are none", '["tracebloc"]'],
  ])("B22: %s is not understood, and no absence", (_, stdout) => {
    expect(() => names(stdout)).toThrow(/^it /);
  });

  test("a list that was cut off is not understood", () => {
    expect(() => parseClusterNames({ ...exited({ stdout: "[]" }), truncated: true })).toThrow("too long");
  });

  test("is asked without a name: k3d calls a missing cluster a failure", () => {
    expect(listClusters("k3d").args).toEqual(["cluster", "list", "--output", "json"]);
  });
});

/** How k3d 5.9.0 reads a flag with a filter of nodes (cmd/util/filter.go). */
function asK3dSplits(flag: string): string[] {
  const pieces: string[] = [];
  let kept = "";
  const parts = flag.split("@");
  for (const [index, part] of parts.entries()) {
    if (part.endsWith("\\") && index !== parts.length - 1) {
      kept += `${part.slice(0, -1)}@`;
      continue;
    }
    pieces.push(kept + part);
    kept = "";
  }
  return pieces;
}
