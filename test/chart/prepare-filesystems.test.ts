import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { release } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { container, describeChart, nodeLocal, render } from "./helm.ts";
import { execute, folder, lines, shells } from "./shells.ts";

/** As /proc/filesystems writes it. */
const known = ["nodev\tsysfs", "nodev\ttmpfs", "\text4", "nodev\toverlay"];

type Host = {
  /** What the kernel knows when the pod starts. */
  filesystems?: readonly string[];
  /** Whether the node has modules for the running kernel, and where. */
  modules?: "in /lib" | "in /usr/lib, /lib being a link" | "none";
  /** The body of modprobe in the image; undefined where the image has none. It may write to "$KNOWN". */
  modprobe?: string | undefined;
};

/**
 * A node and an image, made of files: the kernel's list and the host's /lib are what the container sees of them. Loading
 * into this machine's own kernel is not for tests, so that modprobe is a stand-in which does what the real one does to the list.
 */
async function prepare(shell: (typeof shells)[number], names: readonly string[], host: Host) {
  const { filesystems = known, modules = "in /lib", modprobe } = host;
  const root = await folder();
  const list = join(root, "filesystems");
  await writeFile(list, `${filesystems.join("\n")}\n`);
  await mkdir(join(root, "host", "lib"), { recursive: true });
  if (modules !== "none") await mkdir(join(root, "host", "lib", "modules", release()), { recursive: true });
  if (modules === "in /usr/lib, /lib being a link") {
    await mkdir(join(root, "host", "usr"));
    await rename(join(root, "host", "lib"), join(root, "host", "usr", "lib"));
    await symlink("usr/lib", join(root, "host", "lib"));
  }
  // Nothing besides these: a machine that runs the tests may have a modprobe of its own.
  const bin = join(root, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "uname"), `#!/bin/sh\necho ${release()}\n`, { mode: 0o755 });
  const called = join(root, "called");
  if (modprobe !== undefined) {
    const body = `#!/bin/sh\nfor last do :; done\necho "$*" >>'${called}'\nKNOWN='${list}'\n${modprobe}\n`;
    await writeFile(join(bin, "modprobe"), body, { mode: 0o755 });
  }
  const values = { ...nodeLocal, nodePrep: { filesystems: ["overlay"] } };
  const [script = "", zero = ""] = container(await render(values), "prepare-filesystems").args ?? [];
  const ran = await execute({ ...shell, path: bin }, script, [zero, list, join(root, "host"), ...names]);
  const { stdout: calls } = await execute(shell, 'cat "$0" 2>/dev/null || true', [called]);
  return { ...ran, said: lines(ran), calls: calls.split("\n").filter(Boolean), host: join(root, "host") };
}

const loads = 'printf "\\t%s\\n" "$last" >>"$KNOWN"';

// busybox finds its own modprobe before any on PATH, as it finds its own chmod.
const replaceable = shells.filter(({ name }) => name !== "busybox");

describeChart.each(shells)("prepare-filesystems under $name", (shell) => {
  test("needs neither modules nor modprobe for what the kernel knows", async () => {
    const ran = await prepare(shell, ["overlay", "ext4"], { modules: "none", modprobe: undefined });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(ran.said).toEqual([
      "prepare-filesystems: OK overlay is registered",
      "prepare-filesystems: OK ext4 is registered",
    ]);
  });

  test.each(["over", "overlay2", "lay", "nodev", "ext", "*", "."])(
    "takes no %s for a name that is known",
    async (name) => {
      const ran = await prepare(shell, [name], { modules: "none" });
      expect(ran.code).toBe(1);
      expect(ran.said[0]).toContain(` FAIL ${name}: kernel ${release()} does not know it, and the node has no modules`);
    },
  );

  test("names the kernel when the node has no modules for it, and says what an operator does", async () => {
    const ran = await prepare(shell, ["overlay", "erofs", "ext4"], { modules: "none" });
    expect(ran.code).toBe(1);
    expect(ran.said).toEqual([
      "prepare-filesystems: OK overlay is registered",
      expect.stringContaining(
        `FAIL erofs: kernel ${release()} does not know it, and the node has no modules for this kernel`,
      ),
      "prepare-filesystems: OK ext4 is registered",
      "prepare-filesystems: no agent starts on this node before the kernel knows: erofs",
      expect.stringContaining("modprobe NAME"),
      expect.stringContaining("nodePrep.filesystems"),
    ]);
  });

  test("does not take an unreadable list for an empty one", async () => {
    const values = { ...nodeLocal, nodePrep: { filesystems: ["overlay"] } };
    const [script = "", zero = ""] = container(await render(values), "prepare-filesystems").args ?? [];
    const ran = await execute(shell, script, [zero, "/nowhere/filesystems", "/nowhere", "overlay"]);
    expect(ran.code).toBe(1);
    expect(lines(ran)).toEqual([expect.stringContaining("cannot be read from /nowhere/filesystems")]);
  });
});

describeChart.each(replaceable)("prepare-filesystems with a modprobe, under $name", (shell) => {
  test.each(["in /lib", "in /usr/lib, /lib being a link"] as const)(
    "loads what is missing from the host's modules %s, and believes the kernel alone",
    async (modules) => {
      const ran = await prepare(shell, ["overlay", "erofs"], { modules, modprobe: loads });
      expect([ran.code, ran.stderr]).toEqual([0, ""]);
      expect(ran.said).toEqual([
        "prepare-filesystems: OK overlay is registered",
        "prepare-filesystems: OK erofs is loaded",
      ]);
      expect(ran.calls).toEqual([`-d ${ran.host} -- erofs`]);
    },
  );

  test("loads a name of which one that is known is the beginning", async () => {
    const ran = await prepare(shell, ["erofs"], { filesystems: ["\terofs2", "nodev\taerofs"], modprobe: loads });
    expect([ran.code, ran.said]).toEqual([0, ["prepare-filesystems: OK erofs is loaded"]]);
  });

  test("fails when modprobe succeeds and registers nothing", async () => {
    const ran = await prepare(shell, ["erofs"], { modprobe: "exit 0" });
    expect(ran.code).toBe(1);
    expect(ran.said[0]).toBe(
      `prepare-filesystems: FAIL erofs: modprobe succeeded, and kernel ${release()} still does not know it`,
    );
  });

  test.each([
    ["could not insert 'erofs': Operation not permitted", "may not load modules into kernel"],
    ["can't load module: Permission denied", "may not load modules into kernel"],
    ["FATAL: Module erofs not found in directory /host/lib/modules", "could not load it into kernel"],
    ["could not insert 'erofs': Key was rejected by service", "could not load it into kernel"],
  ])("tells a refusal from a failure: %s", async (words, meaning) => {
    const ran = await prepare(shell, ["erofs", "overlay"], { modprobe: `echo "modprobe: ${words}" >&2; exit 1` });
    expect(ran.code).toBe(1);
    expect(ran.said[0]).toContain(`FAIL erofs: `);
    expect(ran.said[0]).toContain(meaning);
    expect(ran.said[0]).toContain(release());
    expect(ran.said[0]).toContain(words);
    expect(ran.said[1]).toBe("prepare-filesystems: OK overlay is registered");
    expect(ran.said.at(-3)).toContain("before the kernel knows: erofs");
  });

  test("says when it is the image that lacks modprobe", async () => {
    const ran = await prepare(shell, ["erofs"], { modprobe: undefined });
    expect(ran.code).toBe(1);
    expect(ran.said[0]).toContain("the image of this container has no modprobe");
  });
});
