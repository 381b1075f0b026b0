/** Runs in progress. */

import { MessageChannel } from 'node:worker_threads';
import type { BindingError } from '../../../binding.cjs';
import { onAbort } from '../../boundary/abort.js';
import type { ExecValue } from '../../boundary/crossing.js';
import type { NativeOutcome } from '../../boundary/typed_native.js';

/** How a run ended. */
type RunOutcome = NativeOutcome<ExecValue>;

/** Keeps this process alive while a run is pending, which native code alone does not. */
const keepAlive = new MessageChannel().port1;
keepAlive.unref();
let waiting = 0;

/** Runs that have been started and have not ended. */
export class OpenRuns {
  #open = new Map<number, (outcome: RunOutcome) => void>();

  /**
   * Starts run `runId` and waits until `end` is called for it. When the signal fires, `cancel` stops the run, because an abort cannot
   * stop native work.
   */
  wait(runId: number, start: () => void, cancel: () => void, signal: AbortSignal | undefined): Promise<RunOutcome> {
    if (signal === undefined) return this.#ended(runId, start);
    const release = onAbort(signal, cancel);
    return this.#ended(runId, start).finally(release);
  }

  #ended(runId: number, start: () => void): Promise<RunOutcome> {
    return new Promise((resolve) => {
      start();
      this.#open.set(runId, resolve);
      if (waiting++ === 0) keepAlive.ref();
    });
  }

  /** Reports the end of a run, with its value as JSON text or its error. */
  end(runId: number, value: string | null | undefined, error: BindingError | null | undefined) {
    const resolve = this.#open.get(runId);
    if (resolve === undefined) return;
    this.#open.delete(runId);
    if (--waiting === 0) keepAlive.unref();
    resolve(error ? { error } : { value: value ?? 'null' });
  }
}
