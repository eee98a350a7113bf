import { describe, expect, test } from "vitest";

import { load, refusals, wished } from "./loading.ts";

const reasons = async (given: Parameters<typeof refusals>[0]) => (await refusals(given)).map(({ reason }) => reason);

describe("what a relative path starts from", () => {
  test.each([
    ["linux", "/home/mia/work/data", "/home/mia/data", "/home/mia/work/data"],
    ["macos", "/Users/mia/work/data", "/Users/mia/data", "/Users/mia/work/data"],
    ["windows", "C:\\Users\\mia\\work\\data", "C:\\Users\\mia\\data", "C:\\Users\\mia\\work\\data"],
    ["wsl2", "/home/mia/work/data", "/home/mia/data", "/home/mia/work/data"],
  ] as const)(
    "on %s: a flag here, a variable at home, the file where it lies",
    async (platform, flag, variable, file) => {
      expect(await wished("dataDir", { platform, flags: { dataDir: "data" } })).toBe(`${flag} (--data-dir)`);
      expect(await wished("dataDir", { platform, environment: { HOST_DATA_DIR: "data" } })).toBe(
        `${variable} (HOST_DATA_DIR)`,
      );
      expect(await wished("dataDir", { platform, file: "dataDir: data\n" })).toBe(`${file} (tracebloc.yaml:1)`);
    },
  );

  test("a file elsewhere takes its own folder, whoever runs this from where", async () => {
    const given = {
      flags: { config: "/srv/conf/site.yaml" },
      files: { "/srv/conf/site.yaml": "dataDir: ../data/./x/\n" },
    };
    expect(await wished("dataDir", given)).toBe("/srv/data/x (/srv/conf/site.yaml:1)");
  });

  test.each([
    ["linux", "~/data", "/home/mia/data"],
    ["windows", "~\\data", "C:\\Users\\mia\\data"],
    ["windows", "~/data", "C:\\Users\\mia\\data"],
    ["windows", "D:/data/x", "D:\\data\\x"],
    ["windows", "d:\\data\\", "d:\\data"],
  ] as const)("on %s %s is %s", async (platform, written, path) => {
    expect(await wished("dataDir", { platform, flags: { dataDir: written } })).toBe(`${path} (--data-dir)`);
  });

  test.each([
    ["linux", "C:/data", "begins with a drive letter, which is for Windows", undefined],
    [
      "wsl2",
      "C:\\Users\\mia\\data",
      "begins with a drive letter, which is for Windows",
      "--data-dir /mnt/c/Users/mia/data",
    ],
    ["windows", "/data", "has no drive letter", "--data-dir C:\\data"],
    ["windows", "D:data", "has no slash after its drive letter", "--data-dir D:\\data"],
    ["windows", "D:", "has no slash after its drive letter", "--data-dir D:\\"],
    ["windows", "\\\\nas\\share", "is a network path, which a container engine cannot mount", undefined],
    ["windows", "%USERPROFILE%\\data", "begins with a variable, which is not replaced here", undefined],
    ["windows", "D:\\a\\nul", "has nul in it, which is the name of a device on Windows", undefined],
    ["windows", "D:\\a|b", "has | in it, which Windows does not allow in a name", undefined],
    ["windows", "D:\\", "is the root of a file system", undefined],
  ] as const)("on %s %s is refused", async (platform, written, why, instead) => {
    const [finding, ...others] = await refusals({ platform, flags: { dataDir: written } });
    expect(others).toEqual([]);
    expect(finding?.says.endsWith(why)).toBe(true);
    expect(finding?.remedies[1]?.says).toBe(instead === undefined ? undefined : `for example ${instead}`);
  });
});

describe("where links lead", () => {
  test("a link into the system is as good as the system", async () => {
    const [finding] = await refusals({ flags: { dataDir: "/srv/data" }, links: { "/srv/data": "/etc/x" } });
    expect(finding?.says).toBe(
      'dataDir "/srv/data" (--data-dir) leads to /etc/x, which is in /etc, which belongs to the system',
    );
  });

  test("bash 8B-5: a home that is a link, or lies below /var, is a home like any other", async () => {
    const links = { "/home/mia": "/var/home/mia", "/home/mia/.tracebloc": "/var/home/mia/.tracebloc" };
    expect(await load({ links })).toMatchObject({ ok: true });
  });

  test("a state directory must not lead to a folder of the system or to all of the home: it becomes private", async () => {
    const environment = { TRACEBLOC_STATE_DIR: "/srv/state" };
    const says = async (leadsTo: string) =>
      (await refusals({ environment, links: { "/srv/state": leadsTo } })).map((finding) => finding.says);
    expect(await says("/etc")).toEqual([
      'stateDir "/srv/state" (TRACEBLOC_STATE_DIR) leads to /etc, which is in /etc, which belongs to the system',
    ]);
    expect(await says("/home/mia")).toEqual([
      'stateDir "/srv/state" (TRACEBLOC_STATE_DIR) leads to /home/mia, which is your home directory',
    ]);
    expect(await says("/big/state")).toEqual([]);
  });

  test("the folder that a linked home leads to is still the home", async () => {
    const links = { "/home/mia": "/data/homes/mia", "/srv/me": "/data/homes/mia" };
    expect((await refusals({ links, flags: { dataDir: "/srv/me" } }))[0]?.says).toContain(
      "which is your home directory",
    );
  });
});

describe("folders that exclude each other", () => {
  test.each([
    ["the same", "/srv/x", "/srv/x"],
    ["the same, spelled otherwise", "/srv/x", "/srv/./y/../x/"],
    ["datasets in the data", "/srv/x", "/srv/x/datasets"],
    ["data in the datasets", "/srv/x/data", "/srv/x"],
  ])("%s", async (_, dataDir, datasetDir) => {
    const [finding, ...others] = await refusals({ flags: { dataDir, datasetDir } });
    expect(others).toEqual([]);
    expect(finding?.reason).toBe("CONFIG_CONFLICT");
    expect(finding?.says).toMatch(/^dataDir .* \(--data-dir\) and datasetDir .* \(--dataset-dir\) exclude each other/);
  });

  test("on Windows a folder is the same in capitals", async () => {
    const flags = { dataDir: "D:\\Data", datasetDir: "d:\\data\\SETS" };
    expect(await reasons({ platform: "windows", flags })).toEqual(["CONFIG_CONFLICT"]);
    expect(await load({ flags: { dataDir: "/srv/Data", datasetDir: "/srv/data/sets" } })).toMatchObject({ ok: true });
  });

  test("one that leads into the other by a link", async () => {
    const given = { flags: { dataDir: "/srv/x", datasetDir: "/mnt/sets" }, links: { "/mnt/sets": "/srv/x/sets" } };
    expect(await reasons(given)).toEqual(["CONFIG_CONFLICT"]);
  });

  test.each([
    ["data in the state", { dataDir: "/var/lib/t/data" }, { TRACEBLOC_STATE_DIR: "/var/lib/t" }],
    ["state in the data", { dataDir: "/var/lib/t" }, { TRACEBLOC_STATE_DIR: "/var/lib/t/state" }],
    ["state in the datasets", { datasetDir: "/var/lib/t" }, { TRACEBLOC_STATE_DIR: "/var/lib/t/state" }],
    ["the usual state in the datasets", { datasetDir: "/home/mia/.local" }, {}],
  ])("%s: secrets must not be mounted into the node", async (_, flags, environment) => {
    const findings = await refusals({ flags, environment });
    expect(findings.map(({ reason }) => reason)).toEqual(["CONFIG_CONFLICT"]);
    expect(findings[0]?.says).toContain("stateDir");
  });

  test("node-local with a folder for datasets: those would be lost with the cluster", async () => {
    const given = { environment: { TB_STORAGE_MODE: "node-local", HOST_DATASET_DIR: "/srv/sets" } };
    const [finding, ...others] = await refusals(given);
    expect(others).toEqual([]);
    expect(finding?.reason).toBe("CONFIG_CONFLICT");
    expect(finding?.says).toBe(
      "storageMode node-local (TB_STORAGE_MODE) and datasetDir /srv/sets (HOST_DATASET_DIR) exclude each other: with node-local, data lies inside the cluster",
    );
  });

  test("nothing is said about pairs while one of them is wrong by itself", async () => {
    const findings = await refusals({ flags: { dataDir: "/etc/x", datasetDir: "/etc/x/y" } });
    expect(findings.map(({ reason }) => reason)).toEqual(["CONFIG_INVALID", "CONFIG_INVALID"]);
  });
});

describe("files that settings name", () => {
  test.each([
    ["!ENOENT", "does not exist"],
    ["!EACCES", "may not be read by this user"],
    ["!EISDIR", "is a folder"],
    ["!EILSEQ", "is no text"],
    ["!ENOTSUP", "is no regular file"],
    ["!ETIMEDOUT", "did not answer in time: is it on a network share that is down?"],
    ["!EIO", "cannot be read (EIO)"],
    ["- a\n", "cannot be used: line 1 holds no values, `key: value`"],
    ["a: 1\n\tb: 2\n", "cannot be used: line 2 is indented with a tab: take blanks"],
  ])("values %j: %s", async (text, why) => {
    const [finding, ...others] = await refusals({
      flags: { values: "v.yaml" },
      files: { "/home/mia/work/v.yaml": text },
    });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      reason: "CONFIG_UNREADABLE",
      says: `values "/home/mia/work/v.yaml" (--values) ${why}`,
    });
  });

  test.each(["", "# nothing\n", "a: 1\n", "a: {b: [1]}\n"])("values %j will do", async (text) => {
    const given = { flags: { values: "v.yaml" }, files: { "/home/mia/work/v.yaml": text } };
    expect(await wished("values", given)).toBe("/home/mia/work/v.yaml (--values)");
  });

  test.each([
    ["./c", { "/home/mia/work/c/Chart.yaml": "name: client\n" }, "/home/mia/work/c (--chart)"],
    ["c.tgz", { "/home/mia/work/c.tgz": "!EILSEQ" }, "/home/mia/work/c.tgz (--chart)"],
    ["./c", {}, "has no Chart.yaml"],
    ["c.tgz", {}, "does not exist"],
    ["c.tgz", { "/home/mia/work/c.tgz": "hello" }, "is no archive"],
    ["./f", { "/home/mia/work/f/Chart.yaml": "!ENOTDIR" }, "does not exist"],
    ["oci://registry.example.com/client", {}, "is an address: fetch it, and name what you have then"],
    ["https://charts.example.com/c.tgz", {}, "is an address: fetch it, and name what you have then"],
  ])("chart %s with %j: %s", async (chart, files, expected) => {
    expect(await wished("chart", { flags: { chart }, files })).toContain(expected);
  });
});
