/** A first-in, first-out semaphore. */

import { AbortedError } from '../../boundary/errors.js';

/** A semaphore that admits waiting callers in order, so that none is starved. */
export class FairLock {
  #free;
  #waiting: { enter: () => void; signal: AbortSignal | undefined }[] = [];

  /** @param places number of concurrent holders */
  constructor(places: number = 1) {
    this.#free = places;
  }

  /**
   * Waits for a place.
   * @param signal leaves the queue
   * @returns releases the place; idempotent
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted) throw gaveUp();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.#waiting.shift();
      if (next) next.enter();
      else this.#free += 1;
    };
  }

  #wait(signal: AbortSignal | undefined) {
    return new Promise<void>((resolve, reject) => {
      const place = {
        signal,
        enter: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
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
