import { describe, expect, test } from "vitest";

import { load, refusals, wished } from "./loading.ts";

const kept = "/home/mia/.local/state/tracebloc/tracebloc.yaml";
const says = async (given: Parameters<typeof refusals>[0]) => (await refusals(given)).map((finding) => finding.says);

describe("where the file is looked for", () => {
  test("in the current folder first, then in the state directory", async () => {
    const files = { [kept]: "namespace: kept\n" };
    expect(await wished("namespace", { files })).toBe(`kept (${kept}:1)`);
    expect(await wished("namespace", { files, file: "namespace: here\n" })).toBe("here (tracebloc.yaml:1)");
  });

  test("under its other ending as well, lest it be passed over in silence", async () => {
    const files = { "/home/mia/work/tracebloc.yml": "namespace: here\n" };
    expect(await wished("namespace", { files })).toBe("here (tracebloc.yml:1)");
  });

  test("where --config points, and nowhere else; else where TRACEBLOC_CONFIG points", async () => {
    const files = { "/srv/a.yaml": "namespace: a\n", "/home/mia/b.yaml": "namespace: b\n", [kept]: "cluster: c\n" };
    const environment = { TRACEBLOC_CONFIG: "b.yaml" };
    expect(await wished("namespace", { files, environment })).toBe("b (/home/mia/b.yaml:1)");
    expect(await wished("namespace", { files, environment, flags: { config: "/srv/a.yaml" } })).toBe(
      "a (/srv/a.yaml:1)",
    );
    expect(await wished("cluster", { files, environment, file: "cluster: here\n" })).toBe("tracebloc (default)");
  });

  test("the result says which file it was", async () => {
    expect(await load({ file: "" })).toMatchObject({ file: "/home/mia/work/tracebloc.yaml" });
    expect(await load({})).toMatchObject({ file: undefined });
  });
});

describe("a file that cannot be read", () => {
  test("is a finding when it was asked for, even if it is merely absent", async () => {
    expect(await says({ flags: { config: "/srv/a.yaml" } })).toEqual(["the settings file /srv/a.yaml does not exist"]);
  });

  test("is a finding when it is there, and never passed over", async () => {
    expect(await says({ file: "!EACCES" })).toEqual(["the settings file tracebloc.yaml may not be read by this user"]);
    expect(await says({ file: "!EISDIR" })).toEqual(["the settings file tracebloc.yaml is a folder"]);
    expect(await says({ file: "!EILSEQ" })).toEqual(["the settings file tracebloc.yaml is no text"]);
    expect(await says({ files: { [kept]: "!EIO" } })).toEqual([`the settings file ${kept} cannot be read (EIO)`]);
  });

  test("is refused before it is parsed when it is far too large", async () => {
    expect(await says({ file: `#${"x".repeat(70_000)}` })).toEqual([
      "the settings file tracebloc.yaml is too large for a file of settings",
    ]);
  });

  test.each([
    ["namespace: a\n\tcluster: b\n", "tracebloc.yaml:2 is indented with a tab: take blanks"],
    ["namespace: a\nnamespace: b\n", "tracebloc.yaml:2 repeats a key"],
    ['dataDir: "C:\\Users"\n', "tracebloc.yaml:1 has a backslash in double quotes: take single ones"],
    ["namespace: a: b\n", "tracebloc.yaml:1 has two colons: put the value in quotes"],
    ["namespace: a\n---\ncluster: b\n", "tracebloc.yaml:2 begins a second document, which is not read"],
    ['\nnamespace: "a\n', "tracebloc.yaml:3 has a quote or bracket that is not closed"],
    ["namespace: @a\n", "tracebloc.yaml:1 begins with a character that has to be in quotes"],
    ["namespace: [a\n", "tracebloc.yaml:2 is not indented as it should be, or a bracket is not closed"],
    ["- namespace\n", "tracebloc.yaml:1 holds no settings, `key: value`"],
    ["namespace\n", "tracebloc.yaml:1 holds no settings, `key: value`"],
  ])("%j is told with its line", async (file, expected) => {
    const findings = await refusals({ file });
    expect(findings[0]).toMatchObject({ reason: "CONFIG_UNREADABLE", says: expected });
  });

  test("beside a repeated key the other lines are read", async () => {
    expect(await says({ file: "namespace: a\nnamespace: b\ncluster: C\n" })).toEqual([
      "tracebloc.yaml:2 repeats a key",
      'cluster "C" (tracebloc.yaml:3) has capital letters',
    ]);
  });
});

describe("a file as editors write it", () => {
  test.each([
    ["", "tracebloc (default)"],
    ["# nothing yet\n", "tracebloc (default)"],
    ["---\nnamespace: a\n", "a (tracebloc.yaml:2)"],
    ["\ufeffnamespace: a\r\n", "a (tracebloc.yaml:1)"],
    ["namespace: 'a'  # ours\r\n", "a (tracebloc.yaml:1)"],
    ['"namespace": "a"\n', "a (tracebloc.yaml:1)"],
    ["namespace: !!str 7\n", "7 (tracebloc.yaml:1)"],
    ["namespace: >\n  a\n", "a (tracebloc.yaml:1)"],
    ['{"namespace": "a"}\n', "a (tracebloc.yaml:1)"],
  ])("%j", async (file, expected) => {
    expect(await wished("namespace", { file })).toBe(expected);
  });

  test("numbers are numbers", async () => {
    expect(await wished("apiPort", { file: "apiPort: 7000\n" })).toBe("7000 (tracebloc.yaml:1)");
    expect(await wished("apiPort", { file: 'apiPort: "07000"\n' })).toBe("7000 (tracebloc.yaml:1)");
  });

  test("an alias is not followed", async () => {
    expect(await says({ file: "cluster: &c one\nnamespace: *c\n" })).toEqual([
      "namespace (tracebloc.yaml:2) is a group of keys, not a text",
    ]);
  });
});

describe("an unknown key", () => {
  test.each([
    ["datadir", "did you mean dataDir?"],
    ["data-dir", "did you mean dataDir?"],
    ["data_dir", "did you mean dataDir?"],
    ["dataDri", "did you mean dataDir?"],
    ["HOST_DATA_DIR", "did you mean dataDir?"],
    ["TB_NAMESPACE", "did you mean namespace?"],
    ["namespaces", "did you mean namespace?"],
    ["timeout", "it goes on the command line: --timeout"],
    ["strict", "it goes on the command line: --strict"],
    ["dry-run", "it goes on the command line: --dry-run"],
    ["quux", "see every key"],
    ["<<", "see every key"],
    ["constructor", "see every key"],
    ["__proto__", "see every key"],
  ])("%s: %s", async (key, remedy) => {
    const [finding, ...others] = await refusals({ file: `${key}: x\n` });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ reason: "CONFIG_INVALID", says: `"${key}" (tracebloc.yaml:1) is no setting` });
    expect(finding?.remedies[0]?.says).toBe(remedy);
  });

  test("that is no text is told as well", async () => {
    expect(await says({ file: "? [a]\n: x\n" })).toEqual(["a key (tracebloc.yaml:1) is no setting"]);
    expect(await says({ file: "7: x\n" })).toEqual(['"7" (tracebloc.yaml:1) is no setting']);
  });
});
