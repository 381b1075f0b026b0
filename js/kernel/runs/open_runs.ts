/** Runs in progress. */

import { MessageChannel } from 'node:worker_threads';
import { onAbort } from '../../boundary/abort.js';
import type { ExecValue } from '../../boundary/crossing.js';
import type { NativeOutcome } from '../../boundary/typed_native.js';

export type RunOutcome = NativeOutcome<ExecValue>;

/** Keeps this process alive while a run is pending, which native code alone does not. */
const keepAlive = new MessageChannel().port1;
keepAlive.unref();
let waiting = 0;

/** Runs that have been started and have not ended. */
export class OpenRuns {
  #open = new Map<number, (outcome: RunOutcome) => void>();

  /**
   * Starts run `runId` and waits until `end` is called with its outcome. When the signal fires, `cancel` stops the run, because an
   * abort cannot stop native work.
   */
  async wait(
    runId: number,
    start: () => void,
    cancel: () => void,
    signal: AbortSignal | undefined,
  ): Promise<RunOutcome> {
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

  end(runId: number, outcome: RunOutcome) {
    const resolve = this.#open.get(runId);
    if (resolve === undefined) return;
    this.#open.delete(runId);
    if (--waiting === 0) keepAlive.unref();
    resolve(outcome);
  }
}
