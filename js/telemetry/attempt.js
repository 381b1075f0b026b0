/** Calls foreign code, such as providers, exporters and samplers, without letting it throw. */

/**
 * Returns the result of `work`, or undefined if it throws. Errors and rejections go to `fail`.
 * @template Made
 * @param {import('./api.js').Fail} fail
 * @param {() => Made} work
 * @returns {Made | undefined}
 */
export function attempt(fail, work) {
  try {
    const made = work();
    if (made instanceof Promise) made.catch(fail);
    return made;
  } catch (error) {
    fail(error);
    return undefined;
  }
}
