#!/usr/bin/env node
import("./cli/program.ts").then(async ({ main }) => {
  process.exitCode = await main(process.argv.slice(2));
});
