/** How a fact was learnt: the call in a person's words, and how long it took in milliseconds. */
export type Evidence = { how: string; ms: number };

/** The answer to one question about the machine. `unknown` carries why, and is never treated as `no`. */
export type Fact<T> = { state: "known"; value: T; seen: Evidence } | { state: "unknown"; why: string; seen: Evidence };

/** A fact that was seen. */
export function known<T>(value: T, how: string, ms = 0): Fact<T> {
  return { state: "known", value, seen: { how, ms } };
}

/** A question that got no usable answer. `why` ends up in front of a person: one clause, no stack. */
export function unknown(why: string, how: string, ms = 0): Fact<never> {
  return { state: "unknown", why, seen: { how, ms } };
}

/** A question that cannot be asked yet: an action has to come first. */
export function notYet(after: string): Fact<never> {
  return unknown(`not asked: ${after}`, "not asked");
}

/** The value, or undefined where it is unknown. Only for telling a person; a decision reads `state`. */
export function valueOf<T>(fact: Fact<T>): T | undefined {
  return fact.state === "known" ? fact.value : undefined;
}

/** Applies `change` to a known value; an unknown stays as it is. */
export function mapFact<T, U>(fact: Fact<T>, change: (value: T) => U): Fact<U> {
  return fact.state === "known" ? { ...fact, value: change(fact.value) } : fact;
}

/** A disk answers in milliseconds, and a file server that is gone holds its callers for ever. */
const answerLimitMs = 5_000;

/** What a question came to, within a bound. Rejects where no answer came; the question itself cannot be taken back. */
export function answered<T>(question: Promise<T>, limitMs = answerLimitMs): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs);
    void question.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Asks a question, with a bound, and turns a thrown error into `unknown`, with the time it took. */
export async function ask<T>(how: string, question: () => Promise<T>): Promise<Fact<T>> {
  const start = performance.now();
  try {
    return known(await answered(question()), how, performance.now() - start);
  } catch (error) {
    return unknown(error instanceof Error ? error.message : String(error), how, performance.now() - start);
  }
}
