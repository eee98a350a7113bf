import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { handlerOf, handles, kindOf } from "../../../src/process/binary.ts";
import { findProgram } from "../../../src/process/locate.ts";
import { program, temporaryFolder } from "./support.ts";

describe("on POSIX", () => {
  test("the first that may be executed is taken; a folder of that name is not", () => {
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    mkdirSync(join(first, "tool"));
    const path = program(second, "tool", "#!/bin/sh\n");
    expect(findProgram({ file: "tool" }, { PATH: `${first}:${second}` }, "linux")).toBe(path);
  });

  test("a path is taken from the folder that the program runs in", () => {
    const folder = temporaryFolder();
    const path = program(folder, "tool", "#!/bin/sh\n");
    expect(findProgram({ file: "./tool", cwd: folder }, {}, "linux")).toBe(path);
    expect(findProgram({ file: "./tool", cwd: "/" }, {}, "linux")).toMatchObject({ notStarted: "missing" });
  });

  test("nothing is taken from the current folder by an empty or a relative entry of PATH", () => {
    const folder = temporaryFolder();
    program(folder, "tool", "#!/bin/sh\n");
    for (const path of ["", ".", ":", "./", "bin:"]) {
      expect(findProgram({ file: "tool", cwd: folder }, { PATH: path }, "linux")).toMatchObject({
        notStarted: "missing",
      });
    }
  });

  test("without PATH the system's own folders are searched", () => {
    expect(findProgram({ file: "env" }, {}, "linux")).toMatch(/\/bin\/env$/);
  });
});

describe("on Windows", () => {
  const inFolder = (...names: string[]) => {
    const folder = temporaryFolder();
    for (const name of names) program(folder, name, "x", 0o644);
    return {
      folder,
      find: (file: string, more = {}) => findProgram({ file }, { PATH: `;${folder}`, ...more }, "win32"),
    };
  };

  test("the endings of PATHEXT are tried in order", () => {
    const { folder, find } = inFolder("k3d.cmd", "k3d.exe", "helm.cmd", "note.txt");
    expect(find("k3d")).toBe(join(folder, "k3d.exe"));
    expect(find("helm")).toBe(join(folder, "helm.cmd"));
    expect(find("k3d.cmd")).toBe(join(folder, "k3d.cmd"));
    expect(find("k3d", { PATHEXT: ".CMD;.EXE" })).toBe(join(folder, "k3d.cmd"));
  });

  test("a file without such an ending is no program", () => {
    expect(inFolder("kubectl", "note.txt").find("kubectl")).toMatchObject({
      notStarted: "missing",
      why: "there is no kubectl on PATH",
    });
    expect(inFolder("note.txt").find("note.txt")).toMatchObject({ notStarted: "missing" });
  });
});

describe("what the first bytes of a file tell", () => {
  const elf = (machine: number, bigEndian = false) => {
    const header = Buffer.alloc(64);
    header.write("\x7fELF", "latin1");
    header[5] = bigEndian ? 2 : 1;
    if (bigEndian) header.writeUInt16BE(machine, 18);
    else header.writeUInt16LE(machine, 18);
    return header;
  };

  test.for([
    ["its own program", elf(62), "x64", "own"],
    ["the smaller brother's", elf(3), "x64", "own"],
    ["that of another processor", elf(183), "x64", "foreign"],
    ["the other way round", elf(62), "arm64", "foreign"],
    ["big-endian numbers", elf(22, true), "s390x", "own"],
    ["a processor that nobody has heard of", elf(62), "loong64", "own"],
    ["a Windows program", Buffer.from("MZ".padEnd(64, "\0")), "x64", "foreign"],
    ["a macOS program", Buffer.from("cffaedfe".padEnd(128, "0"), "hex"), "x64", "foreign"],
    ["nothing", Buffer.alloc(0), "x64", "none"],
    ["the start of a program", elf(62).subarray(0, 19), "x64", "none"],
    ["text", Buffer.from("<html>not found</html>"), "x64", "none"],
  ] as const)("%s", ([, header, arch, kind]) => {
    expect(kindOf(header, arch as NodeJS.Architecture)).toBe(kind);
  });

  test("a program of another processor runs where the kernel has a handler for it", () => {
    // As Linux 6.18 shows an entry that was registered with the magic and mask of qemu's package.
    const entry = `enabled
interpreter /bin/true
flags: POC
offset 0
magic 7f454c460201010000000000000000000200b700
mask ffffffffffffff00fffffffffffffffffeffffff
`;
    const [handler] = handlerOf(entry);
    expect(handler && handles(handler, programOf(elf(183)))).toBe(true);
    expect(handler && handles(handler, programOf(elf(62)))).toBe(false);
    expect(handler && handles(handler, Buffer.from("7f45", "hex"))).toBe(false);
    expect(handlerOf(entry.replace("enabled", "disabled"))).toEqual([]);
    expect(handlerOf("enabled\ninterpreter /bin/true\nflags: \nextension .jar\n")).toEqual([]);
  });

  const programOf = (header: Buffer) => {
    header[4] = 2;
    header[6] = 1;
    header.writeUInt16LE(2, 16);
    return header;
  };

  test("Windows programs run under WSL", () => {
    const [handler] = handlerOf("enabled\ninterpreter /init\nflags: PF\noffset 0\nmagic 4d5a\n");
    expect(handler && handles(handler, Buffer.from("MZ\0\0"))).toBe(true);
  });
});
