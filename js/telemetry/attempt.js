/** The one way to what others have registered: providers, exporters and samplers are code of strangers. */

/**
 * What `work` gives; nothing when it throws, which `fail` is told.
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
