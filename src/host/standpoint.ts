import { readFile, stat } from "node:fs/promises";
import { userInfo } from "node:os";

import { answered } from "../engine/fact.ts";
import type { Machine } from "../engine/machine.ts";
import { knownEngines } from "../platform/engines.ts";
import { homeDirectory } from "../platform/places.ts";
import { socketOf, type EngineSetting } from "./endpoint.ts";
import { errnoOf } from "./errno.ts";
import type { Standpoint, User } from "./explain.ts";

/** Gathers what a remedy for the engine depends on: which sockets are there, and who may use the one asked for. Never throws. */
export async function observeStandpoint(setting: EngineSetting, on: Machine): Promise<Standpoint> {
  const engines = knownEngines(on.platform, on.environment);
  const endpoints = [
    ...new Set([
      ...engines.map(({ endpoint }) => endpoint),
      ...(setting.endpoint === undefined ? [] : [setting.endpoint]),
    ]),
  ];
  return {
    platform: on.platform,
    setting,
    engines,
    sockets: on.platform.name === "windows" ? undefined : await existing(endpoints),
    home: homeDirectory(on.platform, on.environment),
    apiVersionSet: Boolean(on.environment["DOCKER_API_VERSION"]),
    user: await observeUser(socketOf(setting.endpoint ?? "")),
  };
}

async function existing(endpoints: readonly string[]): Promise<string[]> {
  const seen = await Promise.all(endpoints.map(isThere));
  return endpoints.filter((_, index) => seen[index]);
}

/** A socket that may not be looked at is there, for all that is known: then the engine says "permission denied" itself. */
async function isThere(endpoint: string): Promise<boolean> {
  const socket = socketOf(endpoint);
  if (socket === undefined) return false;
  try {
    return (await answered(stat(socket))).isSocket();
  } catch (error) {
    return errnoOf(error) === "EACCES";
  }
}

async function observeUser(socket: string | undefined): Promise<User> {
  const groups = await answered(readFile("/etc/group", "utf8")).catch(() => "");
  const owner = socket === undefined ? undefined : await answered(stat(socket)).catch(() => undefined);
  return standing(userName(), groups, owner?.gid);
}

/** A uid without an entry in the user database, as in many containers, is a user all the same. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

/** Which group may use a socket, and whether it lists the user, from the text of /etc/group. Pure. */
export function standing(name: string, groups: string, gid: number | undefined): User {
  const lines = groups.split("\n").map((line) => line.split(":"));
  // A socket of root's own group is no offer to join that: then "docker" is what Docker will use once it is there.
  const line =
    lines.find(([, , id]) => gid !== undefined && gid !== 0 && Number(id) === gid) ??
    lines.find(([group]) => group === "docker");
  return { name, group: line?.[0] ?? "docker", listed: line?.[3]?.split(",").includes(name) };
}
