import { chmod, readFile, rename, rm, writeFile } from "node:fs/promises";

import type { Tool } from "../config/pins.ts";
import { known, type Fact } from "../engine/fact.ts";
import { Failure, type Finding } from "../engine/finding.ts";
import { within, type Machine } from "../engine/machine.ts";
import type { Performers, Proof } from "../engine/plan.ts";
import { withLimit } from "../engine/wait.ts";
import { setCommand } from "../platform/shell.ts";
import { version as ourVersion } from "../platform/version.ts";
import { DownloadTrouble, messageOf, writeTrouble } from "./download-trouble.ts";
import { download } from "./download.ts";
import { fetchedPath, tryOut } from "./observe.ts";
import { ownTool, type Fetch, type ToolAction } from "./plan.ts";
import { toolRules } from "./rules.ts";
import { tarMember } from "./tar.ts";
import { zipMember } from "./zip.ts";

/** Less than 1 kB per second for this long is no download any more. A total bound would cut slow but healthy lines. */
const stallMs = 60_000;
/** The longest time that a timer takes. */
const forever = 2 ** 31 - 1;
/** No tool is near this size; an archive that unpacks to more is none of ours. */
const largestBytes = 400_000_000;

/** How tools are fetched: side by side, each verified before it is in its place, proven by running it. */
export const toolPerformers: Performers<ToolAction> = {
  "tools.fetch": {
    room: "tools",
    reveals: ["tools"],
    says: ({ tools }) => `fetching ${tools.map(named).join(", ")}`,
    perform: fetchTools,
    prove: proveTools,
  },
};

async function fetchTools({ tools }: ToolAction, on: Machine): Promise<void> {
  const start = on.now();
  const limitMs = Math.ceil(within(on, forever));
  const progress = new Map<Tool, string>();
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (tool: Tool, received: number, total: number | undefined) => {
    progress.set(tool, `${tool} ${megabytes(received)}${total === undefined ? "" : ` of ${megabytes(total)}`} MB`);
    if (on.now() - toldAt < 500) return;
    toldAt = on.now();
    on.emit({
      type: "wait",
      room: "tools",
      waitingFor: [...progress.values()].join(", "),
      sinceMs: toldAt - start,
      limitMs,
    });
  };
  // All are let finish: what did come need not be fetched again.
  const results = await withLimit(on, forever, (signal) =>
    Promise.allSettled(tools.map((tool) => fetchTool(tool, signal, tell, on))),
  );
  const failed = results.findIndex(({ status }) => status === "rejected");
  const [result, tool] = [results[failed], tools[failed]];
  if (result?.status !== "rejected" || tool === undefined) return;
  throw asFailure(result.reason, tool, on);
}

async function fetchTool(
  tool: Fetch,
  signal: AbortSignal,
  tell: (tool: Tool, received: number, total: number | undefined) => void,
  on: Machine,
): Promise<void> {
  const path = fetchedPath(tool, on);
  const part = `${path}.part`;
  await download(
    { url: new URL(tool.url), sha256: tool.sha256, atLeastBytes: toolRules[tool.tool].atLeastBytes, to: part },
    {
      environment: on.environment,
      userAgent: `tracebloc/${ourVersion} (${tool.os}; ${tool.arch})`,
      signal,
      stallMs,
      pause: (ms) => on.pause(ms),
      onProgress: (received, total) => tell(tool.tool, received, total),
    },
  );
  await install(tool, part, path).catch((error: unknown) => {
    throw (
      writeTrouble(error) ??
      new DownloadTrouble(`its archive cannot be used: ${messageOf(error)}`, { mayPass: false }, error)
    );
  });
}

/** Puts the program in its place in one step: a path that exists is a whole program. */
async function install(tool: Fetch, part: string, path: string): Promise<void> {
  const unpack = tool.url.endsWith(".tar.gz") ? tarMember : tool.url.endsWith(".zip") ? zipMember : undefined;
  if (unpack === undefined) {
    await chmod(part, 0o755);
    await rename(part, path);
    return;
  }
  const member = `${tool.os}-${tool.arch}/${tool.tool}${tool.os === "windows" ? ".exe" : ""}`;
  const fresh = `${path}.new`;
  await writeFile(fresh, await unpack(await readFile(part), member, largestBytes));
  await chmod(fresh, 0o755);
  await rename(fresh, path);
  await rm(part, { force: true });
}

async function proveTools({ tools }: ToolAction, on: Machine): Promise<Fact<Proof>> {
  const start = on.now();
  const seen = await Promise.all(
    tools.map(async (tool) => ({ tool, ...(await tryOut(tool.tool, fetchedPath(tool, on), on)) })),
  );
  const broken = seen.flatMap((one) =>
    one.is === "good" ? [] : [`${one.tool.tool} ${one.is === "absent" ? "is not where it was put" : one.why}`],
  );
  const proof: Proof =
    broken.length === 0
      ? { holds: true, says: `${tools.map(named).join(", ")} (fetched, verified)` }
      : { holds: false, says: broken.join(", ") };
  return known(proof, "each was run for its version", on.now() - start);
}

const moreTime = { says: "run the same command again, with more time by --timeout; what came is kept" };

function asFailure(error: unknown, { tool, url }: Fetch, on: Machine): unknown {
  if (on.stop.aborted) return error;
  if (error instanceof Error && error.name === "TimeoutError") {
    return new Failure(
      {
        reason: "DEADLINE",
        room: "tools",
        says: `${tool} was not fetched in the time given`,
        remedies: [moreTime, ownTool(tool)],
      },
      error,
    );
  }
  if (!(error instanceof DownloadTrouble)) return error;
  const file = url.slice(url.lastIndexOf("/") + 1);
  const finding: Finding = {
    reason: error.kind === "mismatch" ? "TOOL_MISMATCH" : "DOWNLOAD_FAILED",
    room: "tools",
    says: `${tool} could not be fetched: ${error.message}`,
    remedies: [
      {
        says:
          error.hint ??
          (error.mayPass ? "try again later; what came is kept" : "see whether this machine may reach that address"),
      },
      ownTool(tool),
      {
        says: `or name a mirror that has ${file}, and run again`,
        command: setCommand(on.platform, "TRACEBLOC_DOWNLOAD_BASE", "https://mirror.example.com/tools"),
      },
    ],
  };
  return new Failure(finding, error);
}

function named({ tool, version }: Fetch): string {
  return `${tool} ${version}`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 10e6 ? 1 : 0);
}
