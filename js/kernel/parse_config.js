/** Validates a configuration against its schema. */

import { ConfigError } from '../boundary/errors.js';
import { parseSettings } from '../boundary/validation.js';
import { ConfigInputSchema, MAX_ENTRIES } from './option_schemas.js';

/** @typedef {{ config: import('../../index.js').TGPConfigInput, ignored: string[] }} ParsedConfig */

/** Keys of the TypeScript package's configuration that never had an effect. */
const OLD_KEYS = ['db'];

/** Nesting depth of a configuration. */
const MAX_DEPTH = 3;

/**
 * Validates a configuration and returns it; an invalid or unknown key is refused with its dotted name.
 * @param {unknown} input
 * @param {string} source what the configuration came from, for messages
 * @returns {ParsedConfig}
 */
export function parseConfig(input, source) {
  const subject = `Invalid TGP Configuration: ${source}`;
  const { data, ignored } = readable(input, subject);
  return { config: parseSettings(ConfigInputSchema, data, subject), ignored };
}

/**
 * The input for the schema: of bounded size, and without obsolete keys.
 * @param {unknown} input
 * @param {string} subject
 * @returns {{ data: unknown, ignored: string[] }}
 */
function readable(input, subject) {
  try {
    const long = tooLong(dataOf(input), [], MAX_DEPTH);
    if (long !== undefined) {
      const key = long.join('.');
      const message = `"${key}" is not valid (must have at most ${MAX_ENTRIES} entries)`;
      throw new ConfigError(`${subject}: ${message}.`, { details: { issues: [{ key, message }] } });
    }
    const old = OLD_KEYS.filter((key) => isPlain(input) && Object.hasOwn(/** @type {object} */ (input), key));
    if (old.length === 0) return { data: input, ignored: [] };
    const rest = Object.entries(/** @type {object} */ (input)).filter(([key]) => !old.includes(key));
    return { data: Object.fromEntries(rest), ignored: old };
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`${subject}: it cannot be read. Pass plain data.`, { cause });
  }
}

/**
 * The input without members that are not data or have limits of their own: database, functions, policy.
 * @param {any} input
 */
function dataOf(input) {
  if (!isPlain(input)) return input;
  const { sql: _sql, sandboxAPI: _functions, policy: _policy, ...data } = input;
  return data;
}

/**
 * The path of a member with more than MAX_ENTRIES entries, if there is one.
 * @param {unknown} value
 * @param {string[]} path
 * @param {number} depth
 * @returns {string[] | undefined}
 */
function tooLong(value, path, depth) {
  if (Array.isArray(value)) return value.length > MAX_ENTRIES ? path : undefined;
  if (!isPlain(value) || depth === 0) return undefined;
  const keys = Object.keys(/** @type {object} */ (value));
  if (keys.length > MAX_ENTRIES) return path;
  for (const key of keys) {
    const found = tooLong(/** @type {any} */ (value)[key], [...path, key], depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** @param {unknown} value */
function isPlain(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
