import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Command } from "commander";
import { describe, expect, test } from "vitest";

import { buildProgram } from "../../src/cli/program.ts";
import { exitCodes, reasons } from "../../src/engine/reasons.ts";
import { datasetOf } from "../../src/ingest/dataset.ts";
import { readIngestConfig } from "../../src/ingest/read-config.ts";
import { fewestCpus } from "../../src/host/checks/cpus.ts";
import { dataFloors, engineFloors } from "../../src/host/checks/disk.ts";
import { memoryNeeds } from "../../src/host/checks/memory.ts";
import { tables } from "./docs-tables.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const scripts = (JSON.parse(read("package.json")) as { scripts: Record<string, string> }).scripts;
const documents = ["README.md", "INSTALL.md", "SECURITY.md", "scripts/lab/README.md"];

/** Commands that neither are ours nor can be told from a table, with the test that runs them. */
const runElsewhere: Readonly<Record<string, string>> = {
  "node scripts/lab/lab.mjs": "every test of test/lab",
  "helm install cats-dogs ": "test/lab/ingestor.test.ts",
  "helm upgrade cats-dogs ": "test/lab/ingestor.test.ts",
  "helm uninstall cats-dogs ": "test/lab/ingestor.test.ts",
  "docker exec": "test/shell/prepare.test.ts runs the same script",
};

describe.each(Object.keys(tables))("the table of %s in INSTALL.md", (name) => {
  test("is what the code says, no more and no less", () => {
    const text = read("INSTALL.md");
    const made = `<!-- ${name} -->\n\n${tables[name]?.() ?? ""}\n\n<!-- /${name} -->`;
    const marks = new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`);
    // To bring it up to date: UPDATE_DOCS=1 npm run test:fast -- test/unit/docs.test.ts
    if (process.env["UPDATE_DOCS"] === "1") {
      writeFileSync(
        join(root, "INSTALL.md"),
        text.replace(marks, () => made),
      );
    }
    expect(marks.exec(read("INSTALL.md"))?.[0]).toBe(made);
  });
});

describe("INSTALL.md", () => {
  const text = read("INSTALL.md");

  test("starts with the exit codes, all of them and no other", () => {
    const [first = ""] = text.split("\n## ").slice(1);
    expect(first.split("\n")[0]).toBe("Exit codes");
    const listed = [...first.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number));
    expect(listed).toEqual(Object.values(exitCodes));
  });

  test("has the three tables before anything else", () => {
    const titles = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(titles.slice(0, 3)).toEqual(["Exit codes", "Reasons", "Settings, flags and variables"]);
  });

  test("names no reason that the program does not know", () => {
    const named = [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name = ""]) => name);
    const variables = ["settings", "options", "obsolete"].map((name) => tables[name]?.() ?? "").join();
    for (const name of named) {
      const isKnown = name in reasons || variables.includes(`\`${name}\``) || environment.has(name);
      expect({ name, isKnown }).toEqual({ name, isKnown: true });
    }
  });
});

test("the IngestConfig in INSTALL.md is one, of a dataset that can be staged", () => {
  const [, text = ""] = /^```yaml\n(apiVersion: tracebloc[\s\S]*?)^```$/m.exec(read("INSTALL.md")) ?? [];
  const ingestion = readIngestConfig(text, "INSTALL.md");
  expect("config" in ingestion && datasetOf(ingestion.config, ingestion.placeOf)).toMatchObject({
    dataset: { folder: "cats-dogs", parts: [{ path: "labels.csv" }, { path: "images" }] },
  });
});

describe("what a machine needs, as INSTALL.md has it", () => {
  const needs = read("INSTALL.md").split("## What a machine needs")[1]?.split("\n## ")[0] ?? "";

  test("is what the looks at the machine ask for", () => {
    const { floorGb, comfortGb, trainingGb } = memoryNeeds;
    expect(needs).toContain(`${floorGb} GB of memory (${comfortGb} are comfortable, ${trainingGb} for training)`);
    expect(needs).toContain(`${fewestCpus} CPUs`);
    expect(needs).toContain(`${engineFloors.tooFew / 1e9} GB free on its disk`);
    expect(needs).toContain(`local file system with ${dataFloors.tooFew / 1e9} GB free`);
  });
});

test("README.md names every package of Debian that the tests install", () => {
  const [, list = ""] = /^const programs = \{\n([^}]*)\}/m.exec(read("scripts/test.mjs")) ?? [];
  const packages = [...list.matchAll(/: "([^"]+)"/g)].map(([, name = ""]) => name);
  expect(packages).toContain("busybox-static");
  const [row = ""] = read("README.md").match(/^\| Debian's packages .*$/m) ?? [];
  for (const name of packages) expect(row).toContain(`\`${name}\``);
});

test.each(["README.md", "INSTALL.md"])("%s says what `tracebloc` stands for as long as it is not published", (name) => {
  const { bin } = JSON.parse(read("package.json")) as { bin: { tracebloc: string } };
  expect(read(name)).toContain(`\`tracebloc\` stands for \`node ${bin.tracebloc}\``);
  expect(read(name)).not.toContain("npx tracebloc@");
});

/** Variables of the system and of other programs, which the text may name. */
const environment = new Set(
  "HTTP_PROXY HTTPS_PROXY NO_PROXY NO_COLOR NODE_EXTRA_CA_CERTS DOCKER_HOST DOCKER_CONTEXT XDG_STATE_HOME".split(" "),
);

describe.each(documents)("%s", (document) => {
  const text = read(document);
  const lines = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) => commandsOf(block));
  const inline = [...text.matchAll(/`((?:npx )?tracebloc [a-z][^`]*|npm (?:run|test)[^`]*)`/g)].map(
    ([, line = ""]) => line,
  );

  test.each([...new Set([...lines, ...inline])].map((line) => [line]))("`%s` exists", (line) => {
    expect(faultOf(line)).toBeUndefined();
  });

  test("links to nothing that is not there", () => {
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)) {
      const path = join(root, document, "..", target);
      expect({ target, exists: existsSync(path) }).toEqual({ target, exists: true });
    }
  });
});

/** The command lines of a block; what stands behind `#` is a comment, and a line that is a comment none. */
function commandsOf(block: string): string[] {
  return block
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** What is wrong with a command line of a document: it is not there, or nobody runs it and it does not say so. */
function faultOf(line: string): string | undefined {
  const [command = "", comment = ""] = line.split(/\s+#\s*/);
  if (comment.includes("not run by a test")) return undefined;
  if (Object.keys(runElsewhere).some((start) => command.startsWith(start))) return undefined;
  const words = command.replace(/^(?:\w+=\S+ )+/, "").split(" ");
  if (words[0] === "npm") return faultOfScript(words);
  const [program, ...rest] = words[0] === "npx" ? words.slice(1) : words;
  if (program !== "tracebloc") return `${line}: is in no list, and not marked`;
  return faultOfCommand(rest.slice(0, endOf(rest)));
}

function faultOfScript(words: readonly string[]): string | undefined {
  // `-s` silences npm itself.
  const [, verb = "", name = "", separator, ...rest] = words.filter((word) => word !== "-s");
  if (verb === "ci") return undefined;
  const script = verb === "run" ? name : verb;
  if (!(script in scripts)) return `package.json has no script ${script}`;
  const isOurs = script === "try" && separator === "--" && rest[0] !== "--down";
  return isOurs ? faultOfCommand(rest) : undefined;
}

/** A redirection or a pipe ends what is ours. */
function endOf(words: readonly string[]): number {
  const at = words.findIndex((word) => /^[|>&;]/.test(word));
  return at === -1 ? words.length : at;
}

function faultOfCommand(words: readonly string[]): string | undefined {
  let at: Command = buildProgram((code) => code.then(() => undefined));
  for (const word of words) {
    if (word.startsWith("-")) {
      const flag = word.split("=")[0];
      const known = at.options.some(({ long }) => long === flag) || flag === "--help";
      if (!known) return `${at.name()} has no flag ${flag}`;
      continue;
    }
    at = at.commands.find((child) => child.name() === word) ?? at;
  }
  return words[0] !== undefined && !words[0].startsWith("-") && at.name() === "tracebloc"
    ? `there is no command ${words[0]}`
    : undefined;
}
