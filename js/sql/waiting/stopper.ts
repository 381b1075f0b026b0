/** Cancels the running statement of a connection. */

import { setTimeout as delay } from 'node:timers/promises';

/**
 * Grace period for a statement whose remaining rows are not needed: cancelling takes a separate connection, and most statements
 * are nearly finished.
 */
const GRACE_MS = 20;

/** Sends cancel requests for the running statement of one connection. */
export class Stopper {
  #ask;
  #statement: Promise<unknown> | undefined;
  #stopping: Promise<unknown> = Promise.resolve();
  #hasAsked = false;

  /** @param ask sends a cancel request; settles when the database has received it or cannot */
  constructor(ask: () => unknown) {
    this.#ask = ask;
  }

  /** @param statement that runs until it settles */
  watch<T>(statement: Promise<T>): Promise<T> {
    const end = () => {
      if (this.#statement === ended) this.#statement = undefined;
    };
    const ended = statement.then(end, end);
    this.#statement = ended;
    return statement;
  }

  /** Cancels the running statement, if any. Never rejects. */
  now() {
    if (this.#statement) this.#stopping = Promise.all([this.#stopping, this.#stop()]);
    return this.#stopping;
  }

  /** Cancels the statement unless it ends within the grace period. Never rejects. */
  soon() {
    const statement = this.#statement;
    if (statement) {
      const wait = Promise.race([statement, delay(GRACE_MS)]);
      const stop = wait.then(() => (this.#statement === statement ? this.#stop() : undefined));
      this.#stopping = Promise.all([this.#stopping, stop]);
    }
    return this.#stopping;
  }

  /** Resolves when no cancel request is in flight that could hit the next statement. */
  get settled() {
    return this.#stopping;
  }

  get hasAsked() {
    return this.#hasAsked;
  }

  async #stop() {
    this.#hasAsked = true;
    try {
      await this.#ask();
    } catch {
      // The statement then ends at its time limit.
    }
  }
}
