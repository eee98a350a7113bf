import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Environment } from "../../src/platform/environment.ts";
import type { Platform, PlatformName } from "../../src/platform/platform.ts";
import { environments, platformOf } from "../unit/platform/personalities.ts";

/** One of the four systems as a person has it, on whatever machine the test runs. */
export type Personality = {
  name: PlatformName;
  platform: Platform;
  environment: Environment;
  /** The folder in which everything lies; it is the working directory as well. */
  folder: string;
  home: string;
  state: string;
  data: string;
  /** How the engine names a folder of this machine: behind a virtual machine it has another place. */
  inEngine: (folder: string) => string;
};

/** Takes what has to be done when a test, or a group of tests, is over. */
export type WhenOver = (clean: () => void | Promise<void>) => void;

/**
 * The personality for a test. On POSIX the home is a folder below a temporary one. A path of Windows is nothing but a
 * name here, and lies in the working directory, which is that temporary folder: it is absolute by the rules that the
 * product asks, those of the platform.
 */
export function personality(name: PlatformName, whenOver: WhenOver): Personality {
  const folder = mkdtempSync(join(tmpdir(), "flow-"));
  const before = process.cwd();
  process.chdir(folder);
  whenOver(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });
  const windows = name === "windows";
  const home = windows ? "C:\\Users\\mia" : join(folder, name === "macos" ? "Users" : "home", "mia");
  mkdirSync(home, { recursive: true });
  const places = windows ? {} : { HOME: home, XDG_RUNTIME_DIR: undefined };
  const environment = { ...environments[name], ...places };
  const platform = platformOf(name, environment);
  const data = platform.path.join(home, ".tracebloc");
  const state = {
    linux: `${home}/.local/state/tracebloc`,
    wsl2: `${home}/.local/state/tracebloc`,
    macos: `${home}/Library/Application Support/tracebloc`,
    windows: "C:\\Users\\mia\\AppData\\Local\\tracebloc",
  }[name];
  return { name, platform, environment, folder, home, state, data, inEngine: (path) => engineSpelling(name, path) };
}

/** Docker Desktop shows the folders of its host where its virtual machine has them. */
function engineSpelling(name: PlatformName, folder: string): string {
  if (name === "macos") return `/host_mnt${folder}`;
  if (name !== "windows") return folder;
  const [drive = "", rest = ""] = folder.split(":");
  return `/run/desktop/mnt/host/${drive.toLowerCase()}${rest.replaceAll("\\", "/")}`;
}
