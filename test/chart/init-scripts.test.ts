import { chmod, chown, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";

import fc from "fast-check";
import { expect, test } from "vitest";

import { owner, volumes } from "../../src/storage/layout.ts";
import { container, containers, describeChart, hostpath, program, render, run, type Ran } from "./helm.ts";
import { execute as executeOf, folder, lines, shells, type Shell } from "./shells.ts";

const asRoot = process.getuid?.() === 0;

/** A container's script as the kubelet starts it, under another shell and with other words behind it. */
async function execute(shell: Shell, name: string, words: readonly string[], options?: Options): Promise<Ran> {
  const [script = "", zero = ""] = container(await render(hostpath), name).args ?? [];
  return executeOf(shell, script, [zero, ...words], options);
}
type Options = Parameters<typeof executeOf>[3];

const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);
const ownerOf = async (path: string) => {
  const { uid, gid } = await stat(path);
  return `${uid}:${gid}`;
};
const ours = `${owner.uid}:${owner.gid}`;

describeChart("every script", () => {
  test("means to the shell what it says: the kubelet's own $(VAR) and $$ are not in it", async () => {
    for (const { name, args = [], env = [] } of containers(await render(hostpath))) {
      const text = args.join("\n");
      expect(text, name).not.toContain("$$");
      for (const variable of env) expect(text, name).not.toContain(`$(${variable.name})`);
    }
  });

  const shellcheck = program("shellcheck");
  test.skipIf(shellcheck === undefined)("has nothing that shellcheck minds", async () => {
    for (const { command, args = [] } of containers(await render(hostpath))) {
      if (command?.[0] !== "sh") continue;
      const { code, stdout } = await run(shellcheck ?? "", ["--shell=sh", "-"], { stdin: args[0] ?? "" });
      expect(stdout).toBe("");
      expect(code).toBe(0);
    }
  });
});

describeChart.each(shells)("init-writable-data under $name", (shell) => {
  const prepare = (entries: readonly string[], options?: Parameters<typeof execute>[3]) =>
    execute(shell, "init-writable-data", [ours, ...entries], options);

  test.skipIf(!asRoot)("gives each directory its owner and mode, whatever it had, and says so", async () => {
    for (const before of [0o755, 0o700, 0o1777, 0o3777, 0o6755, 0o2777]) {
      const root = await folder();
      const data = join(root, "data");
      const logs = join(root, "logs");
      for (const path of [data, logs]) {
        await mkdir(path);
        await writeFile(join(path, "file"), "kept", { mode: 0o600 });
        await chmod(path, before);
        await chown(path, 0, 0);
      }
      const ran = await prepare([`${data}:${volumes.data.mode}`, `${logs}:${volumes.logs.mode}`]);
      expect([ran.code, ran.stderr]).toEqual([0, ""]);
      expect(lines(ran)).toEqual([
        expect.stringMatching(/^init-writable-data: OK drwxrwsrwx .*\/data$/),
        expect.stringMatching(/^init-writable-data: OK drwxrwsrwt .*\/logs$/),
      ]);
      expect([await modeOf(data), await modeOf(logs)]).toEqual([volumes.data.mode, volumes.logs.mode]);
      expect([await ownerOf(data), await ownerOf(logs)]).toEqual([ours, ours]);
      // Nothing is recursive.
      expect([await modeOf(join(data, "file")), await ownerOf(join(data, "file"))]).toEqual(["600", "0:0"]);
    }
  });

  test("fails what is no directory, leaves it as it is, and goes on", async () => {
    const root = await folder();
    const [file, link, target, data] = ["file", "link", "target", "data"].map((name) => join(root, name)) as [
      string,
      string,
      string,
      string,
    ];
    await writeFile(file, "kept", { mode: 0o600 });
    await mkdir(target, { mode: 0o700 });
    await symlink(target, link);
    await mkdir(data, { mode: 0o755 });
    const ran = await prepare([`${file}:2777`, `${link}:2777`, `${root}/missing:2777`, `${data}:2777`]);
    expect(ran.code).toBe(0);
    expect(lines(ran).map((line) => line.split(" ")[1])).toEqual(["FAIL", "FAIL", "FAIL", "OK"]);
    expect([await modeOf(file), await readFile(file, "utf8"), await modeOf(target)]).toEqual(["600", "kept", "700"]);
    expect(await modeOf(data)).toBe("2777");
  });

  test.skipIf(!asRoot)("client#672: a refused chown keeps no chmod from being tried", async () => {
    const data = await folder("data");
    await chown(data, 1234, 1234);
    await chmod(data, 0o755);
    // The directory's own user may change its mode and not its owner, as root may where root_squash makes it somebody.
    const ran = await prepare([`${data}:2777`], { uid: 1234, gid: 1234 });
    expect(ran.code).toBe(0);
    expect(lines(ran)).toEqual([expect.stringMatching(/^init-writable-data: OK drwxrwsrwx .*, chown failed$/)]);
    expect([await modeOf(data), await ownerOf(data)]).toEqual(["2777", "1234:1234"]);
  });

  test.skipIf(!asRoot)(
    "says what is wrong when it may change nothing, and never keeps the pod from starting",
    async () => {
      const root = await folder();
      for (const name of ["data", "logs"]) await mkdir(join(root, name), { mode: 0o755 });
      const ran = await prepare([`${root}/data:2777`, `${root}/logs:3777`], { uid: 65534, gid: 65534 });
      expect(ran.code).toBe(0);
      expect(lines(ran)).toEqual([
        expect.stringMatching(
          /^init-writable-data: FAIL drwxr-xr-x .*\/data, wanted 2777 1000:1000, chown failed, chmod failed$/,
        ),
        expect.stringMatching(
          /^init-writable-data: FAIL drwxr-xr-x .*\/logs, wanted 3777 1000:1000, chown failed, chmod failed$/,
        ),
      ]);
    },
  );

  test.skipIf(!asRoot)(
    "client#667: a sticky bit that stays on data is a failure, though everybody may write",
    async () => {
      const data = await folder("data");
      await chmod(data, 0o3777);
      const ran = await prepare([`${data}:2777`], { uid: 65534, gid: 65534 });
      expect(lines(ran)).toEqual([expect.stringMatching(/^init-writable-data: FAIL drwxrwsrwt /)]);
      await chmod(data, 0o2777);
      expect(lines(await prepare([`${data}:3777`], { uid: 65534, gid: 65534 }))[0]).toContain(" FAIL drwxrwsrwx ");
    },
  );

  test.skipIf(!asRoot)("is content with what is right already where nothing may be changed", async () => {
    const data = await folder("data");
    await chmod(data, 0o2777);
    const ran = await prepare([`${data}:2777`], { uid: 65534, gid: 65534 });
    expect(lines(ran)).toEqual([
      expect.stringMatching(/^init-writable-data: OK drwxrwsrwx .*, chown failed, chmod failed$/),
    ]);
  });

  // busybox takes its own chmod before any on PATH; the lab has a mount of that kind.
  test.skipIf(shell.name === "busybox")(
    "trusts what it reads, not what chmod says: a mount may ignore the call",
    async () => {
      const data = await folder("data");
      await chmod(data, 0o755);
      const bin = await folder();
      await writeFile(join(bin, "chmod"), "#!/bin/sh\n", { mode: 0o755 });
      const ran = await prepare([`${data}:2777`], { env: { PATH: `${bin}:${shell.path}` } });
      expect(ran.code).toBe(0);
      expect(lines(ran)[0]).toContain(" FAIL drwxr-xr-x ");
    },
  );

  test.skipIf(!asRoot)("fails on a read-only mount", async ({ skip }) => {
    const data = await folder("data");
    const [script = "", zero = ""] = container(await render(hostpath), "init-writable-data").args ?? [];
    const inside = 'mount -t tmpfs -o ro,mode=755 none "$0" || exit 77; export PATH="$1"; shift; exec "$@"';
    const words = ["--mount", "sh", "-c", inside, data, shell.path, ...shell.start, script, zero, ours, `${data}:2777`];
    const ran = await run("unshare", words);
    if (ran.code !== 0) skip(`this machine lets nobody mount: ${ran.stderr}`);
    expect(lines(ran)).toEqual([
      expect.stringMatching(/FAIL drwxr-xr-x .*, wanted 2777 1000:1000, chown failed, chmod failed$/),
    ]);
  });

  test("takes any name for what it is", async () => {
    const name = fc.string({
      unit: fc.constantFrom(...Array.from("ab $`'\"\\*?[]:;&|<>()~#!%-\n")),
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(name, async (hostile) => {
        const data = await folder(hostile);
        await chmod(data, 0o755);
        const ran = await prepare([`${data}:2777`]);
        expect([ran.code, await modeOf(data)]).toEqual([0, "2777"]);
        expect(ran.stdout).toContain("init-writable-data: OK drwxrwsrwx");
      }),
      { numRuns: 12 },
    );
  });
});

describeChart.each(shells)("mysql-format-guard under $name", (shell) => {
  const guard = async (engine: string, files: readonly string[], directory?: string) => {
    const data = directory ?? (await folder());
    for (const file of files) await writeFile(join(data, file), "");
    return execute(shell, "mysql-format-guard", [data], { env: { TB_EXPECTED_ENGINE: engine } });
  };
  const of57 = ["ibdata1", "auto.cnf"];
  const of8 = [...of57, "mysql.ibd"];

  test.each([
    ["5.7", [], 0],
    ["8.4", [], 0],
    ["5.7", ["lost+found"], 0],
    ["8.4", ["lost+found"], 0],
    ["5.7", of57, 0],
    ["8.4", of8, 0],
    ["5.7", of8, 1],
    ["8.4", of57, 1],
    ["8.0", of57, 0],
    ["8.0", of8, 0],
    ["unknown", of57, 0],
    ["unknown", of8, 0],
  ])("backend#723: engine %s over %j exits with %i", async (engine, files, code) => {
    const ran = await guard(engine, files);
    expect([ran.code, ran.stderr]).toEqual([code, ""]);
    expect(lines(ran)[0]).toMatch(code === 0 ? /: (OK|not checked)/ : /: FAIL/);
  });

  test("leaves a directory that it cannot read to MySQL: unknown is no reason to refuse", async () => {
    const ran = await guard("8.4", [], join(await folder(), "missing"));
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("cannot be read");
  });
});

describeChart("mysql-format-guard", () => {
  test.each([
    [{}, "5.7"],
    [{ digest: "" }, "5.7"],
    [{ digest: "", tag: "5.7.44" }, "5.7"],
    [{ digest: "", tag: "8.4" }, "8.4"],
    [{ digest: "", tag: "8.0.39" }, "8.0"],
    [{ digest: "", tag: "1" }, "unknown"],
    [{ digest: `sha256:${"ab".repeat(32)}` }, "unknown"],
  ])("knows the engine of %j as %s", async (mysqlClient, engine) => {
    const { env } = container(await render({ ...hostpath, images: { mysqlClient } }), "mysql-format-guard");
    expect(env).toEqual([{ name: "TB_EXPECTED_ENGINE", value: engine }]);
  });
});

// nc is busybox's.
describeChart.each(shells.filter(({ name }) => name === "busybox"))("wait-for-mysql", (shell) => {
  const listen = (server: Server, port = 0) =>
    new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = (server: Server) => new Promise((resolve) => server.close(resolve));

  async function freePort(): Promise<number> {
    const server = createServer();
    await listen(server);
    const { port } = server.address() as AddressInfo;
    await close(server);
    return port;
  }

  test("ends as soon as something accepts, though it never answers", async () => {
    const server = createServer();
    await listen(server);
    const { port } = server.address() as AddressInfo;
    const ran = await execute(shell, "wait-for-mysql", ["127.0.0.1", String(port), "30"]);
    await close(server);
    expect([ran.code, lines(ran).at(-1)]).toEqual([0, "wait-for-mysql: OK"]);
  });

  test("waits for one that comes later", async () => {
    const port = await freePort();
    const waiting = execute(shell, "wait-for-mysql", ["127.0.0.1", String(port), "30"]);
    const server = createServer();
    await listen(server, port);
    const ran = await waiting;
    await close(server);
    expect(ran.code).toBe(0);
  });

  test("gives up after its time and says what it waited for", async () => {
    const port = await freePort();
    const ran = await execute(shell, "wait-for-mysql", ["127.0.0.1", String(port), "1"]);
    expect(ran.code).toBe(1);
    expect(lines(ran).at(-1)).toContain(`FAIL 127.0.0.1:${port} accepted no connection in 1 s`);
  });

  test("waits for the Service that the chart makes", async () => {
    const { args = [] } = container(await render(hostpath), "wait-for-mysql");
    expect(args.slice(2, 4)).toEqual(["mysql-client", "3306"]);
  });
});
