import { homedir } from "node:os";

/** The variables this process was started with. Read here and nowhere else, once, and passed on as data. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A copy of the environment, so that nothing later can change what a run was asked for. */
export function readEnvironment(): Environment {
  return asEnvironment(process.env, process.platform, homedir);
}

/**
 * The same variables, made fit to be read by name on every platform. Pure but for `homeOfUser`, which may throw.
 * Windows does not tell `Path` from `PATH`, but a copy of its environment does: there each name is there in capitals as well.
 * Under cron and some service managers HOME is not set: then the user database's answer stands in.
 */
export function asEnvironment(variables: Environment, nodePlatform: string, homeOfUser: () => string): Environment {
  const windows = nodePlatform === "win32";
  const capitals = Object.entries(variables).map(([name, value]) => [name.toUpperCase(), value] as const);
  const environment: Record<string, string | undefined> = windows
    ? { ...variables, ...Object.fromEntries(capitals) }
    : { ...variables };
  const home = windows ? "USERPROFILE" : "HOME";
  environment[home] ||= quietly(homeOfUser);
  return environment;
}

/** A user id without an entry in the user database has no home, which is not an error here. */
function quietly(question: () => string): string | undefined {
  try {
    return question();
  } catch {
    return undefined;
  }
}
