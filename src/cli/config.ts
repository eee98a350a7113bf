import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { initialFile } from "../config/init.ts";
import { shownSettings, showText } from "../config/show.ts";
import { Failure } from "../engine/finding.ts";
import { exitCodes, type ExitCode } from "../engine/reasons.ts";
import { begin } from "./begin.ts";
import type { Flags } from "./program.ts";

/** `tracebloc config show`: what install would use, and where each value comes from. */
export async function showConfig(flags: Flags): Promise<ExitCode> {
  const begun = await begin("config show", flags);
  if (typeof begun === "number") return begun;
  const shown = shownSettings(begun.asked.wishes);
  process.stdout.write(
    begun.options.json ? `${JSON.stringify({ v: 1, type: "settings", settings: shown })}\n` : showText(shown),
  );
  return exitCodes.done;
}

/** `tracebloc config schema`: for editors; it also ships with the package. */
export async function printSchema(_flags: Flags): Promise<ExitCode> {
  process.stdout.write(await readFile(new URL("./tracebloc.schema.json", import.meta.url), "utf8"));
  return exitCodes.done;
}

const fileName = "tracebloc.yaml";

/** `tracebloc config init`: every setting, explained. A file that is there stays as it is. */
export async function initConfig(_flags: Flags): Promise<ExitCode> {
  // Settings are not loaded: a file that cannot be read must not keep a new one from being written elsewhere.
  const path = join(process.cwd(), fileName);
  try {
    writeFileSync(path, initialFile(), { flag: "wx" });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const says =
      code === "EEXIST" ? `${path} is there already, and stays as it is` : `${path} cannot be written: ${message}`;
    throw new Failure(
      {
        reason: "CONFIG_CONFLICT",
        room: "config",
        says,
        remedies: [{ says: "see what holds now", command: "tracebloc config show" }],
      },
      error,
    );
  }
  process.stdout.write(`${path}\n`);
  return exitCodes.done;
}
