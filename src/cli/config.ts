import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { initialFile } from "../config/init.ts";
import { shownSettings, showText } from "../config/show.ts";
import { Failure, type Finding } from "../engine/finding.ts";
import type { ExitCode } from "../engine/reasons.ts";
import { fileError } from "../files/atomic.ts";
import { errnoOf } from "../host/errno.ts";
import type { Platform } from "../platform/platform.ts";
import { commandLine } from "../platform/shell.ts";
import { fold } from "../platform/characters.ts";
import { spellCommand } from "../ui/spelling.ts";
import { commandLines } from "../ui/text.ts";
import { begin } from "./begin.ts";
import { here, plainSpelling } from "./here.ts";
import { printed } from "./printed.ts";
import type { Flags } from "./program.ts";

/** `tracebloc config show`: what install would use, and where each value comes from. */
export async function showConfig(flags: Flags): Promise<ExitCode> {
  const begun = await begin("config show", flags);
  if (typeof begun === "number") return begun;
  const settings = shownSettings(begun.asked.wishes);
  return printed("config show", flags, { settings }, showText(settings, begun.screen.answer.style.width));
}

/** `tracebloc config schema`: for editors; it also ships with the package. */
export async function printSchema(flags: Flags): Promise<ExitCode> {
  const schema = JSON.parse(await readFile(new URL("./tracebloc.schema.json", import.meta.url), "utf8")) as object;
  return printed("config schema", flags, { schema }, `${JSON.stringify(schema, null, 2)}\n`);
}

const fileName = "tracebloc.yaml";

/** `tracebloc config init`: every setting, explained. A file that is there stays as it is. */
export async function initConfig(flags: Flags): Promise<ExitCode> {
  // Settings are not loaded: a file that cannot be read must not keep a new one from being written elsewhere.
  const { cwd, platform } = here();
  const path = join(cwd, fileName);
  try {
    writeFileSync(path, initialFile(), { flag: "wx" });
  } catch (error) {
    throw new Failure(whyNotWritten(path, error, platform), error);
  }
  if (flags["quiet"] !== true && flags["json"] !== true) tellWritten();
  return printed("config init", flags, { path }, `${path}\n`);
}

/** To the person; standard output has the path, for a program. */
function tellWritten(): void {
  const style = { colour: false, width: process.stderr.columns || Number.POSITIVE_INFINITY };
  const show = spellCommand("tracebloc config show", plainSpelling());
  const lines = [
    ...fold(`wrote ${fileName}, with every setting explained and none of them set`, style.width),
    ...commandLines("take the # off a line to set it, then see what holds", show, style),
  ];
  process.stderr.write(`${lines.join("\n")}\n`);
}

function whyNotWritten(path: string, error: unknown, platform: Platform): Finding {
  if (errnoOf(error) === "EEXIST") {
    const says = `${path} is there already, and stays as it is`;
    const aside = commandLine(platform, platform.shell === "powershell" ? "Move-Item" : "mv", path, `${path}.old`);
    return {
      reason: "FILE_EXISTS",
      room: "config",
      says,
      remedies: [
        { says: "see what holds now", command: "tracebloc config show" },
        { says: "or move it away, then run this again", command: aside },
      ],
    };
  }
  const says = fileError("cannot write", path, error).message;
  const remedies = [
    { says: "run it in a folder of yours that has room, then name the file with --config", command: "cd ~" },
  ];
  return { reason: "FILE_UNWRITABLE", room: "config", says, remedies };
}
