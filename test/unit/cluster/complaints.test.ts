import { describe, expect, test } from "vitest";

import { complaintsOf, meaningOf, isHopeless, progressOf } from "../../../src/cluster/complaints.ts";
import { failures, platform, recorded } from "./stand-in.ts";

const linux = platform();

describe("recorded failures of k3d 5.9.0, and what they mean", () => {
  test.each([
    ["port taken by a program", "PORT_TAKEN", "port 6592 of this machine, which the cluster needs, is in use"],
    ["port taken by a container", "PORT_TAKEN", "port 6593 of this machine, which the cluster needs, is in use"],
    [
      "certificate not trusted",
      "IMAGE_PULL_TLS",
      "the container engine does not trust the registry's certificate, as behind a proxy that inspects TLS",
    ],
    ["pull limit", "IMAGE_PULL_LIMIT", "the registry's limit of pulls is reached"],
    ["no such image", "IMAGE_PULL_FAILED", "the registry does not give 127.0.0.1:5997/rancher/k3s:v1"],
    ["registry refuses", "IMAGE_PULL_FAILED", "the registry does not give 127.0.0.1:5996/rancher/k3s:v1"],
    [
      "no network to the registry",
      "IMAGE_PULL_FAILED",
      'the container engine could not pull registry.invalid/rancher/k3s:v1: Get "https://registry.invalid/v2/": dial tcp: lookup registry.invalid on 192.0.2.53:53: no such host',
    ],
    ["already exists", "CLUSTER_CREATE_FAILED", "another program made a cluster of this name at the same moment"],
    [
      "container name in use",
      "CLUSTER_NOT_OURS",
      "a container that is not of this cluster has the name k3d-tracebloc-server-0",
    ],
  ])("%s", (name, reason, says) => {
    expect(meaningOf(recorded(failures, name).stderr, linux)).toMatchObject({ reason, says });
  });

  test("what tells nothing of its cause is left to the node's own end", () => {
    expect(meaningOf(recorded(failures, "node ends at once").stderr, linux)).toBeUndefined();
    expect(meaningOf("", linux)).toBeUndefined();
  });
});

describe("texts that others reported (failure-cases.md)", () => {
  test.each([
    [
      "B28 Windows",
      "Ports are not available: exposing port TCP 127.0.0.1:6550 -> 127.0.0.1:0: listen tcp4 127.0.0.1:6550: bind: Only one usage",
      "PORT_TAKEN",
      "6550",
    ],
    ["B18", "write /var/lib/docker/tmp/GetImageBlob12: no space left on device", "NO_SPACE", "full"],
    [
      "B18 pull",
      "failed to pull image 'x': failed to register layer: write /a: no space left on device",
      "NO_SPACE",
      "full",
    ],
    [
      "B30",
      "Error response from daemon: Mounts denied: \nThe path /srv/data is not shared from the host and is not known to Docker.\nYou can configure shared paths",
      "DATA_DIR_UNUSABLE",
      "does not see /srv/data",
    ],
    [
      "a login that is missing",
      "failed to pull image 'registry.example.com/k3s:v1': Error response from daemon: unauthorized: authentication required",
      "IMAGE_PULL_DENIED",
      "refuses the user name",
    ],
    [
      "B30 older",
      "Error response from daemon: Mounts denied: \nThe path /srv/data\nis not shared from OS X and is not known to Docker.",
      "DATA_DIR_UNUSABLE",
      "does not see /srv/data",
    ],
    [
      "B30 privacy",
      "Mounts denied: approving /Users/ada/data: file does not exist",
      "DATA_DIR_UNUSABLE",
      "macOS keeps the container engine from /Users/ada/data",
    ],
    [
      "B23",
      "error while creating mount source path '/opt/x': mkdir /opt/x: read-only file system",
      "DATA_DIR_UNUSABLE",
      "cannot use /opt/x: mkdir /opt/x: read-only",
    ],
    [
      "B48",
      "Error response from daemon: all predefined address pools have been fully subnetted",
      "CLUSTER_CREATE_FAILED",
      "no addresses left",
    ],
    [
      "B48 older",
      "could not find an available, non-overlapping IPv4 address pool among the defaults to assign",
      "CLUSTER_CREATE_FAILED",
      "no addresses left",
    ],
    [
      "B39",
      'level=fatal msg="Error: failed to find cpuset cgroup (v2)"',
      "CLUSTER_CREATE_FAILED",
      "the cgroup controller cpuset",
    ],
    [
      "B39 Pi",
      'you may need to add "cgroup_memory=1 cgroup_enable=memory"',
      "CLUSTER_CREATE_FAILED",
      "the cgroup controller memory",
    ],
    ["B38", "failed to create fsnotify watcher: too many open files", "CLUSTER_CREATE_FAILED", "inotify"],
    [
      "another processor",
      "no matching manifest for linux/arm64/v8 in the manifest list entries",
      "IMAGE_PULL_FAILED",
      "not built for linux/arm64/v8",
    ],
  ])("%s", (_, text, reason, words) => {
    const explained = meaningOf(text, linux);
    expect(explained?.reason).toBe(reason);
    expect(explained?.says).toContain(words);
    expect(explained?.remedies.length).toBeGreaterThan(0);
  });

  test("B48, B18: nothing is ever pruned for a person", () => {
    const all = JSON.stringify(
      ["all predefined address pools have been fully subnetted", "no space left on device"].map((text) =>
        meaningOf(text, linux),
      ),
    );
    expect(all).not.toMatch(/docker (network|system|image|volume) prune/);
  });

  test.each(["linux", "darwin", "win32"])(
    "B06: how an engine on %s learns to trust is told for that system",
    (system) => {
      const { remedies = [] } = meaningOf("x509: certificate signed by unknown authority", platform(system)) ?? {};
      expect(remedies.every(({ command = "" }) => system === "linux" || !command.includes("update-ca-trust"))).toBe(
        true,
      );
      expect(remedies[0]?.command).toContain(
        { linux: "update-ca-certificates", darwin: "security add-trusted-cert", win32: "Import-Certificate" }[
          system
        ] as string,
      );
    },
  );
});

describe("k3d's own lines", () => {
  test("what is more than progress, without colours and time stamps", () => {
    expect(complaintsOf(recorded(failures, "already exists").stderr)).toEqual([
      "Failed to create cluster 'tracebloc' because a cluster with that name already exists",
    ]);
    expect(complaintsOf("\u001b[36mINFO\u001b[0m[0000] Prep: Network\n")).toEqual([]);
  });

  test("what it is at", () => {
    expect(progressOf("\u001b[36mINFO\u001b[0m[0001] Creating node 'k3d-tracebloc-server-0'           ")).toBe(
      "Creating node 'k3d-tracebloc-server-0'",
    );
    expect(progressOf("kubectl cluster-info")).toBeUndefined();
  });

  test("B20, B39: waiting is given up where k3d would go on in vain, and only there", () => {
    expect(
      isHopeless(
        "WARN[0120] Node 'k3d-x-server-0' is restarting for more than 2m0s now. Possibly it will recover soon",
      ),
    ).toBe(true);
    expect(
      isHopeless(
        'WARN[0003] warning: encountered fatal log from node k3d-x-server-0 (retrying 0/10): level=fatal msg="Error: failed to find cpuset cgroup (v2)"',
      ),
    ).toBe(true);
    expect(
      isHopeless(
        'WARN[0003] warning: encountered fatal log from node k3d-x-server-0 (retrying 0/10): level=fatal msg="starting kubernetes: preparing server"',
      ),
    ).toBe(false);
    expect(isHopeless("INFO[0001] Starting node 'k3d-x-server-0'")).toBe(false);
  });
});
