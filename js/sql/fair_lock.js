import { AbortedError } from '../boundary/errors.js';

/** Lets a number of holders in at once and the others in the order in which they came, so that none is starved. */
export class FairLock {
  #free;
  /** @type {{ enter: () => void, signal: AbortSignal | undefined }[]} */
  #waiting = [];

  /** @param {number} [places] how many may hold it at once */
  constructor(places = 1) {
    this.#free = places;
  }

  /**
   * Waits for a place. An abort leaves the queue.
   * @param {AbortSignal} [signal]
   * @returns {Promise<() => void>} gives the place back; may be called more than once
   */
  async acquire(signal) {
    if (signal?.aborted) throw gaveUp();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#waiting.shift();
      if (next) next.enter();
      else this.#free += 1;
    };
  }

  /** @param {AbortSignal | undefined} signal */
  #wait(signal) {
    return new Promise((resolve, reject) => {
      const place = {
        signal,
        enter: () => {
          signal?.removeEventListener('abort', leave);
          resolve(undefined);
        },
      };
      const leave = () => {
        const index = this.#waiting.indexOf(place);
        if (index === -1) return;
        this.#waiting.splice(index, 1);
        reject(gaveUp());
      };
      this.#waiting.push(place);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}

function gaveUp() {
  return new AbortedError('The run ended while it waited for the database.');
}
