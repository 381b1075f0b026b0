import { ConfigError } from '../boundary/errors.js';
import { parseSettings } from '../boundary/validation.js';
import { GivenConfigSchema, MAX_ENTRIES } from './option_schemas.js';

/** @typedef {{ config: import('../../index.js').TGPConfigInput, ignored: string[] }} Parsed */

/** Keys that configurations of the TypeScript package have and that never did anything. */
const OLD_KEYS = ['db'];

/** How deep a configuration goes. */
const DEPTH = 3;

/**
 * Checks a configuration and returns it; a wrong or unknown key is refused by its dotted name.
 * @param {unknown} input
 * @param {string} source what the configuration came from, for messages
 * @returns {Parsed}
 */
export function parseConfig(input, source) {
  const subject = `Invalid TGP Configuration: ${source}`;
  const { given, ignored } = readable(input, subject);
  return { config: parseSettings(GivenConfigSchema, given, subject), ignored };
}

/**
 * What can be held against the schema: of bounded size, and without the keys that are no longer there.
 * @param {unknown} input
 * @param {string} subject
 * @returns {{ given: unknown, ignored: string[] }}
 */
function readable(input, subject) {
  try {
    const long = tooLong(dataOf(input), [], DEPTH);
    if (long !== undefined) {
      const key = long.join('.');
      const message = `"${key}" is not valid (must have at most ${MAX_ENTRIES} entries)`;
      throw new ConfigError(`${subject}: ${message}.`, { details: { issues: [{ key, message }] } });
    }
    const old = OLD_KEYS.filter((key) => isPlain(input) && Object.hasOwn(/** @type {object} */ (input), key));
    if (old.length === 0) return { given: input, ignored: [] };
    const rest = Object.entries(/** @type {object} */ (input)).filter(([key]) => !old.includes(key));
    return { given: Object.fromEntries(rest), ignored: old };
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`${subject}: it could not be read; pass plain data.`, { cause });
  }
}

/**
 * Without what is no data, or has limits of its own: a database, functions, rules.
 * @param {any} input
 */
function dataOf(input) {
  if (!isPlain(input)) return input;
  const { sql: _sql, sandboxAPI: _functions, policy: _policy, ...data } = input;
  return data;
}

/**
 * Where a configuration has more entries than anybody writes.
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
