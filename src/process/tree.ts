import { readdirSync, readFileSync } from "node:fs";

/** How a program is ended together with all that it started. One for each tree: it remembers who belonged to it. */
export type TreeEnding = {
  /** Whether the program gets a group and session of its own. Then the terminal's Ctrl-C does not reach it: we decide. */
  ownGroup: boolean;
  /** Between asking and forcing, where the command says nothing of it. */
  defaultGraceMs: number;
  /** Asks the tree to end. Where no program can be asked, it is only left its grace. */
  ask(root: number): void;
  /** Makes it end; a command where no signal does that. */
  force(root: number): { file: string; args: readonly string[] } | undefined;
  /** Whether anything of the tree still runs, as far as can be told. */
  isLeft(root: number): boolean;
};

/** The ways of the three families of systems. */
export function treeEnding(os: NodeJS.Platform): TreeEnding {
  if (os === "win32") return windows;
  return os === "linux" ? linux() : posix;
}

/** No TERM there, and no groups. What the root leaves behind when it ends by itself can no longer be found. */
const windows: TreeEnding = {
  ownGroup: false,
  defaultGraceMs: 0,
  ask: () => {},
  force: (root) => ({ file: "taskkill", args: ["/PID", String(root), "/T", "/F"] }),
  isLeft: () => false,
};

const posix: TreeEnding = {
  ownGroup: true,
  defaultGraceMs: 5_000,
  ask: (root) => signal(-root, "SIGTERM"),
  force: (root) => {
    signal(-root, "SIGKILL");
    return undefined;
  },
  isLeft: (root) => signal(-root, 0),
};

/**
 * On Linux also those that left the group: whoever was once seen below the root stays known, even as an orphan. Out of
 * reach is only what left the session and lost its parent before the first look.
 */
function linux(): TreeEnding {
  const known = new Set<string>();
  const members = (root: number) => {
    const running = runningProcesses();
    for (const member of below(root, running)) known.add(keyOf(member));
    return running.filter((process) => known.has(keyOf(process)));
  };
  const send = (root: number, name: NodeJS.Signals) => {
    const strays = members(root).filter((member) => member.group !== root);
    signal(-root, name);
    for (const { pid } of strays) signal(pid, name);
  };
  return {
    ...posix,
    ask: (root) => send(root, "SIGTERM"),
    force: (root) => {
      send(root, "SIGKILL");
      return undefined;
    },
    isLeft: (root) => members(root).length > 0,
  };
}

/** False where nobody is there, or nobody that is ours to signal: zombies on macOS, programs of another user. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

type Process = { pid: number; parent: number; group: number; session: number; ticks: string };

/** With its start, because a pid that went to somebody else must not be signalled. */
function keyOf({ pid, ticks }: Process): string {
  return `${pid}/${ticks}`;
}

/** The root, its group, its session, and everybody below any of them. */
function below(root: number, running: readonly Process[]): Process[] {
  const found = new Map<number, Process>();
  let before: number;
  do {
    before = found.size;
    for (const process of running) {
      const { pid, parent, group, session } = process;
      if (pid === root || group === root || session === root || found.has(parent)) found.set(pid, process);
    }
  } while (found.size > before);
  return [...found.values()];
}

/** All that runs on this machine. Zombies have ended. */
function runningProcesses(): Process[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const fields = statOf(name);
    const [state, parent, group, session] = fields;
    if (state === undefined || /^[ZXx]/.test(state)) return [];
    return [
      {
        pid: Number(name),
        parent: Number(parent),
        group: Number(group),
        session: Number(session),
        ticks: fields[19] ?? "",
      },
    ];
  });
}

/** The fields after the program's name, which may hold spaces and parentheses itself. None for a process that is gone. */
function statOf(pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}
