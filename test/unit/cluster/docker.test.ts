import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { inspectNode, listMembers, parseMembers, parseNode, saysNoSuchContainer } from "../../../src/cluster/docker.ts";
import { mountAt } from "../../../src/cluster/node.ts";
import { dockerAnswers, exited, recorded, timedOut } from "./stand-in.ts";

const answer = (name: string) => recorded(dockerAnswers, name);
const node = (name: string) => parseNode(exited(answer(name).inspect));

describe("what docker is asked", () => {
  test("a label's exact value, never a part of a name", () => {
    expect(listMembers("tracebloc").args).toContain("label=k3d.cluster=tracebloc");
    expect(listMembers("tracebloc").args.join(" ")).not.toContain("name=");
  });

  test("for a container, since a volume may have the same name", () => {
    expect(inspectNode("k3d-tracebloc-server-0").args.slice(0, 2)).toEqual(["container", "inspect"]);
  });

  test("B22: for no label's and no variable's value that could be a secret", () => {
    const formats = [...listMembers("tracebloc").args, ...inspectNode("k3d-tracebloc-server-0").args].join(" ");
    expect(formats).not.toMatch(/json \.}}|json \.Labels|json \.Config\.(Labels|Env)}}|token/);
    expect(JSON.stringify(dockerAnswers)).not.toMatch(/K3S_TOKEN=|cluster\.token/);
  });

  test("within a bound", () => {
    expect([listMembers("a").timeoutMs, inspectNode("a").timeoutMs]).toEqual([10_000, 10_000]);
  });
});

describe("what docker answers", () => {
  test("the members of a running cluster", () => {
    expect(parseMembers(exited(answer("load balancer never started").ls))).toEqual([
      { name: "k3d-tracebloc-serverlb", state: "created", role: "loadbalancer", installation: undefined },
      {
        name: "k3d-tracebloc-server-0",
        state: "running",
        role: "server",
        installation: "0f0e0d0c-1111-4222-8333-444455556666",
      },
    ]);
  });

  test("the node: state, image, label, mounts and the port of its API", () => {
    const { mounts, ...rest } = node("running");
    expect(rest).toEqual({
      name: "k3d-tracebloc-server-0",
      cluster: "tracebloc",
      installation: "0f0e0d0c-1111-4222-8333-444455556666",
      state: "running",
      createdAt: expect.stringMatching(/^2026-/) as string,
      startedAt: expect.stringMatching(/^2026-/) as string,
      exitCode: 0,
      outOfMemory: false,
      restarts: 0,
      image: "lab/k3s:v1.35.4",
      api: { host: "127.0.0.1", port: 6591 },
      environment: ["K3S_TOKEN", "K3S_KUBECONFIG_OUTPUT", "CONTAINERD_NAMESPACE"],
    });
    expect(mounts.filter(({ type }) => type === "bind")).toEqual([
      { type: "bind", destination: "/tracebloc", source: "/home/ada/data", asked: "/home/ada/data", writable: true },
      {
        type: "bind",
        destination: "/tracebloc-data",
        source: "/home/ada/datasets",
        asked: "/home/ada/datasets",
        writable: true,
      },
    ]);
  });

  test("a node that never started has no start", () => {
    expect(node("half created").startedAt).toBeUndefined();
  });

  test("B12: a mount at /tracebloc2 is none at /tracebloc, and a read-only one says so", () => {
    const similar = node("read-only and similar mounts");
    expect(mountAt(similar, "/tracebloc")).toMatchObject({ source: "/home/ada/data", writable: false });
    expect(mountAt(similar, "/tracebloc2")).toMatchObject({ writable: true });
    expect(mountAt(node("restarting"), "/tracebloc")).toBeUndefined();
  });

  test("B25: a volume is told from a folder", () => {
    expect(mountAt(node("named volume"), "/tracebloc")).toMatchObject({ type: "volume", asked: "data" });
  });

  test.each(["C:\\Users\\Ada\\.tracebloc", "C:/Users/Ada/.tracebloc", "/tracebloc", "/srv/a:b"])(
    "B25: %s, as it was asked for, is found again",
    (asked) => {
      for (const options of ["", ":rw", ":ro,z"]) {
        const stdout = JSON.stringify({
          name: "/k3d-tracebloc-server-0",
          created: "2026-11-30T10:00:00Z",
          image: "rancher/k3s",
          state: { Status: "running" },
          mounts: [
            {
              Type: "bind",
              Source: "/run/desktop/mnt/host/c/Users/Ada/.tracebloc",
              Destination: "/tracebloc",
              RW: true,
            },
          ],
          binds: ["/srv/other:/tracebloc-data", `${asked}:/tracebloc${options}`],
        });
        expect(mountAt(parseNode(exited({ stdout })), "/tracebloc")?.asked).toBe(asked);
      }
    },
  );

  test.each([
    ["0.0.0.0", "127.0.0.1"],
    ["", "127.0.0.1"],
    ["::", "127.0.0.1"],
    ["127.0.0.1", "127.0.0.1"],
    ["192.0.2.7", "192.0.2.7"],
  ])("B13: an API published at %j is called at %s", (published, called) => {
    const ports = { "6443/tcp": [{ HostIp: published, HostPort: "6550" }] };
    const stdout = JSON.stringify({
      name: "/n",
      created: "",
      image: "i",
      state: { Status: "running" },
      ports,
      apiPort: "7000",
    });
    expect(parseNode(exited({ stdout })).api).toEqual({ host: called, port: 6550 });
  });

  test("behind a load balancer the port is in k3d's label; without either there is none", () => {
    const seen = (apiPort: string) =>
      parseNode(
        exited({
          stdout: JSON.stringify({
            name: "/n",
            created: "",
            image: "i",
            state: { Status: "running" },
            ports: {},
            apiPort,
          }),
        }),
      ).api;
    expect(node("with a load balancer").api).toEqual({ host: "127.0.0.1", port: 6596 });
    expect(seen("6550")).toEqual({ host: "127.0.0.1", port: 6550 });
    expect(seen("")).toBeUndefined();
  });

  test.each(["", "null", "[]", "{}", '{"name":"/n"}', "no JSON at all", '{"name":'])(
    "%j is not understood, and no absence",
    (stdout) => {
      expect(() => parseNode(exited({ stdout }))).toThrow(/^docker /);
    },
  );

  test("a list that was cut off is not a shorter list", () => {
    expect(() => parseMembers({ ...exited(answer("running").ls), truncated: true })).toThrow("too long");
  });

  test("a list of which one line is no container is not understood", () => {
    expect(() => parseMembers(exited({ stdout: `${answer("running").ls.stdout}WARNING: something\n` }))).toThrow(
      /^docker /,
    );
  });
});

describe("No such container", () => {
  const name = "k3d-tracebloc-server-0";

  test("is an absence in the words of both generations of docker", () => {
    expect(saysNoSuchContainer(exited(answer("absent").inspect), name)).toBe(true);
    expect(saysNoSuchContainer(exited({ exitCode: 1, stderr: `Error: No such container: ${name}\n` }), name)).toBe(
      true,
    );
  });

  test.each([
    ["an engine that is down", exited(answer("engine down").inspect)],
    ["an engine that does not answer", timedOut],
    ["another container's absence", exited({ exitCode: 1, stderr: `Error: No such container: ${name}1\n` })],
    ["a volume's absence", exited({ exitCode: 1, stderr: `Error: No such volume: ${name}\n` })],
    [
      "a second complaint",
      exited({ exitCode: 1, stderr: `Error: No such container: ${name}\nerror during connect: EOF\n` }),
    ],
    ["more than that one line", exited({ exitCode: 1, stderr: `WARNING: x\nError: No such container: ${name}\n` })],
    ["success", exited({ stderr: `Error: No such container: ${name}\n` })],
  ])("%s is none", (_, result) => {
    expect(saysNoSuchContainer(result, name)).toBe(false);
  });

  test("no other text is one", () => {
    fc.assert(
      fc.property(fc.string(), (stderr) => {
        fc.pre(!stderr.includes("No such container"));
        expect(saysNoSuchContainer(exited({ exitCode: 1, stderr }), name)).toBe(false);
      }),
    );
  });
});
