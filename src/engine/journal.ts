import type { Action } from "./plan.ts";

/** What a run writes down as it goes, so that the next one can tell where it stopped. Each call is on disk before it returns. */
export type Journal = {
  before(action: Action): void;
  after(action: Action): void;
  failed(action: Action, error: unknown): void;
};
