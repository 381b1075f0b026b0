/** Calls foreign code, such as providers, exporters and samplers, without letting it throw. */

import type { Fail } from './api.js';

/** Returns the result of `work`, or undefined if it throws. Errors and rejections go to `fail`. */
export function attempt<Made>(fail: Fail, work: () => Made): Made | undefined {
  try {
    const made = work();
    if (made instanceof Promise) made.catch(fail);
    return made;
  } catch (error) {
    fail(error);
    return undefined;
  }
}
