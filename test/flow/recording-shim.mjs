#!/usr/bin/env node
// Stands before docker, k3d and helm while record.mjs runs the product: passes the call on and notes what came back.

import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { basename } from "node:path";

const tool = basename(process.argv[1]);
const args = process.argv.slice(2);
const input = readFileSync(0);
const env = { ...process.env, PATH: process.env.RECORD_PATH };
const { status, stdout, stderr } = spawnSync(tool, args, { input, env, maxBuffer: 64 << 20 });
const call = {
  stage: process.env.RECORD_STAGE,
  tool,
  args,
  stdin: input.toString(),
  exitCode: status,
  stdout: stdout.toString(),
  stderr: stderr.toString(),
};
appendFileSync(process.env.RECORD_FILE, `${JSON.stringify(call)}\n`);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = status ?? 1;
