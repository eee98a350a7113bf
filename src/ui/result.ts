import type { ShownSetting } from "../config/show.ts";
import type { Finding } from "../engine/finding.ts";
import type { ExitCode } from "../engine/reasons.ts";
import type { ImageList } from "../images/list.ts";
import type { DirectoryResult } from "../storage/result.ts";

/** The last line of `--json`: what a run came to. Its schema ships with the package. */
export type Result = {
  type: "result";
  command: string;
  /** Exit code 0. */
  ok: boolean;
  exit: ExitCode;
  state: string;
  /** What ended the run, or is in its way; remedies spelled for this machine. */
  failures: readonly Finding[];
  warnings: readonly Finding[];
  /** What was done, each with its reason; with `plan`, what would be done. */
  actions: readonly { do: string; because: string }[];
  then: readonly string[];
  cluster?: { name: string; node: string; state: string };
  release?: { name: string; namespace: string; revision: number; status: string; chart: string };
  workloads?: readonly { name: string; state: string; says: string }[];
  storage?: readonly DirectoryResult[];
  /** Path of this run's log, where it wrote one. */
  log?: string;
  /** The file that the command is about: a kubeconfig, a tracebloc.yaml. */
  path?: string;
  /** `config show` */
  settings?: readonly ShownSetting[];
  /** `config schema` */
  schema?: object;
  /** `images` */
  images?: ImageList;
  seconds: number;
};

/** A result without a run behind it: wrong input, a lock that is held. */
export function bareResult(
  command: string,
  exit: ExitCode,
  state: string,
  failures: readonly Finding[],
  warnings: readonly Finding[] = [],
): Result {
  return {
    type: "result",
    command,
    ok: exit === 0,
    exit,
    state,
    failures,
    warnings,
    actions: [],
    then: [],
    seconds: 0,
  };
}
