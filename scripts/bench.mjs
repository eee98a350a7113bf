// `npm run bench`: what the product costs, next to what the same work costs without it. Compared commands run in turn
// within one run, so that the ratios hold on a busy machine too; the milliseconds are of the day.

import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { benchCluster } from "./bench/cluster.mjs";
import { interleaved } from "./bench/measure.mjs";
import { line, row, title } from "./bench/table.mjs";
import "./outlive-readers.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const rounds = Number(process.env.BENCH_ROUNDS ?? 31);

const directory = await mkdtemp(join(tmpdir(), "tracebloc-bench-"));
try {
  const tarball = await pack();
  start(join(directory, "package", "dist", "bin.cjs"));
  await packageSize(tarball);
  npx(tarball);
  await benchCluster(root, join(directory, "package", "dist", "bin.cjs"), rounds);
} finally {
  await rm(directory, { recursive: true, force: true });
}

/** The tarball that npm would publish, unpacked beside itself. */
async function pack() {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", directory], { cwd: root, stdio: "ignore" });
  const tarball = join(
    directory,
    (await readdir(directory)).find((name) => name.endsWith(".tgz")),
  );
  execFileSync("tar", ["-xzf", tarball, "-C", directory]);
  return tarball;
}

/** From the command to its end, for the two commands that need nothing but Node. */
function start(bin) {
  const node = process.execPath;
  const times = interleaved(
    { "node -e 0": [node, "-e", "0"], "--version": [node, bin, "--version"], "--help": [node, bin, "--help"] },
    rounds,
  );
  title(`Start-up, ${rounds} rounds, Node ${process.versions.node}`);
  line("node -e 0", times["node -e 0"]);
  line("--version", times["--version"], { baseline: times["node -e 0"], most: 1.2 });
  line("--help", times["--help"], { baseline: times["node -e 0"], most: 1.3 });
}

async function packageSize(tarball) {
  title("Package");
  execFileSync("tar", ["-czf", "bare.tgz", "--exclude=package/charts", "package"], { cwd: directory });
  const bare = (await stat(join(directory, "bare.tgz"))).size;
  const files = (await readdir(join(directory, "package"), { recursive: true, withFileTypes: true })).filter(
    (entry) => {
      return entry.isFile() && !entry.parentPath.includes(join("package", "charts"));
    },
  );
  row("tarball", `${(await stat(tarball)).size} bytes`);
  row("without charts", `${bare} bytes`, bare <= 200_000, "at most 200000");
  row("files besides charts", `${files.length}`, files.length <= 12, "at most 12");
}

/** The whole road of a first-time user who has the tarball: npx unpacks, links and runs it. */
function npx(tarball) {
  const run = (cache) => [
    "npx",
    "--yes",
    "--cache",
    join(directory, cache),
    "--package",
    tarball,
    "tracebloc",
    "--version",
  ];
  const cold = Array.from({ length: 5 }, (_, index) => {
    const began = performance.now();
    const [program, ...args] = run(`cold-${index}`);
    execFileSync(program, args, { cwd: directory, stdio: "ignore" });
    return performance.now() - began;
  });
  const times = interleaved({ again: run("cold-0"), bare: ["npm", "--version"] }, 5);
  title("npx --package <tarball> tracebloc --version");
  line("cold cache", cold);
  line("again", times.again);
  line("npm --version alone", times.bare);
}
