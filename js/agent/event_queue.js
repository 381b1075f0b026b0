import { ValidationError } from '../boundary/errors.js';

/**
 * @typedef {import('../../index.js').AgentEvent} AgentEvent
 */

/** Events that wait for whoever reads them; then the run waits. */
const MAX_WAITING = 64;

/**
 * The events of a run between the run, which waits when nobody keeps up, and the one who reads them. Whoever only wants the result
 * never reads: then events are let go.
 */
export class EventQueue {
  /** @type {AgentEvent[]} */
  #waiting = [];
  /** Somebody wants events, and has none. @type {((value: IteratorResult<AgentEvent, undefined>) => void)[]} */
  #readers = [];
  /** The run waits for room. @type {(() => void)[]} */
  #writers = [];
  #isEnded = false;
  #isRead = false;
  #isUnread = false;
  #isHurried = false;
  #onLeft;

  /** @param {() => void} onLeft is told when whoever reads has left before the end */
  constructor(onLeft) {
    this.#onLeft = onLeft;
  }

  /**
   * Adds an event; done when there is room for another one.
   * @param {AgentEvent} event
   */
  async push(event) {
    if (this.#isEnded) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader({ value: event, done: false });
      return;
    }
    if (this.#isUnread && !this.#isRead && this.#waiting.length >= MAX_WAITING) this.#waiting.shift();
    this.#waiting.push(event);
    while (this.#waiting.length >= MAX_WAITING && this.#isAwaited()) {
      await new Promise((/** @type {(value?: undefined) => void} */ resolve) => this.#writers.push(resolve));
    }
  }

  /** The run is to end: it waits for nobody any more. */
  hurry() {
    this.#isHurried = true;
    this.#wake();
  }

  #isAwaited() {
    return !this.#isEnded && !this.#isHurried && (this.#isRead || !this.#isUnread);
  }

  /** No more events will come; those that wait can still be read. */
  end() {
    this.#isEnded = true;
    this.#wake();
    if (this.#waiting.length > 0) return;
    for (const reader of this.#readers.splice(0)) reader({ value: undefined, done: true });
  }

  /** Somebody asks for the result: unless somebody reads, nobody needs the events. */
  leaveUnread() {
    this.#isUnread = true;
    this.#wake();
  }

  /** @returns {AsyncIterator<AgentEvent, undefined>} */
  read() {
    if (this.#isRead) {
      throw new ValidationError('The events of this run are being read already: there is one reader of a run.');
    }
    this.#isRead = true;
    return { next: () => this.#next(), return: async () => this.#leave() };
  }

  /** @returns {Promise<IteratorResult<AgentEvent, undefined>>} */
  async #next() {
    const event = this.#waiting.shift();
    if (event !== undefined) {
      this.#wake();
      return { value: event, done: false };
    }
    if (this.#isEnded) return { value: undefined, done: true };
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  /** @returns {{ value: undefined, done: true }} */
  #leave() {
    if (!this.#isEnded) {
      this.#isEnded = true;
      this.#onLeft();
    }
    this.#waiting = [];
    this.#wake();
    return { value: undefined, done: true };
  }

  #wake() {
    for (const writer of this.#writers.splice(0)) writer();
  }
}
