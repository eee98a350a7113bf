import { readFileSync } from "node:fs";

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { kindOfMount, mountOf, parseMountinfo, parseMountOutput, type Mount } from "../../../src/host/mounts.ts";

function mount(type: string, options = "", source = "x"): Mount {
  return { at: "/", type, source, options };
}

describe("kinds of file systems", () => {
  test.each([
    ["nfs4", "network"],
    ["NFS", "network"],
    ["cifs", "network"],
    ["smb3", "network"],
    ["smbfs", "network"],
    ["9p", "network"],
    ["lustre", "network"],
    ["ceph", "network"],
    ["fuse.sshfs", "network"],
    ["fuse.s3fs", "network"],
    ["fuse.rclone", "network"],
    ["fuse.glusterfs", "network"],
    ["virtiofs", "shared"],
    ["drvfs", "shared"],
    ["fuse.vmhgfs-fuse", "unknown FUSE"],
    ["fuse.bindfs", "unknown FUSE"],
    ["fuse", "unknown FUSE"],
    ["fuseblk", "unknown FUSE"],
    ["macfuse", "unknown FUSE"],
    ["tmpfs", "memory"],
    ["ext4", "local"],
    ["xfs", "local"],
    ["btrfs", "local"],
    ["zfs", "local"],
    ["overlay", "local"],
    ["apfs", "local"],
    ["fusectl", "local"],
  ])("%s is %s", (type, kind) => {
    expect(kindOfMount(mount(type))).toBe(kind);
  });

  test("a Windows drive seen from WSL2 is no network, as 9p and as virtiofs (microsoft/WSL#14301)", () => {
    expect(
      kindOfMount(mount("9p", "rw,aname=drvfs;path=C:\\;uid=1000;gid=1000;symlinkroot=/mnt/,cache=5,trans=fd", "C:\\")),
    ).toBe("shared");
    expect(kindOfMount(mount("virtiofs", "rw", "drvfsC0"))).toBe("shared");
  });
});

describe("/proc/self/mountinfo", () => {
  test.runIf(process.platform === "linux")("this machine's own is read whole", () => {
    const text = readFileSync("/proc/self/mountinfo", "utf8");
    const mounts = parseMountinfo(text);
    expect(mounts).toHaveLength(text.trim().split("\n").length);
    expect(mountOf("/proc/self", mounts)?.type).toBe("proc");
    expect(mountOf("/", mounts)?.at).toBe("/");
  });

  test("optional fields, none and several, and what the kernel writes in octal", () => {
    const mounts = parseMountinfo(
      [
        "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:7 - ext3 /dev/root rw,errors=continue",
        "37 35 0:50 / /home/ann/my\\040data rw - nfs4 nas.example.com:/a\\134b rw,vers=4.2",
        "not a line",
        "",
      ].join("\n"),
    );
    expect(mounts).toEqual([
      { at: "/mnt2", type: "ext3", source: "/dev/root", options: "rw,errors=continue" },
      { at: "/home/ann/my data", type: "nfs4", source: "nas.example.com:/a\\b", options: "rw,vers=4.2" },
    ]);
  });

  const name = fc.stringMatching(/^[a-z \t\\é#-]{1,8}$/);
  const escaped = (text: string) =>
    text.replaceAll(/[ \t\n\\]/g, (c) => `\\${(c.codePointAt(0) ?? 0).toString(8).padStart(3, "0")}`);

  test("whatever stands in a name, what the kernel would write is read back", () => {
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 4 }),
        name,
        fc.constantFrom("ext4", "fuse.sshfs"),
        (parts, source, type) => {
          const at = `/${parts.join("/")}`;
          const line = `36 35 98:0 / ${escaped(at)} rw shared:1 - ${type} ${escaped(source)} rw`;
          expect(parseMountinfo(line)).toEqual([{ at, type, source, options: "rw" }]);
        },
      ),
    );
  });

  test("no text makes it throw, and what is read is whole", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = [...parseMountinfo(text), ...parseMountOutput(text)];
        expect(read.every(({ type }) => type !== "")).toBe(true);
      }),
    );
  });
});

describe("the mount that holds a path", () => {
  const mounts = [
    mount("ext4"),
    { ...mount("nfs4"), at: "/home" },
    { ...mount("xfs"), at: "/home/ann" },
    { ...mount("tmpfs"), at: "/home" },
  ];

  test("is the longest that leads to it", () => {
    expect(mountOf("/home/ann/.tracebloc", mounts)?.type).toBe("xfs");
    expect(mountOf("/srv", mounts)?.type).toBe("ext4");
  });

  test("ends at whole names", () => {
    expect(mountOf("/home/anna", mounts)?.type).toBe("tmpfs");
    expect(mountOf("/homely", mounts)?.type).toBe("ext4");
  });

  test("of two at one place is the one on top", () => {
    expect(mountOf("/home", mounts)?.type).toBe("tmpfs");
  });

  test("is always a parent of the path, and none is longer", () => {
    const path = fc.array(fc.constantFrom("a", "b", "ab"), { maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
    fc.assert(
      fc.property(path, fc.array(path, { maxLength: 8 }), (asked, places) => {
        const list = places.map((at) => ({ ...mount("ext4"), at }));
        const isParent = (at: string) => `${asked}/`.startsWith(at === "/" ? "/" : `${at}/`);
        const lengths = places.filter(isParent).map((at) => at.length);
        expect(mountOf(asked, list)?.at.length).toBe(lengths.length === 0 ? undefined : Math.max(...lengths));
      }),
    );
  });
});

test("macOS: mount's lines, a share with a blank in its name among them", () => {
  const text = [
    "/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)",
    "devfs on /dev (devfs, local, nobrowse)",
    "/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse, protect)",
    "//ann@nas.example.com/My%20Share on /Volumes/My Share (smbfs, nodev, nosuid, mounted by ann)",
    "nas.example.com:/home on /Volumes/nfs (nfs)",
    "sshfs@macfuse0 on /Volumes/far (macfuse, nodev, nosuid, synchronous, mounted by ann)",
  ].join("\n");
  const mounts = parseMountOutput(text);
  expect(mounts).toHaveLength(6);
  expect(mountOf("/Volumes/My Share/data", mounts)).toMatchObject({
    type: "smbfs",
    source: "//ann@nas.example.com/My%20Share",
  });
  expect(kindOfMount(mountOf("/Volumes/nfs/x", mounts) ?? mount(""))).toBe("network");
  expect(kindOfMount(mountOf("/Users/ann/.tracebloc", mounts) ?? mount(""))).toBe("local");
});
