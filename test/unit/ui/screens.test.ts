import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { Event } from "../../../src/engine/events.ts";
import { plainScreen } from "../../../src/ui/plain.ts";
import { terminalScreen } from "../../../src/ui/terminal.ts";

const style = { colour: false, width: 80 };
const prepare = { do: "storage.prepare", because: "data was 0755 and owned by root" };
const create = { do: "cluster.create", because: "no cluster lab exists" };

type ActionEvent = Extract<Event, { type: "action" }>;
const of = (action: ActionEvent["action"], room: ActionEvent["room"]) => ({
  begin: { type: "action", phase: "begin", room, action, says: "at it", ms: 0 } satisfies ActionEvent,
  end: { type: "action", phase: "end", room, action, says: "done", holds: true, ms: 20 } satisfies ActionEvent,
});
const wait = (sinceMs: number, waitingFor = "k3d"): Event => ({
  type: "wait",
  room: "cluster",
  waitingFor,
  sinceMs,
  limitMs: 600_000,
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("plain lines", () => {
  function screen(hadClient = false) {
    const lines: string[] = [];
    return {
      lines,
      emit: plainScreen(
        (line) => lines.push(line),
        style,
        () => hadClient,
      ),
    };
  }

  test("tell a repair with its reason, and the same step of a fresh install without", () => {
    const fresh = screen();
    fresh.emit(of(prepare, "storage").end);
    expect(fresh.lines).toEqual(["  ✓ Directories    done"]);
    const again = screen(true);
    again.emit(of(prepare, "storage").end);
    expect(again.lines).toEqual(["  ! Directories    data was 0755 and owned by root. Repaired: done"]);
  });

  test("never call a cluster that was made a repair, nor a step that does not hold", () => {
    const { lines, emit } = screen(true);
    emit(of(create, "cluster").end);
    emit({ ...of(prepare, "storage").end, holds: false });
    expect(lines.map((line) => line.trimStart()[0])).toEqual(["✓", "✗"]);
  });

  test("say every 15 s what is waited for", () => {
    const { lines, emit } = screen();
    for (let second = 0; second <= 31; second++) emit(wait(second * 1000));
    expect(lines).toEqual([
      "    Cluster        waiting for k3d (15 s of 10 min)",
      "    Cluster        waiting for k3d (30 s of 10 min)",
    ]);
  });

  test("give a step that says nothing itself a sign of life, until it ends", () => {
    const { lines, emit } = screen();
    emit(of(create, "cluster").begin);
    vi.advanceTimersByTime(31_000);
    expect(lines).toEqual(["    Cluster        at it (15 s)", "    Cluster        at it (30 s)"]);
    emit(of(create, "cluster").end);
    vi.advanceTimersByTime(60_000);
    expect(lines).toHaveLength(3);
  });
});

describe("a terminal", () => {
  /** A spinner that keeps what it shows. */
  function screen() {
    const lines: string[] = [];
    const shown: string[] = [];
    const spinner = {
      set text(text: string) {
        shown.push(text);
      },
      stop: () => shown.push("stopped"),
    };
    const start = (text: string) => {
      shown.push(text);
      return spinner as never;
    };
    const emit = terminalScreen(
      (line) => lines.push(line),
      style,
      () => false,
      () => Promise.resolve({ start }),
    );
    return { lines, shown, emit };
  }

  test("shows the time of a long step, and what it waits for where that is known", async () => {
    const { shown, emit } = screen();
    emit(of(create, "cluster").begin);
    await vi.advanceTimersByTimeAsync(2000);
    emit(wait(2500));
    await vi.advanceTimersByTimeAsync(5000);
    expect(shown).toEqual([
      "Cluster        at it",
      "Cluster        at it (1.0 s)",
      "Cluster        at it (2.0 s)",
      "Cluster        waiting for k3d (2.5 s of 10 min)",
    ]);
  });

  test("keeps the line being worked on within the width, and never loses the time", async () => {
    const { shown, emit } = screen();
    emit(wait(2500, "k3d ".repeat(50)));
    await vi.advanceTimersByTimeAsync(0);
    // Four columns stand before it; behind it ^C has room, and the last one stays free.
    expect(shown[0]?.length).toBe(73);
    expect(shown[0]).toMatch(/… \(2\.5 s of 10 min\)$/);
  });

  test("prints a warning above the line being worked on, which goes on", async () => {
    const { lines, shown, emit } = screen();
    emit(of(create, "cluster").begin);
    await vi.advanceTimersByTimeAsync(0);
    emit({ type: "note", room: "run", says: "a note" });
    await vi.advanceTimersByTimeAsync(0);
    expect(lines).toEqual(["    Run            a note"]);
    expect(shown).toEqual(["Cluster        at it", "stopped", "Cluster        at it"]);
  });

  test("turns for nothing that ended before the spinner was loaded", async () => {
    const { lines, shown, emit } = screen();
    emit(of(create, "cluster").begin);
    emit(of(create, "cluster").end);
    await vi.advanceTimersByTimeAsync(5000);
    expect(shown).toEqual([]);
    expect(lines).toEqual(["  ✓ Cluster        done"]);
  });
});
