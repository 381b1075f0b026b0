/** Runs in progress. */

import { MessageChannel } from 'node:worker_threads';
import { onAbort } from '../boundary/abort.js';

/**
 * @typedef {import('../boundary/typed_native.js').Outcome<import('../boundary/crossing.js').ExecValue>} RunOutcome
 */

/** Keeps this process alive while a run is pending, which native code alone does not. */
const keepAlive = new MessageChannel().port1;
keepAlive.unref();
let waiting = 0;

/** Runs that have been started and have not ended. */
export class OpenRuns {
  /** @type {Map<number, (outcome: RunOutcome) => void>} */
  #open = new Map();

  /**
   * Starts run `runId` and waits until `end` is called with its outcome. When the signal fires, `cancel` stops the run, because an
   * abort cannot stop native work.
   * @param {number} runId
   * @param {() => void} start
   * @param {() => void} cancel
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<RunOutcome>}
   */
  async wait(runId, start, cancel, signal) {
    const release = onAbort(signal, cancel);
    try {
      return await new Promise((resolve) => {
        start();
        this.#open.set(runId, resolve);
        if (waiting++ === 0) keepAlive.ref();
      });
    } finally {
      release();
    }
  }

  /**
   * @param {number} runId
   * @param {RunOutcome} outcome
   */
  end(runId, outcome) {
    const resolve = this.#open.get(runId);
    if (resolve === undefined) return;
    this.#open.delete(runId);
    if (--waiting === 0) keepAlive.unref();
    resolve(outcome);
  }
}
