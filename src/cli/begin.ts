import { createHash } from "node:crypto";

import { diskFiles } from "../config/disk.ts";
import { loadWishes } from "../config/load.ts";
import { flagOf, optionNames, propertyOf, settings } from "../config/names.ts";
import type { Tool } from "../config/pins.ts";
import { inCi } from "../config/options.ts";
import { withCredentialsOf } from "../config/values-credentials.ts";
import type { Options, RunOptions, Wishes } from "../config/wishes.ts";
import { Failure, type Finding } from "../engine/finding.ts";
import { exitCodeOf, exitCodes, type ExitCode } from "../engine/reasons.ts";
import { statePaths, type StatePaths } from "../files/state.ts";
import type { Asked } from "../install.ts";
import type { Platform } from "../platform/platform.ts";
import { quote } from "../platform/shell.ts";
import type { Redactor } from "../process/redact.ts";
import { withOutside } from "../release/outside.ts";
import { secretsIn, type Values } from "../release/values.ts";
import { fetchedPathOf } from "../tools/observe.ts";
import { bareResult } from "../ui/result.ts";
import type { Repeated } from "../ui/spelling.ts";
import { endLines } from "../ui/text.ts";
import { here, type Here } from "./here.ts";
import type { Flags } from "./program.ts";
import { redactor } from "./redactor.ts";
import { openScreen, type Screen } from "./screen.ts";

/** A command that knows what it is asked for and can talk. Nothing has been touched yet. */
export type Begun = {
  command: string;
  here: Here;
  options: Plain<Options>;
  asked: Asked;
  state: StatePaths;
  redactor: Redactor;
  screen: Screen;
  /** What is known before the run: what loading the settings had to say, and that the run before was cut off. */
  warnings: Finding[];
  /** How to spell `helm` in remedies, once it is known which one it is and where the cluster's kubeconfig lies. */
  helm: { command: string | undefined };
  startedAt: number;
};

type Plain<T extends Options> = { readonly [Key in keyof T]: RunOptions[Key & keyof RunOptions] };

/**
 * Loads what is asked for. Where that cannot be used, tells all that is wrong and gives the exit code: then nothing has
 * been touched, not even the state directory. `label` is the room that this command's labels need, if more than the usual.
 */
export async function begin(command: string, flags: Flags, label?: number): Promise<Begun | ExitCode> {
  const startedAt = performance.now();
  const at = here();
  const loaded = await loadWishes({ flags, files: diskFiles, ...at });
  const options = plain(loaded.options);
  const state = statePaths(options.stateDir);
  const helm: Begun["helm"] = { command: undefined };
  const cluster = loaded.ok ? loaded.wishes.cluster.value : "";
  const repeated = repeatedFlags(flags, at.platform);
  const programFor = (tool: Tool) => at.program(tool, fetchedPathOf(tool, { state, platform: at.platform }));
  const spelling = () => ({
    tracebloc: at.invocation().command,
    which: repeated.filter(({ flag }) => whichOne.has(flag)),
    wished: repeated,
    helm: `${helm.command === undefined ? programFor("helm") : quote(at.platform.shell, helm.command)} --kubeconfig ${quote(at.platform.shell, state.kubeconfig(cluster))}`,
    k3d: programFor("k3d"),
    kubectl: `docker exec k3d-${cluster}-server-0 kubectl`,
    isRoot: at.isRoot,
  });
  const screen = openScreen(options, inCi(at.environment), redactor.redact, spelling, label);

  const unusable = (findings: readonly Finding[]): ExitCode => {
    for (const finding of findings) screen.finding(finding, "failed");
    const failures = findings.map(screen.spelled);
    const [first] = failures;
    const exit = first === undefined ? exitCodes.input : exitCodeOf(first.reason);
    screen.lines(endLines("Nothing was changed.", exit, screen.style));
    screen.result(bareResult(command, exit, "refused", failures, loaded.warnings));
    return exit;
  };
  if (!loaded.ok) return unusable(loaded.findings);
  for (const finding of loaded.warnings) {
    if (finding.reason !== "PIN_CHANGED" || saysPins(command, options)) screen.emit({ type: "warning", finding });
  }
  const text = await readValuesFile(loaded.wishes);
  const path = loaded.wishes.values.value ?? "";
  const { wishes, values, findings } = withCredentialsOf(loaded.wishes, text, path, at.platform);
  if (findings.length > 0) return unusable(findings);
  for (const secret of [wishes.clientPassword.value, wishes.registryPassword.value]) redactor.add(secret);
  const pem = wishes.caBundle.value === undefined ? undefined : await diskFiles.readText(wishes.caBundle.value);
  const file = withOutside(at.environment, pem, values);
  for (const secret of secretsIn(file)) redactor.add(secret);
  return {
    command,
    here: at,
    options,
    state,
    redactor,
    screen,
    warnings: [...loaded.warnings],
    helm,
    startedAt,
    asked: { wishes, file, force: options.force, platform: at.platform, ...(pem && { ca: fingerprintOf(pem) }) },
  };
}

/** Short, as a label of the node is: the same certificates, whatever their file is called. */
function fingerprintOf(pem: string): string {
  return createHash("sha256").update(pem).digest("hex").slice(0, 16);
}

/** Which images are used matters where a cluster is to be made: `install` says it when it comes to that. */
function saysPins(command: string, { dryRun }: { dryRun: boolean }): boolean {
  return command === "plan" || command === "doctor" || (command === "install" && dryRun);
}

/** What says which installation is meant. */
const whichOne = new Set([settings.namespace, settings.cluster, optionNames.config].map(flagOf));

/** The settings that were given as flags, as they are typed. None of them is secret. */
function repeatedFlags(flags: Flags, { shell }: Platform): Repeated[] {
  return [...Object.values(settings), optionNames.config].flatMap((name) => {
    const flag = flagOf(name);
    const value = flag === undefined ? undefined : flags[propertyOf(flag)];
    return flag !== undefined && typeof value === "string" ? [{ flag, text: `${flag} ${quote(shell, value)}` }] : [];
  });
}

/** The operator's own values file. Loading has seen that it can be read; what it says of secrets is one from here on. */
async function readValuesFile({ values }: Wishes): Promise<Values> {
  if (values.value === undefined) return {};
  const { readValues } = await import("../config/yaml-file.ts");
  const seen = readValues(await diskFiles.readText(values.value));
  if (!("values" in seen)) throw new Failure(changedSince(values.value));
  for (const secret of secretsIn(seen.values)) redactor.add(secret);
  return seen.values;
}

function changedSince(path: string): Finding {
  return {
    reason: "CONFIG_UNREADABLE",
    room: "config",
    says: `the values file ${path} was changed while it was read`,
    remedies: [{ says: "run the same command again" }],
  };
}

function plain(options: Options): Begun["options"] {
  return Object.fromEntries(Object.entries(options).map(([key, wish]) => [key, wish.value])) as Begun["options"];
}
