/** The variables this process was started with. Read here and nowhere else, once, and passed on as data. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A copy of the environment, so that nothing later can change what a run was asked for. */
export function readEnvironment(): Environment {
  return { ...process.env };
}
