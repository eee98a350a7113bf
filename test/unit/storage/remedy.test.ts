import { describe, expect, test } from "vitest";

import { reasons } from "../../../src/engine/reasons.ts";
import type { Cause } from "../../../src/storage/cause.ts";
import { directoriesOf } from "../../../src/storage/layout.ts";
import { byHand, findingOf, type Place } from "../../../src/storage/remedy.ts";
import type { DirectoryResult } from "../../../src/storage/result.ts";
import { platform } from "../cluster/stand-in.ts";
import { data, logs } from "./answers.ts";

const systems = ["linux", "darwin", "win32"] as const;

function at(system: (typeof systems)[number], dataDir = "/home/ada/.tracebloc"): Place {
  return { node: "k3d-tracebloc-server-0", platform: platform(system), hostDirs: { dataDir, datasetDir: "/mnt/nas" } };
}

function result(over: Partial<DirectoryResult>): DirectoryResult {
  return {
    volume: "data",
    path: data.path,
    result: "blocked",
    mode: undefined,
    owner: undefined,
    fileSystem: undefined,
    note: "it is so",
    cause: undefined,
    obstacle: undefined,
    said: "",
    ...over,
  };
}

function commandsFor(over: Partial<DirectoryResult>, place = at("linux"), directory = data): (string | undefined)[] {
  return findingOf(result(over), directory, place).remedies.map(({ command }) => command);
}

describe("what a person is told", () => {
  test("a directory that is not proven: why, and both ways out", () => {
    const note = "docker exec in the node: no answer within 20 s";
    expect(findingOf(result({ result: "unknown", note }), data, at("linux"))).toEqual({
      reason: "STORAGE_UNKNOWN",
      room: "storage",
      says: `data could not be proven writable: ${note}`,
      remedies: [
        { says: "after the machine settles, run the same command again", command: "tracebloc install" },
        {
          says: "or by hand",
          command:
            "docker exec k3d-tracebloc-server-0 sh -c 'mkdir -p /tracebloc/tracebloc/data; chown 1000:1000 /tracebloc/tracebloc/data; chmod 2777 /tracebloc/tracebloc/data'",
        },
      ],
    });
  });

  test("the commands' own words are evidence, not the sentence", () => {
    const said = "mkdir: can't create directory '/tracebloc/tracebloc/': Read-only file system";
    const finding = findingOf(result({ cause: "read-only", said }), data, at("linux"));
    expect(finding).toMatchObject({ reason: "STORAGE_BLOCKED", details: [said] });
    expect(finding.says).not.toContain(said);
  });

  test("by hand, each directory gets its own mode: one for both once broke what it was to mend", () => {
    expect(byHand(logs, at("linux")).command).toContain("chmod 3777 /tracebloc/tracebloc/logs");
    expect(byHand(logs, at("linux")).command).not.toContain("-R");
  });

  test("by hand, on Windows, in PowerShell's quoting", () => {
    expect(byHand(data, at("win32")).command).toBe(
      "docker exec k3d-tracebloc-server-0 sh -c 'mkdir -p /tracebloc/tracebloc/data; chown 1000:1000 /tracebloc/tracebloc/data; chmod 2777 /tracebloc/tracebloc/data'",
    );
  });
});

describe("the remedy for each cause", () => {
  const causes = {
    "read-only": true,
    "no space": true,
    quota: true,
    permission: true,
    "not supported": true,
    "no directory": true,
    symlink: true,
    "I/O": true,
    "no answer": true,
    "not mounted": true,
    "mode ignored": true,
  } as const satisfies Record<Cause, true>;

  test.each(systems.flatMap((system) => (Object.keys(causes) as Cause[]).map((cause) => [system, cause] as const)))(
    "on %s, for %s: there is something to do, ending in a command",
    (system, cause) => {
      const { remedies, reason } = findingOf(result({ cause }), data, at(system));
      expect(remedies.at(-1)?.command).toMatch(/^(tracebloc|docker) /);
      expect(remedies.every(({ says }) => says !== "" && !says.endsWith("."))).toBe(true);
      expect(reasons[reason].kind).toBe("degraded");
    },
  );

  test.each<[string, Partial<DirectoryResult>, string]>([
    [
      "B24: read-only",
      { cause: "read-only" },
      'sudo mount -o remount,rw "$(findmnt -no TARGET --target /home/ada/.tracebloc)"',
    ],
    ["B18: no space names the disk", { cause: "no space" }, "df -h /home/ada/.tracebloc"],
    ["B18: and its inodes", { cause: "no space" }, "df -i /home/ada/.tracebloc"],
    [
      "B29: root_squash is mended on the server",
      { cause: "permission", fileSystem: "nfs4" },
      "chmod 2777 /home/ada/.tracebloc/tracebloc/data",
    ],
    [
      "a local owner opens it",
      { cause: "permission", fileSystem: "ext4" },
      "sudo chmod 2777 /home/ada/.tracebloc/tracebloc/data",
    ],
    [
      "B46: what is in the way is moved by its owner",
      { obstacle: "/tracebloc/tracebloc", cause: "no directory" },
      "mv /home/ada/.tracebloc/tracebloc /home/ada/.tracebloc/tracebloc.moved",
    ],
    [
      "B03: a mount without modes is left",
      { cause: "mode ignored", fileSystem: "fuse" },
      "tracebloc install --data-dir ~/tracebloc-data",
    ],
  ])("%s", (_, over, command) => {
    expect(commandsFor(over)).toContain(command);
  });

  test("B03: chmod is not advised where it changes nothing", () => {
    for (const system of systems) {
      for (const cause of ["mode ignored", "not supported", "read-only", "no space"] as const) {
        expect(commandsFor({ cause }, at(system)).join("\n")).not.toContain("chmod");
      }
    }
  });

  test("B24: Colima mounts it writable", () => {
    expect(commandsFor({ cause: "read-only" }, at("darwin", "/Users/ada/my data"))).toContain(
      "colima start --mount '/Users/ada/my data:w'",
    );
  });

  test("datasets move by their own flag", () => {
    const [datasets] = directoriesOf("tracebloc", "/tracebloc-data");
    expect(commandsFor({ cause: "mode ignored" }, at("linux"), datasets)).toContain(
      "tracebloc install --dataset-dir ~/tracebloc-datasets",
    );
  });

  test("B18: nothing is advised that deletes, and nothing that prunes", () => {
    for (const system of systems) {
      for (const cause of Object.keys(causes) as Cause[]) {
        expect(commandsFor({ cause }, at(system)).join("\n")).not.toMatch(/\brm\b|prune|--delete/);
      }
    }
  });
});
