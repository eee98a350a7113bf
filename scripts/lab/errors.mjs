/** A failure that a person can act on: what happened, what to do next, and where the whole story is. */
export class LabError extends Error {
  constructor(message, { next, log } = {}) {
    super(message);
    this.next = next;
    this.log = log;
  }
}
