import { exitCodes } from "../engine/reasons.ts";

/**
 * Whoever reads what we print may be gone (`| head`, a closed window), or its disk be full. A run must not break off for
 * that: Helm may be at work. But a result that could not be written is no success.
 */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listenerCount("error") > 0) continue;
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (stream === process.stdout && error.code !== "EPIPE") lose(error);
    });
  }
}

let isLost = false;

function lose({ message }: Error): void {
  if (isLost) return;
  isLost = true;
  process.stderr.write(`Standard output cannot be written: ${message}\n`);
  process.once("exit", () => {
    process.exitCode ||= exitCodes.surroundings;
  });
}
