/** The queue between a run and the reader of its events. */

import { ValidationError } from '../boundary/errors.js';
import type { AgentEvent } from '../types/agent.js';

/** Maximum number of queued events; when it is reached, the run waits for the reader. */
const MAX_WAITING = 64;

/**
 * A bounded queue of run events with backpressure: the run waits for a slow reader. If only the result is requested and nothing
 * reads events, old events are dropped.
 */
export class EventQueue {
  #waiting: AgentEvent[] = [];
  /** Readers that wait for an event. */
  #readers: ((value: IteratorResult<AgentEvent, undefined>) => void)[] = [];
  /** Writers that wait for room. */
  #writers: (() => void)[] = [];
  #isEnded = false;
  #isRead = false;
  #isUnread = false;
  #isHurried = false;
  #onLeft;

  /** @param onLeft is called when the reader leaves before the end */
  constructor(onLeft: () => void) {
    this.#onLeft = onLeft;
  }

  /** Adds an event. Resolves when there is room for another one. */
  async push(event: AgentEvent) {
    if (this.#isEnded) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader({ value: event, done: false });
      return;
    }
    if (this.#isUnread && !this.#isRead && this.#waiting.length >= MAX_WAITING) this.#waiting.shift();
    this.#waiting.push(event);
    while (this.#waiting.length >= MAX_WAITING && this.#isAwaited()) {
      await new Promise<void>((resolve) => this.#writers.push(resolve));
    }
  }

  /** The run is ending: it no longer waits for the reader. */
  hurry() {
    this.#isHurried = true;
    this.#wake();
  }

  #isAwaited() {
    return !this.#isEnded && !this.#isHurried && (this.#isRead || !this.#isUnread);
  }

  /** Closes the queue; queued events can still be read. */
  end() {
    this.#isEnded = true;
    this.#wake();
    if (this.#waiting.length > 0) return;
    for (const reader of this.#readers.splice(0)) reader({ value: undefined, done: true });
  }

  /** The result was requested: without a reader, events may be dropped. */
  leaveUnread() {
    this.#isUnread = true;
    this.#wake();
  }

  read(): AsyncIterator<AgentEvent, undefined> {
    if (this.#isRead) {
      throw new ValidationError('The events of this run already have a reader. A run supports one reader only.');
    }
    this.#isRead = true;
    return { next: () => this.#next(), return: async () => this.#leave() };
  }

  async #next(): Promise<IteratorResult<AgentEvent, undefined>> {
    const event = this.#waiting.shift();
    if (event !== undefined) {
      this.#wake();
      return { value: event, done: false };
    }
    if (this.#isEnded) return { value: undefined, done: true };
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  #leave(): { value: undefined; done: true } {
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
