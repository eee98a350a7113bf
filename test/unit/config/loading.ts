import { loadWishes, type Loaded } from "../../../src/config/load.ts";
import type { Settings } from "../../../src/config/wishes.ts";
import type { Flags } from "../../../src/config/written.ts";
import type { Finding } from "../../../src/engine/finding.ts";
import type { Environment } from "../../../src/platform/environment.ts";
import type { PlatformName } from "../../../src/platform/platform.ts";
import { environments, platformOf } from "../platform/personalities.ts";

export type Given = {
  flags?: Flags;
  environment?: Environment;
  platform?: PlatformName;
  /** The text of tracebloc.yaml in the current folder. */
  file?: string;
  /** Texts of other files, by path; a text that begins with `!` is the error code that reading gives. */
  files?: Readonly<Record<string, string>>;
  /** Where links lead. */
  links?: Readonly<Record<string, string>>;
  /** Without the variables that a shell of this platform starts with. */
  bare?: boolean;
};

export const folders: Readonly<Record<PlatformName, string>> = {
  linux: "/home/mia/work",
  macos: "/Users/mia/work",
  windows: "C:\\Users\\mia\\work",
  wsl2: "/home/mia/work",
};

/** Loads on a machine made of nothing but what is given. */
export async function load(given: Given = {}): Promise<Loaded> {
  const { flags = {}, environment = {}, platform: name = "linux", file, files = {}, links = {}, bare = false } = given;
  const platform = platformOf(name);
  const cwd = folders[name];
  const texts: Readonly<Record<string, string>> = {
    ...files,
    ...(file !== undefined && { [platform.path.join(cwd, "tracebloc.yaml")]: file }),
  };
  return loadWishes({
    flags,
    platform,
    cwd,
    environment: bare ? environment : { ...environments[name], ...environment },
    files: {
      readText: async (path) => {
        const text = texts[path] ?? "!ENOENT";
        if (text.startsWith("!")) throw Object.assign(new Error(text), { code: text.slice(1) });
        return text;
      },
      realPath: async (path) => links[path] ?? path,
    },
  });
}

/** The findings of a load that must fail. */
export async function refusals(given: Given): Promise<readonly Finding[]> {
  const loaded = await load(given);
  return loaded.ok ? [] : loaded.findings;
}

/** Value and origin of one setting, in short: `prod (CLIENT_ENV)`. */
export async function wished(key: keyof Settings, given: Given): Promise<string> {
  const loaded = await load(given);
  if (!loaded.ok) return loaded.findings.map(({ says }) => `refused: ${says}`).join("; ");
  const { value, origin } = loaded.wishes[key];
  return `${String(value)} (${origin.name})`;
}
