import type { Finding } from "../engine/finding.ts";
import { findConflicts, registryConflicts } from "./conflicts.ts";
import { backends, defaultSettings } from "./defaults.ts";
import type { ConfigFiles } from "./disk.ts";
import { finding } from "./findings.ts";
import { findPlaces, judgeFolders, judgeStateDir } from "./folders.ts";
import { mirrorOf, rehome } from "./image-reference.ts";
import { lookAtNamedFiles } from "./named-files.ts";
import { changedPins, ignoredVariables } from "./notices.ts";
import { readOptions } from "./options.ts";
import type { Standpoint } from "./paths.ts";
import { chooseWritten, readWritten, type Chosen, type Values } from "./read-settings.ts";
import { readSettingsFile } from "./settings-file.ts";
import type { Options, Settings, Wish, Wishes } from "./wishes.ts";
import type { Flags } from "./written.ts";

export type LoadInput = Standpoint & { flags: Flags; files: ConfigFiles };

/** What is wished for, or all that is wrong with it. The options are there in either case, since the telling obeys them. */
export type Loaded = { options: Options; warnings: readonly Finding[]; file: string | undefined } & (
  | { ok: true; wishes: Wishes }
  | { ok: false; findings: readonly Finding[] }
);

/**
 * Brings flags, variables, file and defaults together, in that order of precedence, each value with its origin. Every
 * problem is told at once, with reasons of the exit kind `input`. Reads the settings file and what settings point to;
 * writes nothing, anywhere. Never rejects.
 */
export async function loadWishes(input: LoadInput): Promise<Loaded> {
  const { options, findings: ofOptions } = readOptions(input.flags, input);
  const file = await readSettingsFile(options, input, input.files);
  const { chosen, findings: ofChoice } = chooseWritten(input.flags, input.environment, file.written);
  const read = readWritten(chosen, input, file.folder);
  const wishes = withDefaults(read.values, chosen, input);

  const ofFiles = await lookAtNamedFiles(wishes, input.files, input.platform);
  const places = await findPlaces(wishes, options, input, input.files);
  const ofFolders =
    places === undefined ? [] : [...judgeFolders(wishes, places, input), ...judgeStateDir(options, places, input)];
  const ofPairs =
    places === undefined || ofFolders.length > 0 ? [] : findConflicts(wishes, options, places, input.platform);
  const ofRegistry = registryConflicts(wishes);
  const noPlace = wishes.dataDir.value === "" && chosen.dataDir === undefined ? [noPlaceForData()] : [];

  const findings = [
    ofOptions,
    file.findings,
    ofChoice,
    read.findings,
    noPlace,
    ofFiles,
    ofRegistry,
    ofFolders,
    ofPairs,
  ].flat();
  const warnings = [...ignoredVariables(input.environment, input.platform), ...read.warnings, ...changedPins(wishes)];
  const common = { options, warnings, file: file.path };
  return findings.length > 0 ? { ...common, ok: false, findings } : { ...common, ok: true, wishes };
}

/** The wishes, with defaults for what is not there. An empty data directory stands for none: there was no home to put it in. */
function withDefaults(values: Values, chosen: Chosen, { platform, environment }: LoadInput): Wishes {
  const defaults = defaultSettings(platform, environment);
  const wish = <Key extends keyof Settings>(key: Key, otherwise: Settings[Key]): Wish<Settings[Key]> => {
    const origin = values[key] === undefined ? undefined : chosen[key]?.origin;
    if (origin === undefined) return { value: otherwise, origin: { from: "default", name: "default" } };
    // The schema has seen every value that is left here.
    return { value: values[key] as Settings[Key], origin };
  };
  const clientEnv = wish("clientEnv", defaults.clientEnv);
  const imageRegistry = wish("imageRegistry", undefined);
  const mirror = mirrorOf(imageRegistry.value ?? "");
  const mirrored = (image: string) => (mirror === undefined ? image : rehome(image, mirror));
  return {
    cluster: wish("cluster", defaults.cluster),
    namespace: wish("namespace", defaults.namespace),
    dataDir: wish("dataDir", defaults.dataDir ?? ""),
    datasetDir: wish("datasetDir", defaults.datasetDir),
    storageMode: wish("storageMode", defaults.storageMode),
    clientId: wish("clientId", defaults.clientId),
    clientPassword: wish("clientPassword", defaults.clientPassword),
    clientEnv,
    backendUrl: wish("backendUrl", backends[clientEnv.value]),
    chart: wish("chart", defaults.chart),
    values: wish("values", defaults.values),
    k3sImage: wish("k3sImage", mirrored(defaults.k3sImage)),
    k3dToolsImage: wish("k3dToolsImage", mirrored(defaults.k3dToolsImage)),
    downloadBase: wish("downloadBase", defaults.downloadBase),
    imagePullPolicy: wish("imagePullPolicy", defaults.imagePullPolicy),
    imageRegistry,
    registryUsername: wish("registryUsername", undefined),
    registryPassword: wish("registryPassword", undefined),
    pullSecret: wish("pullSecret", undefined),
    caBundle: wish("caBundle", undefined),
    apiPort: wish("apiPort", defaults.apiPort),
  };
}

function noPlaceForData(): Finding {
  return finding("CONFIG_INVALID", "dataDir (default) cannot be placed: there is no home directory", {
    says: "set HOST_DATA_DIR, or HOME (USERPROFILE on Windows), to an absolute path",
  });
}
