import { throwIfAborted, untilAborted } from '../boundary/abort.js';
import { unwrap } from '../boundary/errors.js';
import { withoutGit } from '../files/without_git.js';
import { whileHeld } from './leftovers.js';

/**
 * @template Value
 * @typedef {(kernel: NativeKernel) => Promise<import('../boundary/typed_native.js').Outcome<Value>>} Start
 */

/**
 * @typedef {import('../boundary/typed_native.js').NativeKernel} NativeKernel
 * @typedef {<Done>(change: () => Promise<Done>) => Promise<Done>} During does a change, and tells who follows the tools of it
 */

/** The ways in which a call reaches the native kernel: it is booted then, and sees the files as they are. */
export class KernelCalls {
  #life;
  #during;
  #log;

  /**
   * @param {import('./lifecycle.js').Lifecycle} life
   * @param {During} during
   * @param {import('../../index.js').Logger} log
   */
  constructor(life, during, log) {
    this.#life = life;
    this.#during = during;
    this.#log = log;
  }

  /** Refuses what is asked for between a shutdown and the next boot. */
  refuseWhenDown() {
    this.#life.refuseWhenDown();
  }

  /** The native kernel for what need not wait; nothing before the boot. */
  get running() {
    return this.#life.running;
  }

  /** Whether the running kernel sees the files as they are; those of the application's own have to be asked for. */
  get isLevel() {
    return this.#life.running !== undefined && this.#life.mirror === undefined;
  }

  /**
   * A call that reads.
   * @template Value
   * @param {Start<Value>} start
   * @param {AbortSignal} [signal]
   * @returns {Promise<Value>}
   */
  async read(start, signal) {
    return whileHeld(this.#life, async () => {
      throwIfAborted(signal);
      const kernel = await untilAborted(this.#life.ready(), signal);
      if (this.#life.mirror) await untilAborted(this.#life.mirror.refresh(), signal);
      return begin(kernel, start, signal);
    });
  }

  /**
   * A call that writes no files of the application, but may change which tools are known.
   * @template Value
   * @param {Start<Value>} start
   */
  register(start) {
    return this.#during(() => this.read(start));
  }

  /**
   * A call that writes files; it is not done before the application's own files have the change too.
   * @template {object} Value
   * @param {Start<Value>} start
   * @param {AbortSignal} [signal]
   * @returns {Promise<Value>}
   */
  async change(start, signal) {
    return whileHeld(this.#life, async () => {
      throwIfAborted(signal);
      const kernel = await untilAborted(this.#life.ready(), signal);
      const change = () => begin(kernel, start, signal);
      return this.#during(async () => {
        const { mirror } = this.#life;
        if (!mirror) return change();
        const done = await mirror.write(change);
        return this.#life.config.git.repo === undefined ? withoutGit(done) : done;
      });
    });
  }

  /**
   * What came in from the remote; what the user should know about it goes to the logger.
   * @param {Start<import('../boundary/crossing.js').Incoming>} start
   * @returns {Promise<{ changed: string[] }>}
   */
  async receive(start) {
    const { changed, warnings } = await this.change(start);
    for (const warning of warnings) this.#log.warn(warning);
    return { changed };
  }
}

/**
 * Nothing starts once the signal has fired.
 * @template Value
 * @param {NativeKernel} kernel
 * @param {Start<Value>} start
 * @param {AbortSignal | undefined} signal
 */
async function begin(kernel, start, signal) {
  throwIfAborted(signal);
  const outcome = await start(kernel);
  return unwrap(outcome, outcome.error?.code === 'ERR_ABORTED' ? { cause: signal?.reason } : {});
}
