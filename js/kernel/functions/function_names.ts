/** Validates names of application functions on `tgp`. */

import { ConfigError } from '../../boundary/errors.js';

/** Longest name that the sandbox accepts. */
const MAX_NAME_CHARS = 200;

/**
 * @param name of a function in `sandboxAPI`
 * @throws ConfigError when tools could not call it by that name, or when the name would change how `tgp` behaves
 */
export function refuseUnusableName(name: string) {
  const why = whyUnusable(name);
  if (why === undefined) return;
  const key = `sandboxAPI[${JSON.stringify(name.slice(0, MAX_NAME_CHARS))}]`;
  throw new ConfigError(`${key} cannot be offered to tools: ${why}. Give the function another name.`, {
    details: { key, field: 'sandboxAPI' },
  });
}

function whyUnusable(name: string) {
  if (name === '') return 'its name is empty';
  if (name.length > MAX_NAME_CHARS) return `its name is longer than ${MAX_NAME_CHARS} characters`;
  if (name.startsWith('#')) return 'names that begin with "#" are reserved for the kernel';
  if (name === 'then') return 'an object with a "then" function is treated as a promise';
  if (name === 'toJSON') return 'JSON.stringify would call it';
  if (name in Object.prototype) return 'every object has a property of that name';
  return undefined;
}
