// The lab: a real engine, k3d, Helm and Kubernetes, made from package registries alone. See README.md.

import { givenArguments } from "../arguments.mjs";
import "../outlive-readers.mjs";
import { down } from "./down.mjs";
import { environment } from "./environment.mjs";
import { sayFailure } from "./screen.mjs";
import { up } from "./up.mjs";

const usage = `usage: node scripts/lab/lab.mjs COMMAND

  up              make the lab ready: engine, tools, images; nothing when all is there
  env             print, as JSON, the environment in which the product runs in the lab
  down            remove the lab's clusters and stop its engine; what was built stays
  down --purge    the same, and remove its images and its cache
`;

const commands = {
  up,
  env: () => process.stdout.write(`${JSON.stringify(environment(), null, 2)}\n`),
  down,
  "down --purge": () => down({ purge: true }),
};

const asked = givenArguments("--purge").join(" ");
const command = commands[asked];
if (["--help", "-h", "help"].includes(asked)) {
  process.stdout.write(usage);
} else if (!command) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else {
  try {
    await command();
  } catch (error) {
    sayFailure(error);
    process.exitCode = 1;
  }
}
