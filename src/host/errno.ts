/** The system's name for what went wrong: "ENOENT", "EACCES". Undefined for an error of another kind. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
