import { setTimeout as delay } from 'node:timers/promises';

/**
 * How long a statement whose rows are not wanted any more may end by itself: to stop it takes a connection of its own, and
 * what is left of most statements is on its way already.
 */
const OWN_END_MS = 20;

/** Asks the database to stop the statement under way of one connection. */
export class Stopper {
  #ask;
  /** @type {Promise<unknown> | undefined} */
  #statement;
  /** @type {Promise<unknown>} */
  #stopping = Promise.resolve();
  #hasAsked = false;

  /** @param {() => unknown} ask settles when the database has heard it, or never will */
  constructor(ask) {
    this.#ask = ask;
  }

  /**
   * @template T
   * @param {Promise<T>} statement that is under way until it settles
   * @returns {Promise<T>}
   */
  watch(statement) {
    const end = () => {
      if (this.#statement === ended) this.#statement = undefined;
    };
    const ended = statement.then(end, end);
    this.#statement = ended;
    return statement;
  }

  /** Stops the statement, if there is one. Never rejects. */
  now() {
    if (this.#statement) this.#stopping = Promise.all([this.#stopping, this.#stop()]);
    return this.#stopping;
  }

  /** Stops the statement unless it ends at once. Never rejects. */
  soon() {
    const statement = this.#statement;
    if (statement) {
      const wait = Promise.race([statement, delay(OWN_END_MS)]);
      const stop = wait.then(() => (this.#statement === statement ? this.#stop() : undefined));
      this.#stopping = Promise.all([this.#stopping, stop]);
    }
    return this.#stopping;
  }

  /** No request to stop is still on its way, where it might meet the next statement. */
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
      // What cannot be stopped ends by its time limit.
    }
  }
}
