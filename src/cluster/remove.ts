import { Failure } from "../engine/finding.ts";
import type { Machine } from "../engine/machine.ts";
import { waitUntil } from "../engine/wait.ts";
import { firstComplaint, succeeded, type Command, type RunResult } from "../process/runner.ts";
import { dockerChange, dockerRead, listMembers, parseMembers, printedLines } from "./docker.ts";
import { noteGone } from "./installation.ts";
import type { Member } from "./node.ts";
import { cannotRemove, cannotTell, incomplete } from "./refusals.ts";

const removeLimitMs = 120_000;
const goneLimitMs = 30_000;

/**
 * Removes all that k3d made for a cluster: containers, its network, its volumes. By label and not by k3d, which sees
 * nothing to delete where a run was cut off before the first node, and which would edit the user's kubeconfig. Bounded,
 * and not ended by Ctrl-C: half removed is no better than half made. Throws unless the containers are seen to be gone.
 */
export async function removeCluster(on: Machine, cluster: string, installation: string | undefined): Promise<void> {
  const members = await membersOf(on, cluster);
  refuseOthers(cluster, members, installation);
  if (members.length > 0) {
    await on.runner.run(removal("container", "--force", "--volumes", ...members.map(({ name }) => name)));
    const left = await whatStays(on, cluster);
    if (left.length > 0) throw new Failure(cannotRemove(cluster, left));
  }
  // What is left over here stands in nobody's way: k3d takes both up again. So a failure is told and no more.
  await removeNamed(on, "network", networks(), (name) => name === `k3d-${cluster}`);
  await removeNamed(on, "volume", volumes(cluster), () => true);
  noteGone(on.state, cluster, new Date());
}

/** Our label is on every server that we make. A server without it is someone else's, whatever our records say. */
function refuseOthers(cluster: string, members: readonly Member[], installation: string | undefined): void {
  const others = members.filter(
    ({ role, installation: whose }) => role === "server" && (installation === undefined || whose !== installation),
  );
  if (others.length > 0) throw new Failure(incomplete(cluster, others));
}

/**
 * The engine goes on removing for one that was killed meanwhile, and tells the next one that asks that a removal is in
 * progress: then they are there for a moment longer.
 */
async function whatStays(on: Machine, cluster: string): Promise<readonly Member[]> {
  const left = await membersOf(on, cluster);
  if (left.length === 0) return left;
  const { seen } = await waitUntil(
    {
      room: "cluster",
      limitMs: goneLimitMs,
      everyMs: 250,
      waitingFor: () => `the containers of cluster ${cluster} to be gone`,
      look: () => membersOf(on, cluster),
      over: (members) => members.length === 0,
    },
    on,
  );
  return seen;
}

async function membersOf(on: Machine, cluster: string): Promise<Member[]> {
  const result = await on.runner.run(listMembers(cluster));
  if (!succeeded(result)) throw new Failure(cannotTell(cluster, firstComplaint(result)));
  return parseMembers(result);
}

async function removeNamed(
  on: Machine,
  kind: "network" | "volume",
  list: Command,
  ours: (name: string) => boolean,
): Promise<void> {
  const listed = await on.runner.run(list);
  const names = succeeded(listed) ? printedLines(listed).filter(ours) : [];
  const result: RunResult | undefined = names.length === 0 ? undefined : await on.runner.run(removal(kind, ...names));
  if (result !== undefined && !succeeded(result)) {
    on.emit({ type: "note", room: "cluster", says: `${kind} ${names.join(", ")} stays: ${firstComplaint(result)}` });
  }
}

/** k3d labels its networks with no cluster; the name is the cluster's. */
function networks(): Command {
  return dockerRead("docker network ls", "network", "ls", "--filter", "label=app=k3d", "--format", "{{.Name}}");
}

function volumes(cluster: string): Command {
  return dockerRead(
    "docker volume ls",
    "volume",
    "ls",
    "--quiet",
    "--filter",
    "label=app=k3d",
    "--filter",
    `label=k3d.cluster=${cluster}`,
  );
}

function removal(kind: "container" | "network" | "volume", ...args: readonly string[]): Command {
  return dockerChange(`docker ${kind} rm`, removeLimitMs, kind, "rm", ...args);
}
