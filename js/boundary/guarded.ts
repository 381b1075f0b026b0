/**
 * An error boundary for callbacks of drivers, sockets, streams, timers and the addon. An exception or unhandled rejection there
 * would end the application's process, so every such callback that handles foreign data is wrapped here.
 */

/** Does nothing: for errors and events that need no handling. */
export function ignored() {}

/**
 * Wraps a callback: its exceptions and rejections go to `fail` instead of the caller.
 * @param fail ends the operation of the callback; its own exceptions are ignored
 */
export function guarded<Args extends unknown[]>(
  fail: (error: unknown) => unknown,
  callback: (...args: Args) => unknown,
): (...args: Args) => void {
  const contain = (error: unknown) => {
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
