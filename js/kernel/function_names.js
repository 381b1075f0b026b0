/** Names that a function of the application cannot have on `tgp`. */

import { ConfigError } from '../boundary/errors.js';

/** Longest name that the sandbox takes. */
const MAX_NAME_CHARS = 200;

/**
 * @param {string} name of a function in `sandboxAPI`
 * @throws {ConfigError} when tools could not call it by that name, or when the name would change what `tgp` is
 */
export function refuseUnusableName(name) {
  const why = whyUnusable(name);
  if (why === undefined) return;
  const key = `sandboxAPI[${JSON.stringify(name.slice(0, MAX_NAME_CHARS))}]`;
  throw new ConfigError(`${key} cannot be offered to tools: ${why}. Give the function another name.`, {
    details: { key, field: 'sandboxAPI' },
  });
}

/** @param {string} name */
function whyUnusable(name) {
  if (name === '') return 'its name is empty';
  if (name.length > MAX_NAME_CHARS) return `its name is longer than ${MAX_NAME_CHARS} characters`;
  if (name.startsWith('#')) return 'names that begin with "#" are questions of the kernel itself';
  if (name === 'then') return 'an object with a function "then" is taken for a promise';
  if (name === 'toJSON') return 'JSON.stringify would call it';
  if (name in Object.prototype) return 'every object has something by that name';
  return undefined;
}
