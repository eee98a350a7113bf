import type { Finding } from "../engine/finding.ts";
import { didYouMean } from "./did-you-mean.ts";
import type { ConfigFiles } from "./disk.ts";
import { finding } from "./findings.ts";
import { codeOf, whyUnreadable } from "./named-files.ts";
import { flagOf, optionNames, settingKeys, settings } from "./names.ts";
import type { Standpoint } from "./paths.ts";
import type { Options, Settings } from "./wishes.ts";
import type { Written } from "./written.ts";
import type { Entry } from "./yaml-file.ts";

/** What a settings file says, and what is wrong with it as a file. `folder` is what its relative paths start from. */
export type FromFile = {
  path?: string;
  folder?: string;
  written: Partial<Record<keyof Settings, Written>>;
  findings: readonly Finding[];
};

/** A file of settings is a few lines; what is larger is another file. */
const largest = 64 * 1024;

/**
 * The settings file that was asked for, else the first that is there: tracebloc.yaml (or .yml) in the current folder,
 * then in the state directory. One that is there and cannot be read is a finding, never passed over.
 */
export async function readSettingsFile(options: Options, from: Standpoint, files: ConfigFiles): Promise<FromFile> {
  for (const { path, name, asked } of candidates(options, from)) {
    try {
      const text = await files.readText(path);
      if (text.length > largest) return unreadable(name, "is too large for a file of settings");
      return { path, folder: from.platform.path.dirname(path), ...(await interpret(text, name)) };
    } catch (error) {
      const code = codeOf(error);
      const isAbsent = code === "ENOENT" || code === "ENOTDIR";
      if (asked || !isAbsent) return unreadable(name, whyUnreadable(code));
    }
  }
  return { written: {}, findings: [] };
}

type Place = { path: string; name: string; asked: boolean };

function candidates({ config, stateDir }: Options, { platform, cwd }: Standpoint): readonly Place[] {
  if (config.value !== undefined) return [{ path: config.value, name: config.value, asked: true }];
  const fileNames = ["tracebloc.yaml", "tracebloc.yml"];
  const here = fileNames.map((name) => ({ path: platform.path.join(cwd, name), name, asked: false }));
  if (stateDir.value === "") return here;
  const kept = fileNames.map((name) => platform.path.join(stateDir.value, name));
  return [...here, ...kept.map((path) => ({ path, name: path, asked: false }))];
}

function unreadable(name: string, why: string): FromFile {
  return {
    written: {},
    findings: [
      finding("CONFIG_UNREADABLE", `the settings file ${name} ${why}`, {
        says: "mend it, or name another with --config",
      }),
    ],
  };
}

/** The parser is loaded for a file that is there, and only then. */
async function interpret(text: string, name: string): Promise<Pick<FromFile, "written" | "findings">> {
  const { readSettings } = await import("./yaml-file.ts");
  const { entries, flaws } = readSettings(text);
  const known = entries.filter((entry) => settingOf(entry) !== undefined);
  const written = known.toReversed().map(({ key, value, line }) => {
    return [key, { value, origin: { from: "file", name: `${name}:${line}` } }] as const;
  });
  return {
    written: Object.fromEntries(written),
    findings: [
      ...flaws.map(({ line, why }) => {
        return finding("CONFIG_UNREADABLE", `${name}:${line} ${why}`, {
          says: "mend that line; what may stand there",
          command: "tracebloc config schema",
        });
      }),
      ...entries.filter((entry) => settingOf(entry) === undefined).map((entry) => unknownKey(entry, name)),
    ],
  };
}

function settingOf({ key }: Entry): keyof Settings | undefined {
  const found = settingKeys.find((candidate) => candidate === key);
  return found === undefined || settings[found].secret === true ? undefined : found;
}

/** Never shows the value: an unknown key may well be another word for password. */
function unknownKey({ key, line }: Entry, name: string): Finding {
  const where = `${name}:${line}`;
  const meant = meantBy(key);
  if (meant !== undefined && settings[meant].secret === true) {
    return finding("CONFIG_INVALID", `${key} (${where}) is a secret, which this file must not hold`, {
      says: `take the line out and set ${settings[meant].variables[0]}, or pipe it in with --client-password-stdin`,
    });
  }
  const flag = Object.values(optionNames)
    .map(flagOf)
    .find((candidate) => candidate === `--${key}`);
  const remedy =
    meant !== undefined
      ? `did you mean ${meant}?`
      : flag !== undefined
        ? `it goes on the command line: ${flag}`
        : "see every key";
  const command = meant === undefined && flag === undefined ? { command: "tracebloc config schema" } : {};
  return finding(
    "CONFIG_INVALID",
    `${key === "" ? "a key" : JSON.stringify(key.slice(0, 60))} (${where}) is no setting`,
    { says: remedy, ...command },
  );
}

/** The setting that a wrong key stands for: by one of its other names, or by a slip of the pen. */
function meantBy(key: string): keyof Settings | undefined {
  const byName = settingKeys.find((candidate) => {
    const { variables } = settings[candidate];
    return candidate === key || variables.includes(key) || flagOf(settings[candidate]) === `--${key}`;
  });
  if (byName !== undefined) return byName;
  return /password|passwd|secret/i.test(key)
    ? "clientPassword"
    : (didYouMean(key, settingKeys) as keyof Settings | undefined);
}
