import { candidatesOf, directoriesOf, type Directory } from "../../../src/storage/layout.ts";
import { readReport, type Looked, type Word } from "../../../src/storage/report.ts";
import type { RunResult } from "../../../src/process/runner.ts";
import { exited } from "../cluster/stand-in.ts";
import recorded from "./docker-exec.json" with { type: "json" };

/** Answers of a real `docker exec`; the file tells of which versions, and how each was brought about. */
export type Answer = keyof typeof recorded.answers;

export function answer(name: Answer): RunResult {
  return exited(recorded.answers[name]);
}

export const directories = directoriesOf("tracebloc", "/tracebloc");
export const [data, logs] = directories as [Directory, Directory];
export const candidates = candidatesOf("tracebloc");

/** The report of a recorded answer, data first. */
export function looked(name: Extract<Answer, `${Word}: ${string}`>): [Looked, Looked] {
  const word = name.startsWith("seen") ? "seen" : "prepared";
  return readReport(word, word === "seen" ? candidates : directories, answer(name)) as [Looked, Looked];
}
