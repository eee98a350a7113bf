import { flagOf, optionNames, settings, settingKeys } from "../../src/config/names.ts";
import { obsolete } from "../../src/config/obsolete.ts";
import { toolVersions } from "../../src/config/pins.ts";
import { exitCodeOf, reasons, type Reason } from "../../src/engine/reasons.ts";
import { statePaths, type StatePaths } from "../../src/files/state.ts";
import { detectPlatform, type PlatformName } from "../../src/platform/platform.ts";
import { directoriesOf, owner, remover, volumes, writer } from "../../src/storage/layout.ts";
import { toolRules } from "../../src/tools/rules.ts";

/** The tables of INSTALL.md that are made from code, by the name in their marks `<!-- NAME -->` and `<!-- /NAME -->`. */
export const tables: Readonly<Record<string, () => string>> = {
  reasons: () =>
    table(
      ["reason", "exit", "meaning"],
      (Object.keys(reasons) as Reason[]).map((reason) => [code(reason), exitOf(reason), reasons[reason].means]),
    ),
  settings: () =>
    table(
      ["setting", "flag", "variables", "what it is", "may be", "otherwise"],
      settingKeys.map((key) => {
        const { flag, variables, about, allowed, otherwise, secret } = settings[key];
        return [
          secret === true ? `${key} (never in a file)` : key,
          flagCell(flag),
          list(variables),
          about,
          allowed,
          otherwise,
        ];
      }),
    ),
  options: () =>
    table(
      ["flag", "variables", "what it does", "may be"],
      Object.values(optionNames).map(({ flag, variables, about, allowed }) => [
        flagCell(flag),
        list(variables),
        about,
        allowed,
      ]),
    ),
  obsolete: () =>
    table(
      ["without effect in this version", "instead"],
      obsolete.map(({ variables, instead }) => [list(variables), instead]),
    ),
  tools: () =>
    table(
      ["tool", "on PATH", "else fetched"],
      (["k3d", "helm"] as const).map((tool) => {
        const { from, below } = toolRules[tool];
        return [tool, `${from} or newer, below ${below}`, toolVersions[tool].replace(/^v/, "")];
      }),
    ),
  directories: () =>
    table(
      ["volume", "in the node", "mode", "owner", "what a pod of another user may do"],
      directoriesOf("RELEASE", "/tracebloc").map(({ volume, path, mode }) => [
        volume,
        code(path),
        code(mode),
        code(`${owner.uid}:${owner.gid}`),
        volumes[volume].foreignRemoval === "succeeds"
          ? `write, and remove what another one wrote: ${writer} ingests, ${remover} deletes`
          : "write, and not remove what another one wrote",
      ]),
    ),
  state: () =>
    table(
      ["in the state directory", "what it is"],
      (Object.keys(contents) as (keyof StatePaths)[]).map((key) => [code(shown(key)), contents[key]]),
    ),
  places: () =>
    table(
      ["", "data directory", "state directory"],
      (["linux", "macos", "windows"] as const).map((name) => {
        const platform = platformOf(name);
        return [platform.label, ...[platform.dataDirectory, platform.stateDirectory].map((places) => list(places))];
      }),
    ),
};

/** What lies in the state directory; the compiler asks for every path of it. */
const contents: Record<keyof StatePaths, string> = {
  root: "the directory itself, 0700",
  installation: "who this installation is, and the version that wrote it",
  lock: "held by the run that is at work",
  runs: "one log for each of the last 20 runs",
  tools: "k3d and helm, where they were fetched",
  kubeconfig: "the kubeconfig of the cluster, 0600",
  registries: "how k3d is told of a mirror, its password among it, 0600; gone when the cluster is made",
  values: "the values that Helm was last given, the client's password among them, 0600",
};

function shown(key: keyof StatePaths): string {
  const paths = statePaths("STATE");
  const path = paths[key];
  return typeof path === "string" ? path : path("CLUSTER", "RELEASE");
}

function platformOf(name: PlatformName) {
  const nodePlatform = { linux: "linux", wsl2: "linux", macos: "darwin", windows: "win32" }[name];
  const platform = detectPlatform({ nodePlatform, nodeArch: "x64", environment: {}, readText: () => undefined });
  if (platform === undefined) throw new Error(`no platform ${name}`);
  return { ...platform, label: platform.label.replace(/ x64$/, "") };
}

function exitOf(reason: Reason): string {
  const [usual, strict] = [exitCodeOf(reason), exitCodeOf(reason, true)];
  return usual === strict ? String(usual) : `${usual}; ${strict} with \`--strict\``;
}

function flagCell(flag: string | undefined): string {
  return flag === undefined ? "" : code(flagOf({ flag }) ?? "");
}

function list(names: readonly string[]): string {
  return names.map(code).join(", ");
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}
