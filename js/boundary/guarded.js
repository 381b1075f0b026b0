/**
 * Callbacks that others call: drivers, sockets, streams, timers, the addon. What throws there, or rejects unseen, ends the
 * application's process, so everything that handles foreign data in one goes through here.
 */

/** For what nobody needs to hear of. */
export function ignored() {}

/**
 * The callback with a boundary: what it throws, or rejects with, goes to `fail`, and nothing goes on to the caller.
 * @template {unknown[]} Args
 * @param {(error: unknown) => unknown} fail ends the call that the callback belongs to; what it throws is dropped, since
 * there is nobody left to tell
 * @param {(...args: Args) => unknown} callback
 * @returns {(...args: Args) => void}
 */
export function guarded(fail, callback) {
  /** @param {unknown} error */
  const contain = (error) => {
    try {
      Promise.resolve(fail(error)).catch(() => {});
    } catch {}
  };
  return (...args) => {
    try {
      const outcome = callback(...args);
      if (outcome instanceof Promise) outcome.catch(contain);
    } catch (error) {
      contain(error);
    }
  };
}
