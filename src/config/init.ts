import { fold } from "../platform/characters.ts";
import { settingKeys, settings, type Setting } from "./names.ts";

/** A tracebloc.yaml to begin with: every setting of the file, explained, and none set. */
export function initialFile(): string {
  const blocks = settingKeys.filter((key) => settings[key].secret !== true).map((key) => block(key, settings[key]));
  return `${[heading, ...blocks].join("\n\n")}\n`;
}

/** What an editor shows beside a list of files. */
const width = 100;

const heading = [
  "What the tracebloc CLI is asked for on this machine. Take the # off a line to set it.",
  "It is read from the current folder, else from the state directory, or from where --config or TRACEBLOC_CONFIG points.",
  "Flags go before variables, and variables before this file. Relative paths start at the folder of this file.",
  "A password does not belong here: set TRACEBLOC_CLIENT_PASSWORD, or let the program ask.",
]
  .flatMap((says) => comment("# ", says))
  .join("\n");

function block(key: string, { about, allowed, otherwise, example, variables, flag }: Setting): string {
  const names = [flag, ...variables].filter((name) => name !== undefined).join(", ");
  const value = typeof example === "number" ? String(example) : JSON.stringify(example);
  return [
    ...comment("# ", about),
    ...comment("#   may be:    ", allowed),
    ...comment("#   otherwise: ", otherwise),
    ...comment("#   also:      ", names),
    `# ${key}: ${value}`,
  ].join("\n");
}

/** A comment that goes on below itself where it is long. */
function comment(first: string, text: string): string[] {
  const next = "#".padEnd(first.length);
  return fold(text, width - first.length).map((part, index) => (index === 0 ? first : next) + part);
}
