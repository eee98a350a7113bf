import type { Engine } from "../engine.ts";
import type { HostFacts } from "../facts.ts";

/** The engine, where it answers and can be used. */
export function readyEngine({ engine }: HostFacts): Engine | undefined {
  return engine.state === "known" && engine.value.is === "ready" ? engine.value.engine : undefined;
}
